package wire

import (
	"context"
	"slices"
	"strconv"

	"go.lsp.dev/protocol"

	"flowc/grammar"
	"flowc/lsp"
)

// coloured are the tokens that a client has of a file.
type coloured struct {
	id   int
	data []uint32
}

// SemanticTokensFull gives all tokens of a file.
func (s *Server) SemanticTokensFull(ctx context.Context, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	file := pathOf(p.TextDocument.URI)
	now, _ := s.colour(ctx, file)
	return &protocol.SemanticTokens{ResultID: ptr(strconv.Itoa(now.id)), Data: now.data}, nil
}

// colour makes the tokens of a file and keeps them for the next delta.
func (s *Server) colour(ctx context.Context, file string) (now, before coloured) {
	v := view{s.snapshot(ctx), s}
	data := lsp.EncodeTokens(v.SemanticTokens(file), v.mapper(file))
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.tokens[file]
	now = coloured{before.id + 1, data}
	if v.IsOpen(file) {
		s.tokens[file] = now
	}
	return now, before
}

// SemanticTokensFullDelta gives what has changed since the last answer; all tokens to a client that has another one.
func (s *Server) SemanticTokensFullDelta(ctx context.Context, p *protocol.SemanticTokensDeltaParams) (protocol.SemanticTokensDeltaResult, error) {
	now, before := s.colour(ctx, pathOf(p.TextDocument.URI))
	id := ptr(strconv.Itoa(now.id))
	if before.data == nil || p.PreviousResultID != strconv.Itoa(before.id) {
		return &protocol.SemanticTokens{ResultID: id, Data: now.data}, nil
	}
	out := &protocol.SemanticTokensDelta{ResultID: id, Edits: []protocol.SemanticTokensEdit{}}
	for _, e := range lsp.DiffTokens(before.data, now.data) {
		out.Edits = append(out.Edits, protocol.SemanticTokensEdit{Start: uint32(e.Start), DeleteCount: uint32(e.Delete), Data: e.Data})
	}
	return out, nil
}

// SemanticTokensRange gives the tokens that a range touches.
func (s *Server) SemanticTokensRange(ctx context.Context, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	span := v.span(file, p.Range)
	tokens := slices.DeleteFunc(v.Snapshot.SemanticTokens(file), func(t lsp.SemanticToken) bool { return !overlaps(t.Span, span) })
	return &protocol.SemanticTokens{Data: lsp.EncodeTokens(tokens, v.mapper(file))}, nil
}

func overlaps(a, b grammar.Span) bool { return a.Start < b.End && b.Start < a.End }
