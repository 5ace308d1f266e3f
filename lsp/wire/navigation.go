package wire

import (
	"context"

	"go.lsp.dev/protocol"

	"flowc/lsp"
)

// Definition gives where a name is declared.
func (s *Server) Definition(ctx context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	return v.locations(v.Snapshot.Definition(file, offset)), nil
}

// Declaration is the same: a name has one declaration, which defines it.
func (s *Server) Declaration(ctx context.Context, p *protocol.DeclarationParams) (protocol.DeclarationResult, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	return v.locations(v.Snapshot.Definition(file, offset)), nil
}

// TypeDefinition gives where the type of a name or an expression is declared.
func (s *Server) TypeDefinition(ctx context.Context, p *protocol.TypeDefinitionParams) (protocol.DefinitionResult, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	return v.locations(v.Snapshot.TypeDefinition(file, offset)), nil
}

// References gives all places of a name in the workspace.
func (s *Server) References(ctx context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	out := []protocol.Location{}
	for _, u := range v.Snapshot.References(file, offset) {
		if !u.Declaration || p.Context.IncludeDeclaration {
			out = append(out, v.location(u.Location))
		}
	}
	return out, nil
}

// DocumentHighlight gives the places of a name in the file.
func (s *Server) DocumentHighlight(ctx context.Context, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	out := []protocol.DocumentHighlight{}
	for _, u := range v.Highlights(file, offset) {
		kind := protocol.DocumentHighlightKindRead
		if u.Write || u.Declaration {
			kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: v.rng(file, u.Span), Kind: kind})
	}
	return out, nil
}

// DocumentLink makes the paths of imports links.
func (s *Server) DocumentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.DocumentLink{}
	for _, l := range v.Links(file) {
		out = append(out, protocol.DocumentLink{Range: v.rng(file, l.Span), Target: ptr(s.uri(l.Target))})
	}
	return out, nil
}

// PrepareCallHierarchy gives the flow at a place.
func (s *Server) PrepareCallHierarchy(ctx context.Context, p *protocol.CallHierarchyPrepareParams) ([]protocol.CallHierarchyItem, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	c := v.Caller(file, offset)
	if c == nil {
		return nil, nil
	}
	return []protocol.CallHierarchyItem{v.caller(*c)}, nil
}

func (v view) caller(c lsp.Caller) protocol.CallHierarchyItem {
	return protocol.CallHierarchyItem{
		Name: c.Name, Kind: symbolKinds[c.Kind], URI: v.s.uri(c.File),
		Range: v.rng(c.Whole.File, c.Whole.Span), SelectionRange: v.rng(c.File, c.Span),
	}
}

// IncomingCalls gives who invokes, calls or starts a flow.
func (s *Server) IncomingCalls(ctx context.Context, p *protocol.CallHierarchyIncomingCallsParams) ([]protocol.CallHierarchyIncomingCall, error) {
	v := view{s.snapshot(ctx), s}
	file, offset := v.item(p.Item)
	out := []protocol.CallHierarchyIncomingCall{}
	for _, c := range v.Incoming(file, offset) {
		out = append(out, protocol.CallHierarchyIncomingCall{From: v.caller(c.Caller), FromRanges: v.ranges(c.Places)})
	}
	return out, nil
}

// OutgoingCalls gives the flows that a flow invokes, calls or starts.
func (s *Server) OutgoingCalls(ctx context.Context, p *protocol.CallHierarchyOutgoingCallsParams) ([]protocol.CallHierarchyOutgoingCall, error) {
	v := view{s.snapshot(ctx), s}
	file, offset := v.item(p.Item)
	out := []protocol.CallHierarchyOutgoingCall{}
	for _, c := range v.Outgoing(file, offset) {
		out = append(out, protocol.CallHierarchyOutgoingCall{To: v.caller(c.Caller), FromRanges: v.ranges(c.Places)})
	}
	return out, nil
}

func (v view) item(i protocol.CallHierarchyItem) (file string, offset int) {
	file = pathOf(i.URI)
	return file, v.mapper(file).Offset(positionFrom(i.SelectionRange.Start))
}

func (v view) ranges(all []lsp.Location) []protocol.Range {
	out := []protocol.Range{}
	for _, l := range all {
		out = append(out, v.rng(l.File, l.Span))
	}
	return out
}
