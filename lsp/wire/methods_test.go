package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

const worked = `// Money.
const window = 2d
const longer = window + 1d

enum tier { gold, silver }

event paid(reference: string)

task charge(id: string) -> (receipt: string) within 30s retry 4 backoff 2s..1m

fn either(first: int, second: int) -> int = max(first, second)

flow child(n: int) {
  initial a
  state a {
    timeout longer
    on timeout -> b
  }
  final b
}

flow order(id: string, t: tier) -> (receipt: string?) {
  data {
    receipt: string?
    n: int = either(1, 2)
  }
  initial waiting

  state waiting {
    timeout window
    on paid -> charging
    on timeout -> done
  }
  state charging {
    do charge(id: id)
    on completed -> over { receipt = event.receipt }
    on error -> done
  }
  state over {
    invoke child(n: n)
    on completed -> done
    on error -> done
  }
  final done
}

test "paid" {
  start order(id: "A", t: tier.gold)
  send paid(reference: "r")
  expect state charging
}

test "wrong" {
  start order(id: "A", t: tier.gold)
  expect state charging
}
`

// whereIs gives the position of the nth place (from 0) of some letters.
func whereIs(t *testing.T, letters string, nth int) object {
	t.Helper()
	at := -1
	for range nth + 1 {
		i := strings.Index(worked[at+1:], letters)
		if i < 0 {
			t.Fatalf("there is no %q", letters)
		}
		at += 1 + i
	}
	line := strings.Count(worked[:at], "\n")
	return position(line, at-strings.LastIndex(worked[:at], "\n")-1)
}

