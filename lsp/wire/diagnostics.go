package wire

import (
	"context"
	"encoding/hex"
	"hash/fnv"

	"go.lsp.dev/protocol"

	"flowc/grammar"
	"flowc/validate/diag"
)

// diagnostics gives the findings of a file as the client understands them.
func (v view) diagnostics(file string) []protocol.Diagnostic {
	found, _ := v.Diagnostics(file)
	out := []protocol.Diagnostic{}
	for _, f := range found {
		out = append(out, v.diagnostic(f))
	}
	return out
}

func (v view) diagnostic(f diag.Finding) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    v.finding(f.File, f.Range),
		Severity: severities[f.Severity],
		Code:     protocol.String(f.ID),
		Source:   protocol.NewOptional("flowc"),
		Message:  protocol.String(message(f)),
	}
	if v.s.caps.codeDescription {
		d.CodeDescription.Href = v.s.page(f.ID)
	}
	if v.s.caps.tags {
		d.Tags = tags(f.Tags)
	}
	if v.s.caps.related {
		for _, r := range f.Related {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: v.s.uri(r.File), Range: v.finding(r.File, r.Range)}, Message: r.Message,
			})
		}
	}
	return d
}

var severities = map[diag.Severity]protocol.DiagnosticSeverity{
	diag.Error: protocol.DiagnosticSeverityError, diag.Warning: protocol.DiagnosticSeverityWarning, diag.Hint: protocol.DiagnosticSeverityHint,
}

// message is what is wrong and what to write instead.
func message(f diag.Finding) string {
	if f.Help == "" {
		return f.Message
	}
	return f.Message + "\nhelp: " + f.Help
}

func tags(all []diag.Tag) protocol.DiagnosticTags {
	var out []protocol.DiagnosticTag
	for _, t := range all {
		switch t {
		case diag.Unnecessary:
			out = append(out, protocol.DiagnosticTagUnnecessary)
		case diag.Deprecated:
			out = append(out, protocol.DiagnosticTagDeprecated)
		}
	}
	return protocol.NewDiagnosticTags(out...)
}

func (v view) finding(file string, r diag.Range) protocol.Range {
	return v.rng(file, grammar.Span{Start: r.Start.Offset, End: r.End.Offset})
}

// Diagnostic answers a client that asks for the findings of a file.
func (s *Server) Diagnostic(ctx context.Context, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	v := view{s.snapshot(ctx), s}
	items := v.diagnostics(pathOf(p.TextDocument.URI))
	id := fingerprint(items)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: unchanged, ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: full, ResultID: &id, Items: items},
	}, nil
}

// The kinds of reports, which the protocol's types do not fill in by themselves.
const (
	full      = string(protocol.DocumentDiagnosticReportKindFull)
	unchanged = string(protocol.DocumentDiagnosticReportKindUnchanged)
)

// DiagnosticWorkspace answers a client that asks for the findings of all files.
func (s *Server) DiagnosticWorkspace(ctx context.Context, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	v := view{s.snapshot(ctx), s}
	before := map[string]string{}
	for _, r := range p.PreviousResultIds {
		before[pathOf(r.URI)] = r.Value
	}
	out := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, file := range v.Files() {
		if ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
		out.Items = append(out.Items, v.workspaceReport(file, before[file]))
	}
	return out, nil
}

func (v view) workspaceReport(file, before string) protocol.WorkspaceDocumentDiagnosticReport {
	items := v.diagnostics(file)
	id := fingerprint(items)
	var version *int32
	if v.IsOpen(file) {
		version = ptr(v.Document(file).Version)
	}
	if before == id {
		return &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: unchanged, ResultID: id},
			URI:                               v.s.uri(file), Version: version,
		}
	}
	return &protocol.WorkspaceFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: full, ResultID: &id, Items: items},
		URI:                          v.s.uri(file), Version: version,
	}
}

// fingerprint tells lists of findings apart.
func fingerprint(items []protocol.Diagnostic) string {
	h := fnv.New128a()
	if raw, err := protocol.Marshal(items); err == nil {
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil))
}
