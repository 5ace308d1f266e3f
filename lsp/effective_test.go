package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowc/grammar"
)

const soundFlow = `event paid
const window = 2d
task charge() within 10s retry 4 backoff 1s

fragment pausing(how_long: duration, ended: state) {
  initial pause
  state pause {
    timeout how_long
    on timeout -> ended
  }
}

flow sound {
  initial waiting
  state waiting {
    timeout window
    on paid -> charging
    on timeout -> resting
  }
  state charging {
    timeout 1h
    do charge()
    on completed -> done
    on error -> resting
    on timeout -> resting
  }
  use pausing(how_long: 3d, ended: done) as resting
  final done
}
`

// declarations gives the offset of the name of every flow and every state of a text.
func declarations(text string) []int {
	var all []int
	grammar.Parse("a.flow", []byte(text)).Inspect(func(n grammar.Node) bool {
		var id *grammar.Ident
		switch n := n.(type) {
		case *grammar.FlowDecl:
			id = n.Name
		case *grammar.State:
			id = n.Name
		case *grammar.Parallel:
			id = n.Name
		case *grammar.Region:
			id = n.Name
		}
		if id != nil {
			all = append(all, id.Span().Start)
		}
		return true
	})
	return all
}

func hoverText(s *Session, file string, offset int) string {
	if h := s.Snapshot().Hover(file, offset); h != nil {
		return h.Text
	}
	return ""
}

func opened(text string) *Session {
	s := NewSession(Options{})
	s.Open("a.flow", 1, text)
	return s
}

func retype(t *testing.T, s *Session, version int32, text string) {
	t.Helper()
	if err := s.Change("a.flow", version, UTF8, []Change{{Text: text}}); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenNeighbours holds what hover says of a flow and its states when another flow of the file is broken, as flows are while
// they are typed, to what it says when none is.
func TestBrokenNeighbours(t *testing.T) {
	neighbours := []string{
		"flow broken {\n  initial nowhere\n  final end\n}\n",
		"flow broken {\n  initial open\n  state open {\n    timeout window\n    on timeout -> \n",
		"flow broken {\n  initial open\n  state open {\n    on paid -> \"\n  }\n}\n",
		"flow broken {\n  initial open\n  state open { on p",
		"flow broken {",
		"flow ",
		"test \"t\" {\n  start sound()\n  expect state nowhere\n}\n",
		"const wrong: int = \"text\"\n",
		"event paid2(x: nothing)\n",
	}
	good := opened(soundFlow)
	places := declarations(soundFlow)
	if got := hoverText(good, "a.flow", places[1]); !strings.Contains(got, "Latest end") {
		t.Fatalf("the flow without a neighbour is described as\n%s", got)
	}
	for _, neighbour := range neighbours {
		s := opened(soundFlow + "\n" + neighbour)
		for _, at := range places {
			want, got := hoverText(good, "a.flow", at), hoverText(s, "a.flow", at)
			if got != want {
				t.Errorf("beside %q hovering %q gives\n%s\nnot\n%s", neighbour, soundFlow[at:at+8], got, want)
			}
		}
	}
}

// TestBrokenNeighboursOfExamples does the same with every example.
func TestBrokenNeighboursOfExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.flow")
	if err != nil || len(files) < 13 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		good, s := NewSession(Options{}), NewSession(Options{})
		good.Open(name, 1, string(text))
		s.Open(name, 1, string(text)+"\nflow a_broken_one {\n  initial open\n  state open {\n    on ")
		for _, at := range declarations(string(text)) {
			if want, got := hoverText(good, name, at), hoverText(s, name, at); got != want {
				t.Errorf("%s: hovering %.20q gives\n%s\nnot\n%s", name, text[at:], got, want)
			}
		}
	}
}

