package wire

import (
	"context"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/lsp"
)

// abilities are what the client can do, as far as it changes what the server does.
type abilities struct {
	pull, refresh                     bool // of diagnostics
	related, tags, codeDescription    bool
	snippets, documentChanges         bool
	hierarchicalSymbols, labelOffsets bool
	watch                             bool
	content                           bool // shows texts that only the server has
}

// Initialize answers the first message of the client.
func (s *Server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.caps = abilitiesOf(&p.Capabilities)
	s.enc = encodingOf(p.Capabilities.General)
	s.folders = foldersOf(p)
	s.session.SetFolders(s.folders)
	s.state.Store(started)
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "flowc", Version: protocol.NewOptional(s.version)},
	}, nil
}

// encodingOf takes the first encoding in the client's order of preference that the server knows; without any it is UTF-16.
func encodingOf(g *protocol.GeneralClientCapabilities) lsp.Encoding {
	if g != nil {
		for _, kind := range g.PositionEncodings {
			switch kind {
			case protocol.PositionEncodingKindUTF8:
				return lsp.UTF8
			case protocol.PositionEncodingKindUTF16:
				return lsp.UTF16
			}
		}
	}
	return lsp.UTF16
}

func yes(b *bool) bool { return b != nil && *b }

func abilitiesOf(c *protocol.ClientCapabilities) abilities {
	var a abilities
	if t := c.TextDocument; t != nil {
		a.pull = t.Diagnostic != nil
		if d := t.Diagnostic; d != nil {
			a.related, a.codeDescription, a.tags = yes(d.RelatedInformation), yes(d.CodeDescriptionSupport), len(d.TagSupport.ValueSet) > 0
		} else if d := t.PublishDiagnostics; d != nil {
			a.related, a.codeDescription, a.tags = yes(d.RelatedInformation), yes(d.CodeDescriptionSupport), len(d.TagSupport.ValueSet) > 0
		}
		a.snippets = t.Completion != nil && t.Completion.CompletionItem != nil && yes(t.Completion.CompletionItem.SnippetSupport)
		a.hierarchicalSymbols = t.DocumentSymbol != nil && yes(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		if h := t.SignatureHelp; h != nil && h.SignatureInformation != nil && h.SignatureInformation.ParameterInformation != nil {
			a.labelOffsets = yes(h.SignatureInformation.ParameterInformation.LabelOffsetSupport)
		}
	}
	if w := c.Workspace; w != nil {
		a.refresh = w.Diagnostics != nil && yes(w.Diagnostics.RefreshSupport)
		a.documentChanges = w.WorkspaceEdit != nil && yes(w.WorkspaceEdit.DocumentChanges)
		a.watch = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
		a.content = w.TextDocumentContent != nil
	}
	return a
}

func foldersOf(p *protocol.InitializeParams) []string {
	var out []string
	if folders, ok := p.WorkspaceFolders.Get(); ok {
		for _, f := range folders {
			out = append(out, pathOf(f.URI))
		}
	}
	if len(out) > 0 {
		return out
	}
	//lint:ignore SA1019 editors that know no workspace folders say only this
	if root := p.RootURI; root != nil && *root != "" {
		out = append(out, pathOf(*root))
	}
	return out
}

// pathOf is the name of a file: its path with slashes, or the whole URI of what is no file.
func pathOf(u uri.URI) string {
	if u.IsFile() {
		return filepath.ToSlash(u.FsPath())
	}
	return string(u)
}

// Initialized asks the client to tell about changes of files on the disk.
func (s *Server) Initialized(ctx context.Context, _ *protocol.InitializedParams) error {
	if !s.caps.watch {
		return nil
	}
	options, err := protocol.Marshal(protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*.flow")}},
	})
	if err != nil {
		return err
	}
	s.ask("watch files", func(ctx context.Context) error {
		return s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "watch-flow-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
		}}})
	})
	return nil
}

// Shutdown ends all but the connection.
func (s *Server) Shutdown(context.Context) error {
	s.state.Store(shutDown)
	return nil
}

// Exit ends the connection.
func (s *Server) Exit(context.Context) error {
	s.exitOnce.Do(func() { close(s.exited) })
	return nil
}

// SetTrace is taken and means nothing: the log says all there is.
func (s *Server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }

// DidChangeWorkspaceFolders adds and removes folders.
func (s *Server) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	folders := slices.Clone(s.folders)
	for _, f := range p.Event.Removed {
		folders = slices.DeleteFunc(folders, func(have string) bool { return have == pathOf(f.URI) })
	}
	for _, f := range p.Event.Added {
		folders = append(folders, pathOf(f.URI))
	}
	s.folders = folders
	s.mu.Unlock()
	s.session.SetFolders(folders)
	s.changed()
	return nil
}

// DidChangeConfiguration is taken and means nothing: there is nothing to configure.
func (s *Server) DidChangeConfiguration(context.Context, *protocol.DidChangeConfigurationParams) error {
	return nil
}

// ask calls the client beside everything else; an answer that does not come holds nobody up.
func (s *Server) ask(what string, call func(context.Context) error) {
	go func() {
		if err := call(context.Background()); err != nil {
			s.log.Warn("the client refused", "what", what, "reason", err)
		}
	}()
}
