package wire

import (
	"go.lsp.dev/protocol"

	"flowc/lsp"
)

func ptr[T any](v T) *T { return &v }

// commandRunTest runs tests; its arguments are the file's URI and the name of a test, or the URI alone for all of them.
const commandRunTest = "flowc.runTest"

// capabilities are what the server can do for this client.
func (s *Server) capabilities() protocol.ServerCapabilities {
	enc := protocol.PositionEncodingKindUTF16
	if s.enc == lsp.UTF8 {
		enc = protocol.PositionEncodingKindUTF8
	}
	c := protocol.ServerCapabilities{
		PositionEncoding: enc,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true), Change: ptr(protocol.TextDocumentSyncKindIncremental), Save: protocol.Boolean(true),
		},
		CompletionProvider:               &protocol.CompletionOptions{TriggerCharacters: []string{".", ">", "\"", ":", "("}, ResolveProvider: ptr(true)},
		HoverProvider:                    protocol.Boolean(true),
		SignatureHelpProvider:            &protocol.SignatureHelpOptions{TriggerCharacters: []string{"(", ","}, RetriggerCharacters: []string{":"}},
		DeclarationProvider:              protocol.Boolean(true),
		DefinitionProvider:               protocol.Boolean(true),
		TypeDefinitionProvider:           protocol.Boolean(true),
		ReferencesProvider:               protocol.Boolean(true),
		DocumentHighlightProvider:        protocol.Boolean(true),
		DocumentSymbolProvider:           protocol.Boolean(true),
		WorkspaceSymbolProvider:          protocol.Boolean(true),
		CodeActionProvider:               &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindSourceFixAll}},
		CodeLensProvider:                 &protocol.CodeLensOptions{},
		DocumentLinkProvider:             &protocol.DocumentLinkOptions{},
		DocumentFormattingProvider:       protocol.Boolean(true),
		DocumentRangeFormattingProvider:  protocol.Boolean(true),
		DocumentOnTypeFormattingProvider: protocol.DocumentOnTypeFormattingOptions{FirstTriggerCharacter: "}"},
		RenameProvider:                   &protocol.RenameOptions{PrepareProvider: ptr(true)},
		FoldingRangeProvider:             protocol.Boolean(true),
		SelectionRangeProvider:           protocol.Boolean(true),
		CallHierarchyProvider:            protocol.Boolean(true),
		InlayHintProvider:                protocol.Boolean(true),
		ExecuteCommandProvider:           protocol.ExecuteCommandOptions{Commands: []string{commandRunTest}},
		SemanticTokensProvider: &protocol.SemanticTokensOptions{
			Legend: protocol.SemanticTokensLegend{TokenTypes: lsp.TokenTypes, TokenModifiers: lsp.TokenModifiers},
			Range:  protocol.Boolean(true),
			Full:   &protocol.SemanticTokensFullDelta{Delta: ptr(true)},
		},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: ptr(true), ChangeNotifications: protocol.Boolean(true),
		}, FileOperations: &protocol.FileOperationOptions{WillRename: protocol.FileOperationRegistrationOptions{
			Filters: []protocol.FileOperationFilter{{Scheme: ptr("file"), Pattern: protocol.FileOperationPattern{Glob: "**"}}},
		}}},
	}
	if s.caps.content {
		c.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{pageScheme}}
	}
	if s.caps.pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: ptr("flowc"), InterFileDependencies: true, WorkspaceDiagnostics: true}
	}
	return c
}
