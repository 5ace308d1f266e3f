package wire

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// offers says which method a capability stands for.
var offers = map[string]string{
	"hoverProvider": "textDocument/hover", "completionProvider": "textDocument/completion", "signatureHelpProvider": "textDocument/signatureHelp",
	"declarationProvider": "textDocument/declaration", "definitionProvider": "textDocument/definition",
	"typeDefinitionProvider": "textDocument/typeDefinition", "implementationProvider": "textDocument/implementation",
	"referencesProvider": "textDocument/references", "documentHighlightProvider": "textDocument/documentHighlight",
	"documentSymbolProvider": "textDocument/documentSymbol", "workspaceSymbolProvider": "workspace/symbol",
	"codeActionProvider": "textDocument/codeAction", "codeLensProvider": "textDocument/codeLens",
	"documentLinkProvider": "textDocument/documentLink", "documentFormattingProvider": "textDocument/formatting",
	"documentRangeFormattingProvider": "textDocument/rangeFormatting", "documentOnTypeFormattingProvider": "textDocument/onTypeFormatting",
	"renameProvider": "textDocument/rename", "foldingRangeProvider": "textDocument/foldingRange",
	"selectionRangeProvider": "textDocument/selectionRange", "executeCommandProvider": "workspace/executeCommand",
	"callHierarchyProvider": "textDocument/prepareCallHierarchy", "linkedEditingRangeProvider": "textDocument/linkedEditingRange",
	"semanticTokensProvider": "textDocument/semanticTokens/full", "typeHierarchyProvider": "textDocument/prepareTypeHierarchy",
	"inlayHintProvider": "textDocument/inlayHint", "diagnosticProvider": "textDocument/diagnostic",
}

// asks says what a test calls that does not write a method's name itself.
var asks = map[string]string{"textDocument/publishDiagnostics": ".publication()"}

// TestEditorPage holds the table of docs/editor.md to what the server offers, and to tests that call what they are said to show.
func TestEditorPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "editor.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	ours := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\| ([●–]) \\| (?:`(Test\\w+)`)? ?\\|")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		ours[m[1]] = m[2] == "●"
		if !ours[m[1]] {
			continue
		}
		body, there := tests[m[3]]
		if !there {
			t.Errorf("the page says that %q shows %s, and there is no such test", m[3], m[1])
		} else if strings.Contains(m[1], "/") && !strings.Contains(body, `"`+m[1]) && !(asks[m[1]] != "" && strings.Contains(body, asks[m[1]])) {
			t.Errorf("the page says that %s shows %s, which it does not mention", m[3], m[1])
		}
	}
	if len(ours) < 35 {
		t.Fatalf("found %d rows", len(ours))
	}
	p := connect(t)
	offered := p.start(pulls)["capabilities"].(object)
	for capability, method := range offers {
		if says, ok := ours[method]; !ok || says != (offered[capability] != nil) {
			t.Errorf("%s is offered: %t; the page says %t (it has the row: %t)", method, offered[capability] != nil, says, ok)
		}
	}
	for _, name := range regexp.MustCompile("`((?:Test|Benchmark)\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if tests[name[1]] == "" {
			t.Errorf("the page names %s, which does not exist", name[1])
		}
	}
}

// testNames gives the tests and benchmarks of this package and the one above, each with its text.
func testNames(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, pattern := range []string{"*_test.go", filepath.Join("..", "*_test.go")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?ms)^func ((?:Test|Benchmark)\w+)\(.*?^}`).FindAllStringSubmatch(string(text), -1) {
				names[m[1]] = m[0]
			}
		}
	}
	if names["TestEditorPage"] == "" {
		t.Fatal("this test is not found")
	}
	return names
}
