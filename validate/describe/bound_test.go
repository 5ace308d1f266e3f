package describe_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowc/validate"
	"flowc/validate/describe"
	"flowc/validate/model"
)

const head = `
event go
event back
event stop
task work(n: int) -> (ok: bool)
`

// check checks a text, with the events above it.
func check(t *testing.T, text string) (*model.Program, describe.Source) {
	t.Helper()
	r := validate.CheckText("a.flow", text)
	if r.Model == nil {
		t.Fatalf("it does not check: %v\n%s", r.Findings, text)
	}
	return r.Model, func(int) []byte { return []byte(text) }
}

// boundsOf is what is said of a flow, its last one: the end, and the stays of the states named.
func boundsOf(t *testing.T, body string, states ...string) string {
	t.Helper()
	m, source := check(t, head+body)
	f := m.Flows[len(m.Flows)-1]
	out := []string{describe.LatestEnd(f, source).String()}
	for _, name := range states {
		for i, s := range f.States {
			if s.Path == name {
				out = append(out, name+" "+describe.Stay(f, i, source).String())
			}
		}
	}
	return strings.Join(out, "\n")
}

func TestLatestEnd(t *testing.T) {
	for _, c := range []struct {
		name, want string
		body       string
	}{
		{"one after the other", "3d",
			"initial a state a { timeout 1d on timeout -> b } state b { timeout 2d on go -> f on timeout -> f } final f"},
		{"the longer of two ways", "5d",
			"initial a state a { timeout 1d on go -> b on timeout -> c } state b { timeout 2d on timeout -> f } state c { timeout 4d on timeout -> f } final f"},
		{"an event alone", "unbounded: a waits for go without a timeout",
			"initial a state a { on go -> f } final f"},
		{"work alone", "unbounded: a waits for the work work without a timeout",
			"initial a state a { do work(n: 1) on completed, error -> f } final f"},
		{"a loop", "unbounded: loop a → b → a through go, back",
			"initial a state a { timeout 1d on go -> b on timeout -> f } state b { timeout 1d on back -> a on timeout -> f } final f"},
		{"a visit again", "unbounded: loop a → a through back",
			"initial a state a { timeout 1d on back -> self on timeout -> f } final f"},
		{"the flow's own timeout", "7d",
			"timeout 7d on timeout -> f initial a state a { on go -> b } state b { on back -> a } final f"},
		{"a timeout that fails the token", "7d",
			"timeout 7d initial a state a { on go -> f } final f"},
		{"clean-up after the flow's timeout", "8d",
			"timeout 7d on timeout -> tidy initial a state a { on go -> b } state b { on back -> a } state tidy { timeout 1d do work(n: 1) on completed, error, timeout -> f } final f"},
		{"clean-up after a cancel", "3d",
			"on cancel -> tidy initial a state a { timeout 2d on timeout -> f } state tidy { timeout 1d on timeout -> f } final f"},
		{"clean-up that every timeout comes to", "unbounded: the flow has a timeout that may not leave it; loop tidy → tidy through timeout",
			"timeout 7d on timeout -> tidy initial a state a { timeout 2d on go -> f } state tidy { timeout 1d on go -> f } final f"},
		{"an automatic transition takes no time", "1d",
			"initial a state a { always -> b } state b { timeout 1d on timeout -> f } final f"},
		{"a circle that no time passes in", "1d",
			"data { n: int = 0 } initial a state a { always when n < 3 -> b { n = n + 1 } always -> c } state b { always -> a } state c { timeout 1d on timeout -> f } final f"},
		{"the earlier of two timers", "2h",
			"initial a state a { timeout 1d after 2h -> f on timeout -> f } final f"},
		{"a guarded timer is none", "1d",
			"data { n: int = 0 } initial a state a { timeout 1d on go { n = 1 } after 2h when n == 0 -> f on timeout -> f } final f"},
		{"a timer without a target is none", "unbounded: a waits for go without a timeout",
			"initial a state a { after 2h { note \"still here\" } on go -> f } final f"},
		{"a timer that fails the token", "2h",
			"initial a state a { after 2h { fail \"late\" } on go -> f } final f"},
		{"a timeout that may be kept", "unbounded: a waits for go with a timeout that may not leave it",
			"data { n: int = 0 } initial a state a { timeout 1d on go -> f on timeout when n == 0 { n = 1 } on timeout -> f } final f"},
		{"a timeout with two ways out", "1d",
			"data { n: int = 0 } initial a state a { timeout 1d on go { n = 1 } on timeout when n == 0 -> f on timeout -> g } final f final g"},
		{"a timeout that is started over", "unbounded: a waits for go with a timeout that is started over",
			"initial a state a { timeout 1d on back { rearm timeout } on go, timeout -> f } final f"},
		{"a timeout that an error may swallow", "unbounded: a waits for go with a timeout that may not leave it",
			"data { n: int = 0 } initial a state a { timeout 1d on go -> f on error { note \"oh\" } on timeout -> f { n = 1 / n } } final f"},
		{"an error that cannot happen swallows nothing", "1d",
			"initial a state a { timeout 1d do work(n: 1) on completed -> f on error { note \"oh\" } on timeout -> f } final f"},
		{"an error on the way into the next state", "unbounded: a waits for go with a timeout that may not leave it",
			"data { n: int = 0 } initial a state a { timeout 1d on go -> f on error {} on timeout -> b } state b { timeout 1d entry { n = 1 / n } on timeout -> f } final f"},
		{"an error in what the end of a composite begins",
			"unbounded: a.b waits for go with a timeout that may not leave it; a.c has ended, and nothing surely takes the `completed` of a",
			"data { n: int = 0 } initial a state a { initial b on error {} on completed -> g { n = 1 / n } state b { timeout 1d on go -> c on timeout -> c } final c } final g"},
		{"an idle is no bound", "unbounded: a waits for go without a timeout",
			"initial a state a { idle 1d on go -> f on back {} on expired -> f } final f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := boundsOf(t, "flow x {\n"+c.body+"\n}"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestDataDecide(t *testing.T) {
	for _, c := range []struct{ clock, want string }{
		{"timeout 1h * n", "unbounded: a waits for go with a timeout that data decide: 1h * n"},
		{"timeout 2h from now()", "2h"},
		{"timeout 2h from entered_at", "2h"},
		{"timeout at now() + 2h", "2h"},
		{"timeout at now() + 1h * n", "unbounded: a waits for go with a timeout that data decide: at now() + 1h * n"},
		{"at entered_at + 2h -> f timeout 1d", "2h"},
		{"timeout at time(\"2030-01-01T00:00:00Z\")", "unbounded: a waits for go with a timeout at a fixed instant: at time(\"2030-01-01T00:00:00Z\")"},
		{"timeout at due", "unbounded: a waits for go with a timeout that data decide: at due"},
		{"timeout 2d from due", "unbounded: a waits for go with a timeout that data decide: 2d from due"},
	} {
		body := fmt.Sprintf("flow x(n: int, due: time) { initial a state a { %s on go, timeout -> f } final f }", c.clock)
		if got := boundsOf(t, body); got != c.want {
			t.Errorf("%s: got %s, want %s", c.clock, got, c.want)
		}
	}
}

// What `entry` always schedules bounds a leaf when nothing else touches that event and whoever takes it leaves.
func TestScheduledEvents(t *testing.T) {
	may := "unbounded: a waits for stop with a scheduled event that may not leave it"
	for _, c := range []struct{ name, state, want string }{
		{"it leads out", "entry { schedule back after 1h } on back -> f", "1h"},
		{"the sooner of two", "entry { schedule back after 1h schedule go after 30m } on back, go -> f", "30m"},
		{"it fails the token", "entry { schedule back after 1h } on back { fail \"late\" }", "1h"},
		{"both ways lead out", "entry { schedule back after 1h } on back when n > 1 -> f on back -> g", "1h"},
		{"it may be kept", "entry { schedule back after 1h } on back when n > 1 {} on back -> f", may},
		{"nothing may take it", "entry { schedule back after 1h } on back when n > 1 -> f", may},
		{"it may be refused", "entry { schedule back after 1h } on back -> f { if n > 1 { refuse \"no\" } }", may},
		{"it is not always scheduled", "entry { if n > 1 { schedule back after 1h } } on back -> f", "unbounded: a waits for stop or back without a timeout"},
		{"it may be put off", "entry { schedule back after 1h } on back -> f on go { schedule back after 2h }", may},
		{"it may be stopped", "entry { schedule back after 1h } on back -> f on go { unschedule back }", may},
		{"it may be started over", "entry { schedule back after 1h } on back -> f on go { rearm back }", may},
		{"data decide", "entry { schedule back after 1h * n } on back -> f", may},
		{"a routine may take it", "entry { schedule back after 1h } run { wait back } on back -> f on completed, error -> g", strings.Replace(may, "for stop", "for its routine (wait back) or stop", 1)},
	} {
		got := boundsOf(t, "flow x(n: int) { initial a state a { on stop -> f "+c.state+" } final f final g }")
		got = strings.NewReplacer(" or back", "", " or go", "").Replace(got)
		if want := strings.ReplaceAll(c.want, " or back", ""); got != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}

func TestComposites(t *testing.T) {
	inner := `initial b
    state b { timeout 1d on go -> c on timeout -> c }
    state c { timeout 2d on timeout -> d }
    final d`
	got := boundsOf(t, "flow x { initial a state a { "+inner+" on completed -> f } final f }", "a", "a.b", "a.c")
	if want := "3d\na 3d\na.b 1d\na.c 2d"; got != want {
		t.Errorf("without a timeout:\n%s\nwant\n%s", got, want)
	}
	got = boundsOf(t, "flow x { initial a state a { timeout 60h "+inner+" on completed, timeout -> f } final f }", "a", "a.b", "a.c")
	if want := "60h\na 60h\na.b 1d\na.c 2d"; got != want {
		t.Errorf("with a timeout:\n%s\nwant\n%s", got, want)
	}
	got = boundsOf(t, "flow x { initial a state a { "+inner+" on stop -> f } final f }", "a", "a.b")
	if want := "unbounded: a.d has ended, and nothing surely takes the `completed` of a\na unbounded: a.d has ended, and nothing surely takes the `completed` of a\na.b 1d"; got != want {
		t.Errorf("without a handler of completed:\n%s\nwant\n%s", got, want)
	}
	got = boundsOf(t, "flow x { initial a state a { "+inner+" on completed -> f on back -> c } final f }", "a")
	if want := "unbounded: loop a.c → a.c through back\na unbounded: loop a.c → a.c through back"; got != want {
		t.Errorf("with a way of its own inside:\n%s\nwant\n%s", got, want)
	}
	got = boundsOf(t, "flow x { initial a state a { history "+inner+" on completed -> f on stop -> g } state g { timeout 1h on go -> a on timeout -> f } final f }", "a", "g")
	if want := "unbounded: loop a → g → a through stop, go\na 3d\ng 1h"; got != want {
		t.Errorf("with a history:\n%s\nwant\n%s", got, want)
	}
}

func TestParallels(t *testing.T) {
	body := func(join, more string) string {
		return `flow x { initial p parallel p ` + join + ` { ` + more + `
      region r { initial a state a { timeout 1d on timeout -> b } final b }
      region s { initial c state c { timeout 3d on go -> d on timeout -> e } final d final e as failure }
      region u { initial g state g { timeout 2d on timeout -> h } state h { on stop -> i } final i }
      on joined -> f } final f }`
	}
	wait := "unbounded: p.u.h waits for stop without a timeout"
	for _, c := range []struct{ join, more, want string }{
		{"join all", "", wait},
		{"join race", "", "1d"},
		{"join any", "", "1d"}, // the region that can only succeed decides
		{"join 2", "", wait},
		{"join all", "timeout 5d on timeout -> f", "5d"},
		{"join race", "on back -> r.a", "unbounded: loop p → p through back"},
	} {
		if got := boundsOf(t, body(c.join, c.more)); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.join, c.more, got, c.want)
		}
	}
	got := boundsOf(t, body("join race", ""), "p.r", "p.r.a", "p.s.c", "p.u.h")
	if want := "1d\np.r 1d\np.r.a 1d\np.s.c 1d\np.u.h 1d"; got != want {
		t.Errorf("stays in regions:\n%s\nwant\n%s", got, want)
	}
}

func TestRoutinesAndChildren(t *testing.T) {
	child := "flow child { initial a state a { timeout 1d on timeout -> f } final f }\n"
	for _, c := range []struct{ name, work, want string }{
		{"a loop that never waits", "run { for i in range(3) { note \"{i}\" } sleep 1h }", "1h"},
		{"a sleep for as long as data say", "run { sleep until token.started_at }", "unbounded: a waits for its routine (sleep) without a timeout"},
		{"the wait that is inside", "run { if len(token.id) > 1 { try { wait { on go {} on stop {} } } catch { sleep 1h } } }", "unbounded: a waits for its routine (wait go, stop) without a timeout"},
		{"a sleep and a wait", "run { sleep 1h let e = wait go for 2h if e == null { sleep 3h } }", "6h"},
		{"a wait for many", "run { wait { on go { sleep 1h } on stop {} after 1d { sleep 2h } } }", "26h"},
		{"a wait without a limit", "run { wait go }", "unbounded: a waits for its routine (wait go) without a timeout"},
		{"a call", "run { call work(n: 1) }", "unbounded: a waits for its routine (call work) without a timeout"},
		{"a loop", "run { while true { sleep 1h } }", "unbounded: a waits for its routine (a while loop that waits) without a timeout"},
		{"a call of a flow", "run { call child() sleep 1h }", "25h"},
		{"errors that are caught", "run { try { sleep 1h } catch { sleep 2h } }", "3h"},
		{"a child", "invoke child()", "1d"},
		{"children", "invoke child() each x in [1, 2]", "1d"},
		{"children one after the other", "invoke child() each x in [1, 2] concurrency 1", "unbounded: a waits for the flow child without a timeout"},
	} {
		done := "completed"
		if strings.Contains(c.work, " each ") {
			done = "joined"
		}
		body := child + "flow x { initial a state a { " + c.work + " on " + done + " -> f on error -> f } final f }"
		if got := boundsOf(t, body); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ end, want string }{
		{"go f", "1h"}, {"fail \"no\"", "1h"}, {"if n > 1 { go f } else { go g }", "1h"},
		{"if n > 1 { go f }", "unbounded: a waits for its routine without a timeout"},
	} {
		got := boundsOf(t, "flow x(n: int) { initial a state a { run { sleep 1h "+c.end+" } on error -> f } final f final g }")
		if got != c.want {
			t.Errorf("a routine that ends with %s: got %s, want %s", c.end, got, c.want)
		}
	}
	if got := boundsOf(t, "flow x { initial a state a { invoke x() on completed, error -> f } final f }"); !strings.HasPrefix(got, "unbounded") {
		t.Errorf("a flow that invokes itself ends within %s", got)
	}
}

func TestQuickOnLargeFlows(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "flow x {\n  timeout 30d\n  on timeout -> s0\n  initial s0\n")
	const n = 2000
	for i := range n {
		fmt.Fprintf(&b, "  state s%d { initial a state a { timeout 1h on go -> b on timeout -> b } state b { timeout 1h on back -> a on timeout -> c } final c on completed -> s%d on stop -> s%d }\n", i, i+1, i/2)
	}
	fmt.Fprintf(&b, "  final s%d\n}\n", n)
	m, source := check(t, b.String())
	start := time.Now()
	describe.Flows(m.Flows, m.Files, source)
	if took, enough := time.Since(start), 30*time.Second; took > enough {
		t.Errorf("%d states took %s", 4*n, took)
	}
}

// TestEveryFlowIsDescribed runs over all flows of the examples and cases: each state has a bound or a reason, and nothing exceeds
// what is around it.
func TestEveryFlowIsDescribed(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../examples/*.flow", "../../vm/sim/testdata/*/*.flow"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 100 {
		t.Fatalf("found %d files only", len(files))
	}
	for _, file := range files {
		r := validate.Check(validate.Options{Files: []string{file}})
		if r.Model == nil {
			t.Fatalf("%s does not check: %v", file, r.Findings)
		}
		source := func(i int) []byte { return r.Sources[i].AST.Src }
		for _, f := range r.Model.Flows {
			end := describe.LatestEnd(f, source)
			for i, s := range f.States {
				b := describe.Stay(f, i, source)
				if !b.Known && len(b.Waits) == 0 && b.Loop == nil {
					t.Errorf("%s: %s has neither a bound nor a reason", file, s.Path)
				}
				if end.Known && (!b.Known || b.Micros > end.Micros) {
					t.Errorf("%s: %s may be stayed in for %s, longer than the flow for %s", file, s.Path, b, end)
				}
			}
		}
	}
}
