package wire

import (
	"context"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/validate/diag"
)

// pageScheme names the pages of findings, for clients that show texts which only the server has.
const pageScheme = "flowc-page"

// page is where the page of a finding can be read, "" when this client has no way to it.
func (s *Server) page(id diag.ID) uri.URI {
	switch {
	case s.pages != "":
		return uri.URI(strings.TrimSuffix(s.pages, "/") + "/" + string(id) + ".md")
	case s.caps.content:
		return uri.URI(pageScheme + ":/" + string(id) + ".md")
	}
	return ""
}

// TextDocumentContent gives the page of a finding.
func (s *Server) TextDocumentContent(_ context.Context, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	name, ok := strings.CutPrefix(string(p.URI), pageScheme+":/")
	text, err := diag.Page(diag.ID(strings.TrimSuffix(name, ".md")))
	if !ok || err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "there is no page "+string(p.URI))
	}
	return &protocol.TextDocumentContentResult{Text: text}, nil
}
