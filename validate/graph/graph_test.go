package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowc/validate"
	"flowc/validate/describe"
	"flowc/validate/model"
)

var update = flag.Bool("update", false, "write what comes out into the golden files")

var writers = map[string]func(io.Writer, *Graph) error{"mmd": WriteMermaid, "dot": WriteDOT, "svg": WriteSVG, "json": WriteJSON}

// drawn is a flow with its graph.
type drawn struct {
	name   string
	flow   *model.Flow
	graph  *Graph
	source describe.Source
}

// flowsOf checks files and draws the flows in them.
func flowsOf(t *testing.T, files ...string) []drawn {
	t.Helper()
	var out []drawn
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, flowsIn(t, file, string(text))...)
	}
	return out
}

// flowsIn draws the flows of a text, in the place of a file: what it imports is read from beside it.
func flowsIn(t *testing.T, file, text string) []drawn {
	t.Helper()
	r := validate.Check(validate.Options{Files: []string{file}, Loader: validate.Overlay{Open: map[string][]byte{file: []byte(text)}, Below: validate.Disk{}}})
	if r.Model == nil {
		t.Fatalf("%s does not check: %v", file, r.Findings)
	}
	source := func(i int) []byte { return r.Sources[i].AST.Src }
	var out []drawn
	for _, f := range r.Model.Flows {
		out = append(out, drawn{strings.TrimSuffix(filepath.Base(file), ".flow") + "/" + f.Name, f, Build(f, source), source})
	}
	return out
}

// allFlows are the examples, the cases of the design and those of this package.
func allFlows(t *testing.T) []drawn {
	t.Helper()
	var files []string
	for _, pattern := range []string{"testdata/*.flow", "../../examples/*.flow", "../../vm/sim/testdata/run/*.flow", "../../vm/sim/testdata/scxml/*.flow"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 100 {
		t.Fatalf("found %d files only", len(files))
	}
	return flowsOf(t, files...)
}

func write(t *testing.T, format string, g *Graph) string {
	t.Helper()
	var b bytes.Buffer
	if err := writers[format](&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	for _, d := range flowsOf(t, "testdata/nested.flow", "testdata/incident.flow") {
		for format := range writers {
			name := filepath.Join("testdata", d.graph.Flow+"."+format)
			got := write(t, format, d.graph)
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what comes out; look at the difference after go test -update", name)
			}
		}
	}
}

func TestSameEveryTime(t *testing.T) {
	for _, d := range allFlows(t) {
		for format := range writers {
			first := write(t, format, d.graph)
			if again := write(t, format, Build(d.flow, d.source)); first != again {
				t.Errorf("%s as %s differs from one time to the next", d.name, format)
			}
		}
	}
}

// TestWellFormed reads every SVG as XML and looks for what must not be in it.
func TestWellFormed(t *testing.T) {
	flows := append(allFlows(t), flowsIn(t, "nasty", nasty)...)
	for _, d := range flows {
		text := write(t, "svg", d.graph)
		dec := xml.NewDecoder(strings.NewReader(text))
		for {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", d.name, err)
				break
			}
			if el, ok := tok.(xml.StartElement); ok {
				allowed(t, d.name, el)
			}
		}
	}
}

// nasty holds text that would end an element, an attribute, a label or a line.
const nasty = "event e(text: string)\n\n// <script>alert(1)</script> & \"quoted\" ]]> %% ; --> \\N\nflow nasty {\n  initial a\n\n" +
	"  // </title><script>alert(2)</script>\n  state a {\n    timeout 1d\n" +
	"    on e when event.text == \"<script>alert(3)</script> ; --> x: \\\"y\\\" # \\{ } %% \\u{1} 漢字 \" -> b\n    on timeout -> b\n  }\n\n  final b\n}\n"

func allowed(t *testing.T, name string, el xml.StartElement) {
	t.Helper()
	switch el.Name.Local {
	case "svg", "title", "style", "defs", "marker", "g", "path", "circle", "rect", "text", "use":
	default:
		t.Errorf("%s holds an element %s", name, el.Name.Local)
	}
	for _, a := range el.Attr {
		if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") {
			t.Errorf("%s holds an attribute %s=%q", name, a.Name.Local, a.Value)
		}
	}
}

// TestEscapes looks at the formats that no parser here reads: what a file says stays inside its label.
func TestEscapes(t *testing.T) {
	d := flowsIn(t, "nasty", nasty)[0]
	for _, line := range strings.Split(write(t, "mmd", d.graph), "\n") {
		if strings.Contains(line, "alert(3)") && strings.ContainsAny(strings.SplitN(line, ": ", 2)[1], "<>\"{}") {
			t.Errorf("Mermaid reads more than a label in %s", line)
		}
	}
	dot := write(t, "dot", d.graph)
	if !strings.Contains(dot, `x: \\\"y\\\" #`) {
		t.Errorf("the quotes are not escaped in\n%s", dot)
	}
}

