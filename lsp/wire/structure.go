package wire

import (
	"context"

	"go.lsp.dev/protocol"

	"flowc/lsp"
)

var symbolKinds = map[lsp.ItemKind]protocol.SymbolKind{
	lsp.KindState: protocol.SymbolKindNamespace, lsp.KindEvent: protocol.SymbolKindEvent, lsp.KindTask: protocol.SymbolKindMethod,
	lsp.KindFlow: protocol.SymbolKindClass, lsp.KindFragment: protocol.SymbolKindInterface, lsp.KindType: protocol.SymbolKindStruct,
	lsp.KindEnum: protocol.SymbolKindEnum, lsp.KindMember: protocol.SymbolKindEnumMember, lsp.KindField: protocol.SymbolKindField,
	lsp.KindVariable: protocol.SymbolKindVariable, lsp.KindConstant: protocol.SymbolKindConstant,
	lsp.KindFunction: protocol.SymbolKindFunction, lsp.KindTimer: protocol.SymbolKindKey,
}

// DocumentSymbol gives the outline of a file; as a flat list for clients that know no tree.
func (s *Server) DocumentSymbol(ctx context.Context, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	if !s.caps.hierarchicalSymbols {
		return v.flat(file, "", v.Symbols(file), protocol.SymbolInformationSlice{}), nil
	}
	return protocol.DocumentSymbolSlice(v.outline(file, v.Symbols(file))), nil
}

func (v view) outline(file string, all []lsp.Symbol) []protocol.DocumentSymbol {
	out := []protocol.DocumentSymbol{}
	for _, sym := range all {
		d := protocol.DocumentSymbol{Name: sym.Name, Kind: symbolKinds[sym.Kind], Range: v.rng(file, sym.Span), SelectionRange: v.rng(file, sym.NameSpan)}
		if sym.Detail != "" {
			d.Detail = &sym.Detail
		}
		if len(sym.Children) > 0 {
			d.Children = v.outline(file, sym.Children)
		}
		out = append(out, d)
	}
	return out
}

func (v view) flat(file, container string, all []lsp.Symbol, out protocol.SymbolInformationSlice) protocol.SymbolInformationSlice {
	for _, sym := range all {
		info := protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: sym.Name, Kind: symbolKinds[sym.Kind]},
			Location:              v.location(lsp.Location{File: file, Span: sym.NameSpan}),
		}
		if container != "" {
			info.ContainerName = &container
		}
		out = v.flat(file, sym.Name, sym.Children, append(out, info))
	}
	return out
}

// mostSymbols is how many symbols of the workspace are given at most; typing more letters finds the others.
const mostSymbols = 500

// Symbols finds symbols of the workspace.
func (s *Server) Symbols(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	v := view{s.snapshot(ctx), s}
	out := protocol.WorkspaceSymbolSlice{}
	for _, f := range v.WorkspaceSymbols(p.Query, mostSymbols) {
		w := protocol.WorkspaceSymbol{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: f.Name, Kind: symbolKinds[f.Kind]},
			Location:              ptr(v.location(f.Location)),
		}
		if f.Container != "" {
			w.ContainerName = &f.Container
		}
		out = append(out, w)
	}
	return out, nil
}

// FoldingRanges gives what can be folded.
func (s *Server) FoldingRanges(ctx context.Context, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.FoldingRange{}
	for _, f := range v.Folds(file) {
		r := v.rng(file, f.Span)
		if f.Kind == "" && r.End.Line > r.Start.Line {
			r.End.Line-- // the line of the closing bracket stays in sight
		}
		if r.End.Line > r.Start.Line {
			out = append(out, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line, Kind: protocol.FoldingRangeKind(f.Kind)})
		}
	}
	return out, nil
}

// SelectionRange gives the stretches around places, from the smallest.
func (s *Server) SelectionRange(ctx context.Context, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.SelectionRange{}
	for _, at := range p.Positions {
		offset := v.mapper(file).Offset(positionFrom(at))
		var outer *protocol.SelectionRange
		spans := v.Selections(file, offset)
		for i := len(spans) - 1; i >= 0; i-- {
			outer = &protocol.SelectionRange{Range: v.rng(file, spans[i]), Parent: outer}
		}
		if outer == nil {
			outer = &protocol.SelectionRange{Range: protocol.Range{Start: at, End: at}}
		}
		out = append(out, *outer)
	}
	return out, nil
}
