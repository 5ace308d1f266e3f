package wire

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/lsp"
)

// DidOpen takes a buffer.
func (s *Server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	name := s.name(p.TextDocument.URI)
	s.session.Open(name, p.TextDocument.Version, p.TextDocument.Text)
	s.changed()
	return nil
}

// name is the name of a file; it is written in answers as the client writes it.
func (s *Server) name(u uri.URI) string {
	name := pathOf(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uris[name] = u
	return name
}

// DidChange makes the changes of a message one after the other. A change to an older version is ignored.
func (s *Server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	changes := make([]lsp.Change, 0, len(p.ContentChanges))
	for _, c := range p.ContentChanges {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			r := rangeFrom(c.Range)
			changes = append(changes, lsp.Change{Range: &r, Text: c.Text})
		case *protocol.TextDocumentContentChangeWholeDocument:
			changes = append(changes, lsp.Change{Text: c.Text})
		default:
			return fmt.Errorf("a change of an unknown kind, %T", c)
		}
	}
	if err := s.session.Change(pathOf(p.TextDocument.URI), p.TextDocument.Version, s.enc, changes); err != nil {
		return err
	}
	s.changed()
	return nil
}

// DidSave looks at the disk again: other files may import what was saved.
func (s *Server) DidSave(context.Context, *protocol.DidSaveTextDocumentParams) error {
	s.diskChanged()
	return nil
}

// DidClose lets a buffer go.
func (s *Server) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	name := pathOf(p.TextDocument.URI)
	s.session.Close(name)
	s.mu.Lock()
	delete(s.tokens, name)
	s.mu.Unlock()
	s.changed()
	return nil
}

// DidChangeWatchedFiles looks at the disk again.
func (s *Server) DidChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	s.diskChanged()
	return nil
}

// changed tells a client that cannot ask what is wrong now.
func (s *Server) changed() {
	if !s.caps.pull {
		s.publish.wake()
	}
}

// diskChanged forgets what was read, and has a client that asks ask again.
func (s *Server) diskChanged() {
	s.session.Refresh()
	s.changed()
	if s.caps.pull && s.caps.refresh {
		s.ask("ask for diagnostics again", s.client.DiagnosticRefresh)
	}
}