// TestEverythingOnce counts in all formats: every state, every transition, every timer.
func TestEverythingOnce(t *testing.T) {
	for _, d := range allFlows(t) {
		once(t, d, write(t, "svg", d.graph), "<title>%s</title>", "<title>%s: ")
		mmd, dot := write(t, "mmd", d.graph), write(t, "dot", d.graph)
		ids := identifiers(d.graph)
		for _, s := range d.graph.States[1:] {
			if n := strings.Count(mmd, fmt.Sprintf("\" as %s\n", ids[s])) + strings.Count(mmd, fmt.Sprintf("\" as %s {\n", ids[s])); n != 1 {
				t.Errorf("%s: Mermaid declares %s %d times", d.name, s.Path, n)
			}
			n := strings.Count(dot, fmt.Sprintf("  %q [label=", ids[s])) // an arrow to it has one space before
			if len(s.Children) > 0 {
				n = strings.Count(dot, fmt.Sprintf("subgraph %q {", "cluster_"+ids[s]))
			}
			if n != 1 {
				t.Errorf("%s: DOT declares %s %d times", d.name, s.Path, n)
			}
		}
		if n := strings.Count(mmd, " --> ") - strings.Count(mmd, "[*]"); n != len(d.graph.Transitions) {
			t.Errorf("%s: Mermaid has %d transitions of %d", d.name, n, len(d.graph.Transitions))
		}
		if n := strings.Count(dot, " -> ") - strings.Count(dot, `"start_`)/2; n != len(d.graph.Transitions) {
			t.Errorf("%s: DOT has %d transitions of %d", d.name, n, len(d.graph.Transitions))
		}
	}
}

// once counts the states in an SVG by their tooltips, and transitions and timers in the drawing that it was made from.
func once(t *testing.T, d drawn, svg string, titles ...string) {
	t.Helper()
	for _, s := range d.graph.States {
		if s.Kind == "region" || s.Parent == nil {
			continue // no box of its own; the flow's title is the drawing's too
		}
		n := 0
		for _, title := range titles {
			n += strings.Count(svg, fmt.Sprintf(title, s.Path))
		}
		if n != 1 {
			t.Errorf("%s: the SVG draws %s %d times", d.name, s.Path, n)
		}
	}
	w := newDrawing(d.graph)
	w.layout()
	seen := map[*Transition]int{}
	for _, a := range w.arrows {
		for _, tr := range a.transitions {
			seen[tr]++
		}
		if a.from != a.to && len(a.path) < 2 {
			t.Errorf("%s: the arrow %s has no line", d.name, a.tooltip())
		}
	}
	for _, tr := range d.graph.Transitions {
		if seen[tr] != 1 {
			t.Errorf("%s: %s → %s by %s is drawn %d times", d.name, tr.Source, tr.Target, tr.Label(), seen[tr])
		}
	}
	timers(t, d)
}

// timers counts the timers of the model in the rows of the boxes and at the arrows.
func timers(t *testing.T, d drawn) {
	t.Helper()
	for i, s := range d.flow.States {
		got := 0
		for _, l := range d.graph.States[i].Lines {
			if l.Kind == TimerLine && l.Text != "timeout never" {
				got++
			}
		}
		for _, tr := range d.graph.Transitions {
			if tr.From.Index == i && tr.Kind == ByTimer {
				got++
			}
		}
		if got != len(s.Timers) {
			t.Errorf("%s: %s has %d timers, %d are drawn", d.name, s.Path, len(s.Timers), got)
		}
	}
}

// large is a flow of n states in composites of ten, with ways onwards, back, out and to the end.
func large(n int) string {
	var b strings.Builder
	b.WriteString("event go\nevent back\nevent stop\n\nflow large {\n  timeout 30d\n  on timeout -> late\n  on stop -> stopped\n  initial g0\n")
	for g := 0; g < n/10; g++ {
		fmt.Fprintf(&b, "  state g%d {\n    initial s0\n    timeout 1d\n    on timeout -> late\n", g)
		for i := range 9 {
			fmt.Fprintf(&b, "    state s%d {\n      on go -> s%d\n      on back -> s%d\n      on stop -> stopped\n    }\n", i, i+1, max(0, i-3))
		}
		fmt.Fprintf(&b, "    state s9 {\n      on go -> g%d\n      on back -> g%d.s4\n    }\n  }\n", min(g+1, n/10-1), g/2)
	}
	b.WriteString("  final late as failure\n  final stopped as cancelled\n}\n")
	return b.String()
}

// chain is a flow of n states in a row, each with a way to the same end.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("event go\n\nflow chain {\n  initial s0\n")
	for i := range n {
		fmt.Fprintf(&b, "  state s%d {\n    timeout 1d\n    on go -> s%d\n    on timeout -> late\n  }\n", i, i+1)
	}
	fmt.Fprintf(&b, "  final s%d\n  final late as failure\n}\n", n)
	return b.String()
}

func TestLargeFlowsAreDrawnQuickly(t *testing.T) {
	const enough = 20 * time.Second // a hundredth of it is usual; the machine may be busy
	for _, text := range []string{large(500), chain(500)} {
		d := flowsIn(t, "large", text)[0]
		start := time.Now()
		for format := range writers {
			write(t, format, d.graph)
		}
		if took := time.Since(start); took > enough {
			t.Errorf("%s took %s", d.name, took)
		}
	}
}

func BenchmarkSVG(b *testing.B) {
	r := validate.CheckText("large.flow", large(500))
	if r.Model == nil {
		b.Fatal(r.Findings)
	}
	g := Build(r.Model.Flows[0], nil)
	for b.Loop() {
		if err := WriteSVG(io.Discard, g); err != nil {
			b.Fatal(err)
		}
	}
}
