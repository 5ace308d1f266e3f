package wire

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestMemoryIsFlat makes 10,000 edits and asks as an editor does; what the server keeps does not grow.
func TestMemoryIsFlat(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "examples", "order.flow"))
	if err != nil {
		t.Fatal(err)
	}
	p := connect(t)
	p.start(pulls)
	p.open(string(src))
	version := 1
	edit := func(n int) {
		for i := range n {
			version++
			change := object{"range": object{"start": position(20, 0), "end": position(20, 0)}, "text": "x"}
			if i%2 == 1 {
				change = object{"range": object{"start": position(20, 0), "end": position(20, 1)}, "text": ""}
			}
			p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": version}, "contentChanges": []object{change}})
			if i%50 == 0 {
				p.call("textDocument/diagnostic", ofFile(), nil)
				p.call("textDocument/completion", at(60, 12), nil)
				p.call("textDocument/semanticTokens/full", ofFile(), nil)
			}
		}
		p.call("textDocument/hover", at(60, 12), nil)
	}
	edit(1000)
	before := inUse()
	edit(10_000)
	after := inUse()
	t.Logf("after 1,000 edits %d KiB, after 11,000 %d KiB", before>>10, after>>10)
	if after > before+before/4+(1<<20) {
		t.Errorf("memory grew from %d KiB to %d KiB", before>>10, after>>10)
	}
}

// inUse is what is still referred to.
func inUse() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
