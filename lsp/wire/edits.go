package wire

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/grammar"
	"flowc/lsp"
)

// refused is the error for a request that is understood and cannot be done; clients show its text.
func refused(err error) error {
	return jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), err.Error())
}

// PrepareRename gives the name at a place, if it can be renamed.
func (s *Server) PrepareRename(ctx context.Context, p *protocol.PrepareRenameParams) (protocol.PrepareRenameResult, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	span, err := v.Snapshot.PrepareRename(file, offset)
	if err != nil {
		return nil, refused(err)
	}
	name := string(v.Document(file).Text[span.Start:span.End])
	return &protocol.PrepareRenamePlaceholder{Range: v.rng(file, span), Placeholder: name}, nil
}

// Rename renames what stands at a place in all files of the workspace.
func (s *Server) Rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	edits, err := v.Snapshot.Rename(file, offset, p.NewName)
	if err != nil {
		return nil, refused(err)
	}
	return v.edit(edits), nil
}

// Formatting brings a file into the one style. There are no options.
func (s *Server) Formatting(ctx context.Context, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	v := view{s.snapshot(ctx), s}
	return v.textEdits(v.Format(pathOf(p.TextDocument.URI))), nil
}

// RangeFormatting formats the lines of a range.
func (s *Server) RangeFormatting(ctx context.Context, p *protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	return v.textEdits(v.FormatRange(file, v.span(file, p.Range))), nil
}

// OnTypeFormatting formats the block that a typed brace closes.
func (s *Server) OnTypeFormatting(ctx context.Context, p *protocol.DocumentOnTypeFormattingParams) ([]protocol.TextEdit, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	return v.textEdits(v.FormatBlock(file, v.mapper(file).Offset(positionFrom(p.Position)))), nil
}

// WillRenameFiles keeps imports right when files get other names.
func (s *Server) WillRenameFiles(ctx context.Context, p *protocol.RenameFilesParams) (*protocol.WorkspaceEdit, error) {
	v := view{s.snapshot(ctx), s}
	var moves []lsp.Move
	for _, f := range p.Files {
		from, err := uri.Parse(f.OldURI)
		if err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
		}
		to, err := uri.Parse(f.NewURI)
		if err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
		}
		moves = append(moves, lsp.Move{From: pathOf(from), To: pathOf(to)})
	}
	return v.edit(v.Moved(moves)), nil
}

func (v view) span(file string, r protocol.Range) grammar.Span {
	start, end := v.mapper(file).Offsets(rangeFrom(r))
	return grammar.Span{Start: start, End: end}
}

// CodeAction offers what can be done about the findings in a range.
func (s *Server) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.CommandOrCodeAction{}
	for _, a := range v.Actions(file, v.span(file, p.Range)) {
		kind := protocol.CodeActionKindQuickFix
		if a.Kind == lsp.FixAll {
			kind = protocol.CodeActionKindSourceFixAll
		}
		if !wanted(p.Context.Only, kind) {
			continue
		}
		c := &protocol.CodeAction{Title: a.Title, Kind: &kind, Edit: v.edit(a.Edits)}
		if a.Preferred {
			c.IsPreferred = ptr(true)
		}
		if a.Finding != nil {
			c.Diagnostics = []protocol.Diagnostic{v.diagnostic(*a.Finding)}
		}
		out = append(out, c)
	}
	return out, nil
}

// wanted says whether a client that asks for some kinds wants one that may lie below them. Fixing everything is only offered when
// it is asked for: it would stand in every list.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return kind != protocol.CodeActionKindSourceFixAll
	}
	return slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == kind || strings.HasPrefix(string(kind), string(k)+".") || k == protocol.CodeActionKindEmpty
	})
}
