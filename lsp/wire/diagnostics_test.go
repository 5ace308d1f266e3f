package wire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.lsp.dev/uri"
)

const mistaken = "const unused = 1\nevent go\nflow f {\n  initial a\n  state a {\n    timeout 1d\n    on goo -> b\n    on timeout -> b\n    on timeout -> b\n  }\n  final b\n}\n"

type published struct {
	URI         string    `json:"uri"`
	Version     *int      `json:"version"`
	Diagnostics []problem `json:"diagnostics"`
}

type problem struct {
	Range    json.RawMessage `json:"range"`
	Severity int             `json:"severity"`
	Code     string          `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Tags     []int           `json:"tags"`
	Related  []object        `json:"relatedInformation"`
}

func (p *peer) publication() published {
	p.t.Helper()
	m := p.note()
	var out published
	if err := json.Unmarshal(m.Params, &out); err != nil || m.Method != "textDocument/publishDiagnostics" {
		p.t.Fatalf("got %s %s: %v", m.Method, m.Params, err)
	}
	return out
}

func find(all []problem, code string) *problem {
	for i := range all {
		if all[i].Code == code {
			return &all[i]
		}
	}
	return nil
}

func TestPushWhereTheClientCannotPull(t *testing.T) {
	p := connect(t)
	if c := p.start(pushes)["capabilities"].(object); c["diagnosticProvider"] != nil {
		t.Errorf("pulling is offered to a client that cannot: %v", c["diagnosticProvider"])
	}
	p.open(mistaken)
	got := p.publication()
	if got.URI != fileURI || got.Version == nil || *got.Version != 1 {
		t.Errorf("published for %s at %v", got.URI, got.Version)
	}
	if d := find(got.Diagnostics, "unknown-event"); d == nil || d.Severity != 1 || d.Source != "flowc" || string(d.Range) != `{"start":{"line":6,"character":7},"end":{"line":6,"character":10}}` {
		t.Errorf("unknown-event is %+v", d)
	}
	if d := find(got.Diagnostics, "unused-constant"); d == nil || len(d.Tags) != 1 || d.Tags[0] != 1 {
		t.Errorf("unused-constant is %+v", d)
	}
	if d := find(got.Diagnostics, "shadowed-handler"); d == nil || len(d.Related) == 0 {
		t.Errorf("shadowed-handler is %+v", d)
	}
	p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": 2}, "contentChanges": []object{{"text": "event x\n"}}})
	for {
		got = p.publication()
		if *got.Version == 2 {
			break
		}
	}
	if len(got.Diagnostics) != 0 {
		t.Errorf("a library has %v", got.Diagnostics)
	}
	p.notify("textDocument/didClose", ofFile())
	if got = p.publication(); len(got.Diagnostics) != 0 || got.Version != nil {
		t.Errorf("closing publishes %+v", got)
	}
}

func TestPullNeverPushes(t *testing.T) {
	p := connect(t)
	if c := p.start(pulls)["capabilities"].(object); c["diagnosticProvider"] == nil {
		t.Error("pulling is not offered to a client that can")
	}
	p.open(mistaken)
	var report struct {
		Kind     string    `json:"kind"`
		ResultID string    `json:"resultId"`
		Items    []problem `json:"items"`
	}
	p.call("textDocument/diagnostic", ofFile(), &report)
	if report.Kind != "full" || find(report.Items, "unknown-event") == nil {
		t.Errorf("got %+v", report)
	}
	again := ofFile()
	again["previousResultId"] = report.ResultID
	report.Items = nil
	p.call("textDocument/diagnostic", again, &report)
	if report.Kind != "unchanged" || report.Items != nil {
		t.Errorf("the second time got %+v", report)
	}
	var all struct {
		Items []struct {
			Kind    string `json:"kind"`
			URI     string `json:"uri"`
			Version *int   `json:"version"`
		} `json:"items"`
	}
	p.call("workspace/diagnostic", object{"previousResultIds": []object{{"uri": fileURI, "value": report.ResultID}}}, &all)
	if len(all.Items) != 1 || all.Items[0].Kind != "unchanged" || all.Items[0].Version == nil {
		t.Errorf("of the workspace got %+v", all)
	}
	p.call("shutdown", nil, nil)
	if len(p.notes) != 0 {
		m := <-p.notes
		t.Errorf("the server pushed %s %s", m.Method, m.Params)
	}
}

// TestUnsavedBuffersOverlayTheDisk imports a file of which the editor has a newer text.
func TestUnsavedBuffersOverlayTheDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return string(uri.File(path))
	}
	lib := write("lib.flow", "\ufeffevent go\n")
	main := write("a.flow", "")
	text := "import \"lib.flow\"\nflow f {\n  initial a\n  state a {\n    timeout 1d\n    on come -> b\n    on timeout -> b\n  }\n  final b\n}\n"
	p := connect(t)
	p.start(pulls)
	p.openAs(main, text)
	ask := func() []problem {
		var report struct {
			Items []problem `json:"items"`
		}
		p.call("textDocument/diagnostic", object{"textDocument": object{"uri": main}}, &report)
		return report.Items
	}
	if find(ask(), "unknown-event") == nil {
		t.Error("the file on the disk does not declare the event")
	}
	p.openAs(lib, "event come\n")
	if got := ask(); len(got) != 0 {
		t.Errorf("the unsaved buffer does: %v", got)
	}
	p.notify("textDocument/didClose", object{"textDocument": object{"uri": lib}})
	if find(ask(), "unknown-event") == nil {
		t.Error("the buffer is closed, and the disk counts again")
	}
	write("lib.flow", "event come\n")
	p.notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": lib, "type": 2}}})
	if got := ask(); len(got) != 0 {
		t.Errorf("after a change on the disk: %v", got)
	}
}