// TestMethods calls every method that the server offers; the answers' contents are the marker tests' matter.
func TestMethods(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open(worked)
	place := func(letters string, nth int, more ...any) object {
		o := object{"textDocument": object{"uri": fileURI}, "position": whereIs(t, letters, nth)}
		for i := 0; i+1 < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	all := object{"textDocument": object{"uri": fileURI}, "range": object{"start": position(0, 0), "end": position(99, 0)}, "options": object{"tabSize": 2, "insertSpaces": true}, "context": object{"diagnostics": []any{}}}
	for _, test := range []struct {
		method string
		params object
		want   string // part of the answer
	}{
		{"textDocument/hover", place("window", 1), "172,800 seconds"},
		{"textDocument/hover", place("charge", 1), "At most 5 attempts of at most 30s each"},
		{"textDocument/completion", place("charging", 0), `"label":"waiting"`},
		{"textDocument/signatureHelp", place("1, 2", 0), `"label":"either(first: int, second: int)"`},
		{"textDocument/declaration", place("charging", 0), `"line":33`},
		{"textDocument/definition", place("charging", 0), `"line":33`},
		{"textDocument/typeDefinition", place("t: tier", 0), `"line":4`},
		{"textDocument/references", place("window", 0, "context", object{"includeDeclaration": true}), `"line":29`},
		{"textDocument/documentHighlight", place("receipt", 2), `"kind":3`},
		{"textDocument/documentSymbol", ofFile(), `"name":"charging"`},
		{"workspace/symbol", object{"query": "wndw"}, `"name":"window"`},
		{"textDocument/codeAction", all, `[]`},
		{"textDocument/codeLens", ofFile(), `"command":"flowc.runTest"`},
		{"textDocument/documentLink", ofFile(), `[]`},
		{"textDocument/formatting", all, `[]`},
		{"textDocument/rangeFormatting", all, `[]`},
		{"textDocument/onTypeFormatting", place("}", 0, "ch", "}", "options", object{"tabSize": 2, "insertSpaces": true}), `[]`},
		{"textDocument/prepareRename", place("window", 0), `"placeholder":"window"`},
		{"textDocument/rename", place("window", 0, "newName", "span"), `"documentChanges"`},
		{"textDocument/foldingRange", ofFile(), `"startLine":12`},
		{"textDocument/selectionRange", object{"textDocument": object{"uri": fileURI}, "positions": []object{whereIs(t, "charging", 0)}}, `"parent"`},
		{"textDocument/prepareCallHierarchy", place("child", 0), `"name":"child"`},
		{"textDocument/inlayHint", all, `"label":"= 3d"`},
		{"textDocument/semanticTokens/full", ofFile(), `"resultId":"1"`},
		{"textDocument/semanticTokens/full/delta", object{"textDocument": object{"uri": fileURI}, "previousResultId": "1"}, `"edits":[]`},
		{"textDocument/semanticTokens/range", all, `"data":[`},
		{"textDocument/diagnostic", ofFile(), `"kind":"full"`},
		{"workspace/diagnostic", object{"previousResultIds": []any{}}, `"kind":"full"`},
	} {
		m := p.call(test.method, test.params, nil)
		if m.Error != nil || !strings.Contains(string(m.Result), test.want) {
			t.Errorf("%s gives %s %+v, which lacks %s", test.method, m.Result, m.Error, test.want)
		}
	}
}

func TestNothingIsNull(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("\n")
	for _, method := range []string{"textDocument/hover", "textDocument/signatureHelp"} {
		if m := p.call(method, at(0, 0), nil); m.Error != nil || string(m.Result) != "null" {
			t.Errorf("%s gives %s, %+v", method, m.Result, m.Error)
		}
	}
	for _, method := range []string{"textDocument/definition", "textDocument/documentHighlight", "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/prepareCallHierarchy"} {
		if m := p.call(method, at(0, 0), nil); m.Error != nil || string(m.Result) != "[]" {
			t.Errorf("%s gives %s, %+v", method, m.Result, m.Error)
		}
	}
}

func TestCompletionResolves(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("// All of it.\nevent paid\nflow f {\n  initial a\n  state a { on  }\n}\n")
	var list struct {
		Items []map[string]any `json:"items"`
	}
	p.call("textDocument/completion", at(4, 15), &list)
	if len(list.Items) == 0 || list.Items[0]["label"] != "paid" || list.Items[0]["documentation"] != nil {
		t.Fatalf("got %v", list.Items)
	}
	var item map[string]any
	p.call("completionItem/resolve", list.Items[0], &item)
	if doc, _ := item["documentation"].(object); doc["value"] != "All of it." {
		t.Errorf("resolved to %v", item)
	}
	p.call("textDocument/completion", at(0, 0), nil)
	p.call("completionItem/resolve", list.Items[0], &item) // of an older list
	if item["label"] != "paid" {
		t.Errorf("an old item became %v", item)
	}
}

func TestSnippetsOnlyForClientsThatKnowThem(t *testing.T) {
	for capabilities, want := range map[string]string{pulls: "timeout ${1:1d}", pullsUTF8: "timeout"} {
		p := connect(t)
		p.start(capabilities)
		p.open("flow f {\n  \n}\n")
		var list struct {
			Items []struct {
				Label    string
				TextEdit struct{ NewText string }
			}
		}
		p.call("textDocument/completion", at(1, 2), &list)
		found := false
		for _, i := range list.Items {
			found = found || i.Label == "timeout" && i.TextEdit.NewText == want
		}
		if !found {
			t.Errorf("no %q in %v", want, list.Items)
		}
	}
}

func TestRenameIsRefusedWithAReason(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open(worked)
	for newName, want := range map[string]string{"charging": "cannot be called", "7up": "is no name", "null": "word of the language"} {
		params := object{"textDocument": object{"uri": fileURI}, "position": whereIs(t, "waiting", 0), "newName": newName}
		if m := p.call("textDocument/rename", params, nil); m.Error == nil || !strings.Contains(m.Error.Message, want) {
			t.Errorf("renaming to %s gives %s %+v", newName, m.Result, m.Error)
		}
	}
	if m := p.call("textDocument/prepareRename", object{"textDocument": object{"uri": fileURI}, "position": position(0, 1)}, nil); m.Error == nil {
		t.Errorf("a comment can be renamed: %s", m.Result)
	}
}

// TestRenamedFilesKeepTheirImports renames a library and the folder of a file that imports it.
func TestRenamedFilesKeepTheirImports(t *testing.T) {
	p := connect(t)
	p.start(`{"textDocument":{"diagnostic":{}}}`)
	p.openAs("file:///w/lib.flow", "event go\n")
	p.openAs("file:///w/a.flow", "import \"lib.flow\"\n")
	p.openAs("file:///w/in/b.flow", "import \"../lib.flow\"\nimport \"c.flow\"\n")
	p.openAs("file:///w/in/c.flow", "event x\n")
	var edit struct {
		Changes map[string][]struct{ NewText string }
	}
	rename := func(from, to string) string {
		edit.Changes = nil
		p.call("workspace/willRenameFiles", object{"files": []object{{"oldUri": from, "newUri": to}}}, &edit)
		return encoded(t, edit.Changes)
	}
	if got := rename("file:///w/lib.flow", "file:///w/common/all.flow"); got != `{"file:///w/a.flow":[{"NewText":"common/all.flow"}],"file:///w/in/b.flow":[{"NewText":"../common/all.flow"}]}` {
		t.Errorf("a renamed library changes %s", got)
	}
	if got := rename("file:///w/in", "file:///w/deep/in"); got != `{"file:///w/in/b.flow":[{"NewText":"../../lib.flow"}]}` {
		t.Errorf("a renamed folder changes %s", got)
	}
}

// TestTypingABraceFormatsItsBlock types the end of a badly written state.
func TestTypingABraceFormatsItsBlock(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("event   go\nflow f {\n  initial a\n  state a {\ntimeout  1d\n  }\n}\n")
	var edits []struct {
		Range   struct{ Start struct{ Line int } }
		NewText string
	}
	p.call("textDocument/onTypeFormatting", object{"textDocument": object{"uri": fileURI}, "position": position(5, 3), "ch": "}", "options": object{"tabSize": 2, "insertSpaces": true}}, &edits)
	if len(edits) != 1 || edits[0].NewText != "    timeout 1d\n" || edits[0].Range.Start.Line != 4 {
		t.Errorf("got %+v", edits)
	}
}

// TestTokensDelta edits a text and applies the delta to the numbers from before.
func TestTokensDelta(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open(worked)
	var before struct {
		ResultID string
		Data     []uint32
	}
	p.call("textDocument/semanticTokens/full", ofFile(), &before)
	p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": 2}, "contentChanges": []object{
		{"range": object{"start": whereIs(t, "event paid", 0), "end": whereIs(t, "event paid", 0)}, "text": "event cancelled\n"}}})
	var delta struct {
		ResultID string
		Edits    []struct {
			Start, DeleteCount int
			Data               []uint32
		}
	}
	p.call("textDocument/semanticTokens/full/delta", object{"textDocument": object{"uri": fileURI}, "previousResultId": before.ResultID}, &delta)
	if len(delta.Edits) != 1 || len(delta.Edits[0].Data) > 20 {
		t.Fatalf("got %+v", delta)
	}
	e := delta.Edits[0]
	patched := append(append(append([]uint32{}, before.Data[:e.Start]...), e.Data...), before.Data[e.Start+e.DeleteCount:]...)
	var after struct{ Data []uint32 }
	p.call("textDocument/semanticTokens/full", ofFile(), &after)
	if encoded(t, patched) != encoded(t, after.Data) {
		t.Error("the delta does not lead to the tokens of the new text")
	}
}

