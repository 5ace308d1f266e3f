package wire

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/grammar"
	"flowc/lsp"
)

func positionFrom(p protocol.Position) lsp.Position {
	return lsp.Position{Line: int(p.Line), Character: int(p.Character)}
}

func rangeFrom(r protocol.Range) lsp.Range {
	return lsp.Range{Start: positionFrom(r.Start), End: positionFrom(r.End)}
}

func positionTo(p lsp.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}

func rangeTo(r lsp.Range) protocol.Range {
	return protocol.Range{Start: positionTo(r.Start), End: positionTo(r.End)}
}

// A view is a snapshot as a client with this encoding sees it.
type view struct {
	*lsp.Snapshot
	s *Server
}

// mapper gives the mapper of a file, that of an empty text when it cannot be read.
func (v view) mapper(file string) *lsp.Mapper {
	if d := v.Document(file); d != nil {
		return d.Mapper(v.s.enc)
	}
	return lsp.NewMapper(nil, v.s.enc)
}

func (v view) rng(file string, span grammar.Span) protocol.Range {
	return rangeTo(v.mapper(file).Range(span.Start, span.End))
}

func (v view) location(l lsp.Location) protocol.Location {
	return protocol.Location{URI: v.s.uri(l.File), Range: v.rng(l.File, l.Span)}
}

// locations never gives nil, which would mean that the server does not know.
func (v view) locations(all []lsp.Location) protocol.LocationSlice {
	out := protocol.LocationSlice{}
	for _, l := range all {
		out = append(out, v.location(l))
	}
	return out
}

// uri is how the client writes the name of a file.
func (s *Server) uri(name string) uri.URI {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.uris[name]; ok {
		return u
	}
	if scheme, _, ok := strings.Cut(name, ":"); ok && len(scheme) > 1 && !strings.Contains(scheme, "/") {
		return uri.URI(name)
	}
	path := filepath.FromSlash(name)
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return uri.File(path)
}

// edit makes the change of several files; with the versions that the edits are for where the client understands them.
func (v view) edit(edits []lsp.Edit) *protocol.WorkspaceEdit {
	var files []string
	byFile := map[string][]protocol.TextEdit{}
	for _, e := range edits {
		if byFile[e.File] == nil {
			files = append(files, e.File)
		}
		byFile[e.File] = append(byFile[e.File], v.textEdit(e))
	}
	out := &protocol.WorkspaceEdit{}
	if !v.s.caps.documentChanges {
		out.Changes = map[uri.URI][]protocol.TextEdit{}
		for _, file := range files {
			out.Changes[v.s.uri(file)] = byFile[file]
		}
		return out
	}
	for _, file := range files {
		change := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: v.s.uri(file)},
		}}
		if v.IsOpen(file) {
			change.TextDocument.Version = ptr(v.Document(file).Version)
		}
		for i := range byFile[file] {
			change.Edits = append(change.Edits, &byFile[file][i])
		}
		out.DocumentChanges = append(out.DocumentChanges, change)
	}
	return out
}

func (v view) textEdit(e lsp.Edit) protocol.TextEdit {
	return protocol.TextEdit{Range: v.rng(e.File, e.Span), NewText: e.Text}
}

func (v view) textEdits(edits []lsp.Edit) []protocol.TextEdit {
	out := []protocol.TextEdit{}
	for _, e := range edits {
		out = append(out, v.textEdit(e))
	}
	return out
}

func markdown(text string) *protocol.MarkupContent {
	return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
}
