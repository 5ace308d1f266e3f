package wire

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// SignatureHelp says what the call around a place takes.
func (s *Server) SignatureHelp(ctx context.Context, p *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	v, file, offset := s.at(ctx, p.TextDocumentPositionParams)
	sig := v.Signature(file, offset)
	if sig == nil {
		return nil, nil
	}
	info := protocol.SignatureInformation{Label: sig.Label, Parameters: []protocol.ParameterInformation{}}
	if sig.Doc != "" {
		info.Documentation = markdown(sig.Doc)
	}
	for _, param := range sig.Params {
		i := protocol.ParameterInformation{Label: protocol.String(param.Label)}
		if param.Doc != "" {
			i.Documentation = markdown(param.Doc)
		}
		info.Parameters = append(info.Parameters, i)
	}
	help := &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{info}, ActiveSignature: ptr(uint32(0))}
	if sig.Active >= 0 {
		help.ActiveParameter = protocol.NewNullable(uint32(sig.Active))
	}
	return help, nil
}

// InlayHint gives the texts between the letters.
func (s *Server) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.InlayHint{}
	for _, h := range v.Hints(file, v.span(file, p.Range)) {
		hint := protocol.InlayHint{Position: positionTo(v.mapper(file).Position(h.Offset)), Label: protocol.String(h.Label)}
		if h.Before {
			hint.Kind, hint.PaddingRight = protocol.InlayHintKindParameter, ptr(true)
		} else {
			hint.PaddingLeft = ptr(true)
		}
		if h.Doc != "" {
			hint.Tooltip = protocol.String(h.Doc)
		}
		out = append(out, hint)
	}
	return out, nil
}

// CodeLens offers to run tests.
func (s *Server) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	v := view{s.snapshot(ctx), s}
	file := pathOf(p.TextDocument.URI)
	out := []protocol.CodeLens{}
	for _, l := range v.Lenses(file) {
		args, err := arguments(string(p.TextDocument.URI), l.Test)
		if err != nil {
			return nil, err
		}
		out = append(out, protocol.CodeLens{Range: v.rng(file, l.Span), Command: protocol.Command{Title: l.Title, Command: commandRunTest, Arguments: args}})
	}
	return out, nil
}

// arguments writes the arguments of a command, empty ones at the end left out.
func arguments(words ...string) ([]protocol.LSPAny, error) {
	var out []protocol.LSPAny
	for _, w := range words {
		if w == "" {
			continue
		}
		raw, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return out, nil
}

// testOutcome is how a test went, as the command gives it to the client.
type testOutcome struct {
	Name    string          `json:"name"`
	Passed  bool            `json:"passed"`
	Message string          `json:"message,omitempty"`
	Range   *protocol.Range `json:"range,omitempty"` // the line that failed
}

// ExecuteCommand runs tests of a file as it is in the editor, shows in a message how they went, and gives the outcomes.
func (s *Server) ExecuteCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	if p.Command != commandRunTest {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "there is no command "+p.Command)
	}
	words := make([]string, 2)
	for i, raw := range p.Arguments {
		if i < len(words) {
			if err := json.Unmarshal(raw, &words[i]); err != nil {
				return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the arguments are the file's URI and the name of a test")
			}
		}
	}
	target, err := uri.Parse(words[0])
	if err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	v := view{s.snapshot(ctx), s}
	file := pathOf(target)
	results, err := v.RunTests(ctx, file, words[1])
	if err != nil {
		s.show(ctx, protocol.MessageTypeError, err.Error())
		return nil, refused(err)
	}
	out := []testOutcome{}
	failed, text := 0, ""
	for _, r := range results {
		o := testOutcome{Name: r.Name, Passed: r.Failure == "", Message: r.Failure}
		if !o.Passed {
			failed++
			rng := v.rng(file, r.At)
			o.Range = &rng
			text += fmt.Sprintf("\n%s, line %d: %s", r.Name, rng.Start.Line+1, r.Failure)
		}
		out = append(out, o)
	}
	kind := protocol.MessageTypeInfo
	if failed > 0 {
		kind = protocol.MessageTypeError
	}
	s.show(ctx, kind, fmt.Sprintf("%d passed, %d failed%s", len(results)-failed, failed, text))
	return json.Marshal(out)
}

func (s *Server) show(ctx context.Context, kind protocol.MessageType, text string) {
	if err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: text}); err != nil {
		s.log.Warn("a message was not shown", "reason", err)
	}
}