func TestRunTestCommand(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open(worked)
	var outcomes []struct {
		Name    string
		Passed  bool
		Message string
		Range   json.RawMessage
	}
	p.call("workspace/executeCommand", object{"command": "flowc.runTest", "arguments": []any{fileURI}}, &outcomes)
	if len(outcomes) != 2 || !outcomes[0].Passed || outcomes[1].Passed || outcomes[1].Message == "" || outcomes[1].Range == nil {
		t.Errorf("got %+v", outcomes)
	}
	if m := p.note(); m.Method != "window/showMessage" || !strings.Contains(string(m.Params), "1 passed, 1 failed") {
		t.Errorf("got %s %s", m.Method, m.Params)
	}
	p.call("workspace/executeCommand", object{"command": "flowc.runTest", "arguments": []any{fileURI, "paid"}}, &outcomes)
	if len(outcomes) != 1 || outcomes[0].Name != "paid" {
		t.Errorf("of one test got %+v", outcomes)
	}
	if m := p.call("workspace/executeCommand", object{"command": "rm"}, nil); m.Error == nil {
		t.Error("an unknown command runs")
	}
}

func TestHierarchyOverTheWire(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open(worked)
	var items []json.RawMessage
	p.call("textDocument/prepareCallHierarchy", object{"textDocument": object{"uri": fileURI}, "position": whereIs(t, "child", 0)}, &items)
	var incoming []struct{ From struct{ Name string } }
	p.call("callHierarchy/incomingCalls", object{"item": items[0]}, &incoming)
	if len(incoming) != 1 || incoming[0].From.Name != "order" {
		t.Errorf("child is called by %+v", incoming)
	}
	p.call("textDocument/prepareCallHierarchy", object{"textDocument": object{"uri": fileURI}, "position": whereIs(t, "order", 0)}, &items)
	var outgoing []struct{ To struct{ Name string } }
	p.call("callHierarchy/outgoingCalls", object{"item": items[0]}, &outgoing)
	if len(outgoing) != 1 || outgoing[0].To.Name != "child" {
		t.Errorf("order calls %+v", outgoing)
	}
}

func TestPagesOfFindings(t *testing.T) {
	p := connect(t)
	p.start(`{"textDocument":{"diagnostic":{"codeDescriptionSupport":true}},"workspace":{"textDocumentContent":{}}}`)
	p.open("flow f { initial a }\n")
	m := p.call("textDocument/diagnostic", ofFile(), nil)
	if !strings.Contains(string(m.Result), `"href":"flowc-page:/no-way-out.md"`) {
		t.Fatalf("got %s", m.Result)
	}
	m = p.call("workspace/textDocumentContent", object{"uri": "flowc-page:/no-way-out.md"}, nil)
	if m.Error != nil || !strings.Contains(string(m.Result), "no-way-out") {
		t.Errorf("got %s %+v", m.Result, m.Error)
	}
	if m = p.call("workspace/textDocumentContent", object{"uri": "flowc-page:/../secret"}, nil); m.Error == nil {
		t.Errorf("got %s", m.Result)
	}
}

func TestWatchesFilesWhereTheClientCan(t *testing.T) {
	p := connect(t)
	p.start(`{"textDocument":{"diagnostic":{}},"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":true}}}`)
	if m := p.note(); m.Method != "client/registerCapability" || !strings.Contains(string(m.Params), "**/*.flow") {
		t.Errorf("got %s %s", m.Method, m.Params)
	}
}
