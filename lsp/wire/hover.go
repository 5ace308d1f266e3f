package wire

import (
	"context"

	"go.lsp.dev/protocol"
)

// at gives what a request about a place is about: the view, the file and the offset.
func (s *Server) at(ctx context.Context, p protocol.TextDocumentPositionParams) (v view, file string, offset int) {
	v = view{s.snapshot(ctx), s}
	file = pathOf(p.TextDocument.URI)
	return v, file, v.mapper(file).Offset(positionFrom(p.Position))
}

// Hover says what stands at a place.
func (s *Server) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	h := v.Hover(file, offset)
	if h == nil {
		return nil, nil
	}
	return &protocol.Hover{Contents: markdown(h.Text), Range: ptr(v.rng(file, h.Span))}, nil
}