// TestHoverStandsMissingLines takes every line out of every example, and hovers over all that is left.
func TestHoverStandsMissingLines(t *testing.T) {
	files, err := filepath.Glob("../examples/*.flow")
	if err != nil || len(files) < 13 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.SplitAfter(string(text), "\n")
		tests := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, "test ") })
		for i := range all[:tests] {
			if strings.TrimSpace(all[i]) == "" || strings.HasPrefix(strings.TrimSpace(all[i]), "//") {
				continue
			}
			left := strings.Join(all[:i], "") + strings.Join(all[i+1:tests], "")
			s := NewSession(Options{})
			s.Open(name, 1, left)
			for _, at := range declarations(left) {
				if got := hoverText(s, name, at); strings.Contains(got, wasGood) {
					t.Fatalf("%s without %q remembers what it never was", name, all[i])
				}
			}
		}
	}
}

// TestNoNumbersOutOfMistakes holds that a flow says nothing about its time that rests on something wrong, be it in the flow or in
// what it mentions.
func TestNoNumbersOutOfMistakes(t *testing.T) {
	mistakes := map[string]string{ // by what is replaced
		"timeout window":          "timeout windo",
		"const window = 2d":       "const window = 2 d",
		"within 10s retry 4":      "within 10s retry many",
		"timeout how_long":        "timeout how_lon",
		"    on paid -> charging": "    on paid ->",
		"-> done\n    on error":   "-> don\n    on error",
	}
	flow := strings.Index(soundFlow, "flow sound") + len("flow ")
	for from, to := range mistakes {
		text := strings.Replace(soundFlow, from, to, 1)
		at := strings.Index(text, "flow sound") + len("flow ")
		if got := hoverText(opened(text), "a.flow", at); strings.Contains(got, "atest end") || got == "" {
			t.Errorf("with %q hovering the flow gives\n%s", to, got)
		}
		s := opened(soundFlow)
		before := hoverText(s, "a.flow", flow)
		retype(t, s, 2, text)
		code, numbers, _ := strings.Cut(before, "\n\n")
		if got, want := hoverText(s, "a.flow", at), code+"\n\n"+wasGood+"\n\n"+numbers; got != want {
			t.Errorf("after %q was typed hovering the flow gives\n%s\nnot\n%s", to, got, want)
		}
	}
}

// TestLastGoodNumbers types in a flow: while it is broken its last good numbers stay, marked, through several changes, and when it is
// good again the new ones are there.
func TestLastGoodNumbers(t *testing.T) {
	s := opened(soundFlow)
	state := strings.Index(soundFlow, "state waiting") + len("state ")
	if got := hoverText(s, "a.flow", state); !strings.Contains(got, "- stays at most 2d") || strings.Contains(got, wasGood) {
		t.Fatalf("the good state is described as\n%s", got)
	}
	for i, typed := range []string{"", "5", "5 ", "5h +", "5h + 1"} {
		retype(t, s, int32(i+2), strings.Replace(soundFlow, "timeout window", "timeout "+typed, 1))
		if got := hoverText(s, "a.flow", state); !strings.Contains(got, wasGood+"\n\n- stays at most 2d") {
			t.Errorf("after %q the state is described as\n%s", typed, got)
		}
	}
	s.Open("b.flow", 1, "event elsewhere\n")
	if got := hoverText(s, "a.flow", state); !strings.Contains(got, wasGood) {
		t.Errorf("with another buffer open the state is described as\n%s", got)
	}
	retype(t, s, 9, strings.Replace(soundFlow, "timeout window", "timeout 5h + 1h", 1))
	if got := hoverText(s, "a.flow", state); !strings.Contains(got, "- stays at most 6h") || strings.Contains(got, wasGood) {
		t.Errorf("the mended state is described as\n%s", got)
	}
}

// TestMemoryHoldsOnlyFlowsThatAreThere types the name of a flow, and closes its buffer.
func TestMemoryHoldsOnlyFlowsThatAreThere(t *testing.T) {
	s := opened(soundFlow)
	at := strings.Index(soundFlow, "flow sound") + len("flow ")
	for i := range 40 {
		hoverText(s, "a.flow", at)
		retype(t, s, int32(i+2), strings.Replace(soundFlow, "flow sound", "flow sound"+strings.Repeat("x", i), 1))
	}
	if n := len(s.Snapshot().last); n != 1 {
		t.Errorf("%d flows are remembered, not 1", n)
	}
	s.Close("a.flow")
	if n := len(s.Snapshot().last); n != 0 {
		t.Errorf("%d flows are remembered of a buffer that is closed", n)
	}
}
