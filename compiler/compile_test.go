package compiler_test

import (
	"slices"
	"strings"
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// compile compiles one flow of a source.
func compile(t *testing.T, files map[string]string, main, flow string) (*program.Program, *program.Source) {
	t.Helper()
	r := check(t, files, main)
	for _, f := range r.Model.Flows {
		if f.Name == flow {
			p, src, err := compiler.Compile(r.Model, f)
			if err != nil {
				t.Fatal(err)
			}
			texts(r, src)
			return p, src
		}
	}
	t.Fatalf("there is no flow %s", flow)
	return nil, nil
}

const declarations = `event go
event stop(why: string)
task work(n: int) -> (score: int)
`

const body = `flow main(n: int) -> (m: int) {
  data { m: int = 0 }
  timeout 1d
  on timeout -> done
  on stop -> done { note event.why }
  initial busy
  state busy {
    do work(n: n)
    on completed -> done { m = twice(event.score) }
    on error, go -> done
  }
  final done
}
`

func hash(t *testing.T, files map[string]string) string {
	t.Helper()
	p, _ := compile(t, files, "main.flow", "main")
	return program.Hash(p)
}

func TestR60TheHashIsThatOfCodeAndNames(t *testing.T) {
	fn := "fn twice(n: int) -> int = n * 2\n"
	want := hash(t, map[string]string{"main.flow": declarations + fn + body})
	other := "event unrelated\nfn unused(n: int) -> int = n\nflow aside { timeout 1d on timeout -> done initial s state s { on unrelated -> done } final done }\n"
	same := map[string]map[string]string{
		"other order":        {"main.flow": body + fn + declarations},
		"comments and lines": {"main.flow": "// A comment.\n\n" + declarations + fn + strings.ReplaceAll(body, "\n", "\n\n")},
		"other declarations": {"main.flow": other + declarations + fn + body},
		"another file":       {"main.flow": "import \"lib.flow\"\n" + body, "lib.flow": declarations + fn},
		"two imports":        {"main.flow": "import \"b.flow\"\nimport \"a.flow\"\n" + body, "a.flow": declarations, "b.flow": fn},
	}
	for name, files := range same {
		if got := hash(t, files); got != want {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, text := range map[string]string{
		"a constant":   strings.Replace(body, "1d", "2d", 1),
		"a state":      strings.ReplaceAll(body, "busy", "lazy"),
		"a target":     strings.Replace(body, "-> done { note", "-> self { note", 1),
		"a data field": strings.ReplaceAll(strings.ReplaceAll(body, "m: int", "k: int"), "m = twice", "k = twice"),
	} {
		if hash(t, map[string]string{"main.flow": declarations + fn + text}) == want {
			t.Errorf("%s is another one, and the hash is the same", name)
		}
	}
	if len(want) != 64 {
		t.Errorf("hash %q", want)
	}
}

const reaching = `event go
flow by_invoke { timeout 1d on timeout -> done initial s state s { on go -> done } final done }
flow by_start { timeout 1d on timeout -> done initial s state s { on go -> done } final done }
flow by_call { timeout 1d on timeout -> done initial s state s { entry { start by_start } on go -> done } final done }
flow by_send { timeout 1d on timeout -> done initial s state s { on go -> done } final done }
flow main {
  timeout 9d
  on timeout -> done
  initial a
  state a { invoke by_invoke on completed when event.outcome == outcome.success -> b on completed -> b on error -> done }
  state b {
    run {
      call by_call
      call main
      send go to by_send["k"]
    }
    on completed, error -> done
  }
  final done
}
`

func TestAProgramHoldsTheFlowsThatItsFlowReaches(t *testing.T) {
	p, src := compile(t, map[string]string{"main.flow": reaching}, "main.flow", "main")
	var names []string
	for _, f := range p.Flows {
		names = append(names, f.Name)
	}
	if want := []string{"main", "by_invoke", "by_call", "by_start"}; !slices.Equal(names, want) || p.Flow != "main" {
		t.Errorf("got %v, want %v", names, want)
	}
	if len(src.Flows) != len(p.Flows) || len(src.Codes) != len(p.Codes) {
		t.Errorf("places of %d flows and %d codes", len(src.Flows), len(src.Codes))
	}
	for i, f := range p.Flows {
		if len(src.Flows[i].States) != len(f.States) {
			t.Errorf("flow %s: places of %d states", f.Name, len(src.Flows[i].States))
		}
	}
}

const refusing = `event a(n: int)
event b(n: int)
flow main {
  data { n: int = 0 }
  timeout 9d
  on timeout -> done
  initial s
  state s {
    on a when event.n > 1 { refuse "always" }
    on a when n > 1 { if event.n > 1 { refuse "one" } else { refuse "other" } }
    on a { if event.n > 1 { refuse "one" } }
    on b when event.actor == null and n > 2 -> done { n = 1 }
    on b -> done
  }
  final done
}
`

func TestHandlersSayWhetherTheyRefuseAndWhatTheirGuardsRead(t *testing.T) {
	p, _ := compile(t, map[string]string{"main.flow": refusing}, "main.flow", "main")
	want := []struct{ payload, refuses bool }{{true, true}, {false, true}, {false, false}, {true, false}, {false, false}}
	for i, h := range p.Flows[0].States[1].Handlers {
		if h.PayloadGuard != want[i].payload || h.RefuseOnly != want[i].refuses {
			t.Errorf("handler %d: payload %t, refuses %t", i, h.PayloadGuard, h.RefuseOnly)
		}
	}
}

const timers = `event go
flow main {
  timeout 9d
  on timeout -> done
  initial s
  state s {
    timeout 8d
    after 1h {}
    after 2h as after3 {}
    after 3h {}
    every 1h {}
    at time("2027-01-01T00:00:00Z") {}
    every day at "09:00" in "UTC" {}
    idle 7d
    on expired -> done
    on go -> done
  }
  final done
}
`

func TestTimersWithoutANameGetOneByTheirPlace(t *testing.T) {
	p, _ := compile(t, map[string]string{"main.flow": timers}, "main.flow", "main")
	var names []string
	for _, timer := range p.Flows[0].States[1].Timers {
		names = append(names, timer.Name)
	}
	want := []string{"timeout", "after1", "after3", "after3_", "every1", "at1", "every2", "idle"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// Workers and senders know tasks and events by their names, so two of one name cannot be in one program. The checker names those
// of imports apart; files that are checked together may still declare the same name.
func TestTwoEventsOfOneNameAreNoProgram(t *testing.T) {
	handler := func(e *model.Event) *model.Handler {
		return &model.Handler{Triggers: []model.Trigger{{Event: e}}}
	}
	one := &model.Event{Name: "go", Payload: &value.Decl{Name: "go"}}
	same := &model.Event{Name: "go", Payload: &value.Decl{Name: "go"}}
	other := &model.Event{Name: "go", Payload: &value.Decl{Name: "go", Fields: []value.Field{{Name: "n", Type: value.TypeInt}}}}
	for _, c := range []struct {
		second *model.Event
		ok     bool
	}{{same, true}, {other, false}} {
		root := &model.State{Parent: -1, Initial: -1, Handlers: []*model.Handler{handler(one), handler(c.second)}}
		f := &model.Flow{Name: "main", States: []*model.State{root}}
		m := &model.Program{Files: []string{"main.flow"}, Flows: []*model.Flow{f}}
		p, _, err := compiler.Compile(m, f)
		if c.ok && (err != nil || len(p.Events) != 1) || !c.ok && err == nil {
			t.Errorf("%+v: %v", c.second, err)
		}
	}
}
