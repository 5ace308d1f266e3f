package wire

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"flowc/lsp"
)

var itemKinds = map[lsp.ItemKind]protocol.CompletionItemKind{
	lsp.KindKeyword: protocol.CompletionItemKindKeyword, lsp.KindState: protocol.CompletionItemKindReference,
	lsp.KindEvent: protocol.CompletionItemKindEvent, lsp.KindTask: protocol.CompletionItemKindMethod,
	lsp.KindFlow: protocol.CompletionItemKindClass, lsp.KindFragment: protocol.CompletionItemKindClass,
	lsp.KindType: protocol.CompletionItemKindStruct, lsp.KindEnum: protocol.CompletionItemKindEnum,
	lsp.KindMember: protocol.CompletionItemKindEnumMember, lsp.KindField: protocol.CompletionItemKindField,
	lsp.KindVariable: protocol.CompletionItemKindVariable, lsp.KindConstant: protocol.CompletionItemKindConstant,
	lsp.KindFunction: protocol.CompletionItemKindFunction, lsp.KindTimer: protocol.CompletionItemKindUnit,
	lsp.KindValue: protocol.CompletionItemKindValue, lsp.KindUnit: protocol.CompletionItemKindUnit,
	lsp.KindModule: protocol.CompletionItemKindModule, lsp.KindFile: protocol.CompletionItemKindFile,
}

// completions keeps the last list of proposals, for the questions that follow about one of them.
type completions struct {
	number int
	items  []lsp.Item
}

// itemData is what the client gives back with an item.
type itemData struct {
	List int `json:"list"`
	Item int `json:"item"`
}

// Completion lists what could stand at a place. Clients without snippets get the label instead of one.
func (s *Server) Completion(ctx context.Context, p *protocol.CompletionParams) (protocol.CompletionResult, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	items := v.Complete(file, offset)
	s.mu.Lock()
	s.lists = completions{s.lists.number + 1, items}
	list := s.lists.number
	s.mu.Unlock()
	out := &protocol.CompletionList{Items: make([]protocol.CompletionItem, 0, len(items))}
	for i, item := range items {
		data, err := json.Marshal(itemData{list, i})
		if err != nil {
			return nil, err
		}
		c := protocol.CompletionItem{
			Label: item.Label, Kind: itemKinds[item.Kind], SortText: protocol.NewOptional(item.Sort), Data: data,
			InsertTextFormat: protocol.InsertTextFormatPlainText,
		}
		if item.Detail != "" {
			c.Detail = protocol.NewOptional(item.Detail)
		}
		text := item.Insert
		if item.Snippet && s.caps.snippets {
			c.InsertTextFormat = protocol.InsertTextFormatSnippet
		} else if item.Snippet {
			text = item.Label
		}
		c.TextEdit = &protocol.TextEdit{Range: v.rng(file, item.Span), NewText: text}
		out.Items = append(out.Items, c)
	}
	return out, nil
}

// CompletionResolve adds the documentation of an item of the last list; an older one comes back as it is.
func (s *Server) CompletionResolve(_ context.Context, p *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	var data itemData
	if err := json.Unmarshal(p.Data, &data); err != nil {
		return p, nil
	}
	s.mu.Lock()
	list := s.lists
	s.mu.Unlock()
	if data.List == list.number && data.Item >= 0 && data.Item < len(list.items) {
		if doc := list.items[data.Item].Documentation(); doc != "" {
			p.Documentation = markdown(doc)
		}
	}
	return p, nil
}
