package validate_test

import (
	"slices"
	"strings"
	"testing"

	"flowc/validate"
	"flowc/validate/model"
)

const libText = `// What several files share.
enum tier { gold, silver }
type item { sku: string, level: tier }
event go(level: tier)
event unused_here
task charge(it: item) -> (ok: bool)
const sla = 4h
fn best(a: item) -> bool = a.level == tier.gold
fragment waiting(next: state) {
  timeout sla
  initial one
  on timeout -> next
  state one { on go when event.level == tier.gold -> next }
}
`

const userText = `import "lib.flow" as lib
event stop
flow main(it: lib.item) -> (seen: lib.tier) {
  data { seen: lib.tier = lib.tier.gold }
  timeout lib.sla * 100
  on timeout -> late
  on error -> late
  on stop -> late
  initial open
  use lib.waiting(next: working) as open
  state working {
    do lib.charge(it: it)
    on completed when lib.best(it) -> done { seen = it.level }
    on completed -> late
    on lib.go -> done { seen = event.level }
  }
  final done
  final late as failure
}
`

func check(files map[string]string, names ...string) *validate.Result {
	return validate.Check(validate.Options{Files: names, Loader: validate.Map(files)})
}

func ids(r *validate.Result) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.File+": "+string(f.ID))
	}
	return out
}

func TestNamesBehindAnImport(t *testing.T) {
	r := check(map[string]string{"a/main.flow": userText, "a/lib.flow": libText}, "a/main.flow")
	if !r.OK() || len(r.Findings) > 0 {
		t.Fatal(texts(r))
	}
	var names []string
	for _, e := range r.Model.Events {
		names = append(names, e.Name)
	}
	if want := []string{"stop", "lib.go", "lib.unused_here"}; !slices.Equal(names, want) {
		t.Errorf("events %q, want %q", names, want)
	}
	if got := r.Model.Tasks[0].Name; got != "lib.charge" {
		t.Errorf("task %q", got)
	}
	if got := r.Model.Flows[0].States[1].Timers[0].Dur.Result.(*model.Const).Value.String(); got != "4h" {
		t.Errorf("the fragment's timeout is %s", got)
	}
}

func TestNamesBroughtInByAnImport(t *testing.T) {
	plain := strings.ReplaceAll(strings.Replace(userText, `import "lib.flow" as lib`, `import "lib.flow"`, 1), "lib.", "")
	plain = strings.Replace(plain, `import "flow"`, `import "lib.flow"`, 1)
	r := check(map[string]string{"main.flow": plain, "lib.flow": libText}, "main.flow")
	if !r.OK() || len(r.Findings) > 0 {
		t.Fatal(texts(r))
	}
}

func TestFaultsOfImports(t *testing.T) {
	flow := "flow f { timeout never\n on go { note \"x\" } }\n"
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"not found":        {map[string]string{"m.flow": "import \"no.flow\"\nevent go\n" + flow}, []string{"m.flow: import-not-found"}},
		"no path":          {map[string]string{"m.flow": "import \"/etc/x.flow\"\nevent go\n" + flow}, []string{"m.flow: import-not-found"}},
		"outside":          {map[string]string{"m.flow": "import \"../../x.flow\"\nevent go\n" + flow}, []string{"m.flow: import-not-found"}},
		"itself":           {map[string]string{"m.flow": "import \"m.flow\"\nevent go\n" + flow}, []string{"m.flow: import-cycle"}},
		"unused":           {map[string]string{"m.flow": "import \"l.flow\"\nevent go\n" + flow, "l.flow": "event x"}, []string{"m.flow: unused-import"}},
		"twice":            {map[string]string{"m.flow": "import \"l.flow\"\nimport \"./l.flow\"\n" + flow, "l.flow": "event go"}, []string{"m.flow: duplicate-import"}},
		"alias twice":      {map[string]string{"m.flow": "import \"l.flow\" as l\nimport \"k.flow\" as l\nevent go\n" + flow, "l.flow": "event x", "k.flow": ""}, []string{"m.flow: unused-import", "m.flow: unused-import", "m.flow: duplicate-import"}},
		"own and imported": {map[string]string{"m.flow": "import \"l.flow\"\nevent go\n" + flow, "l.flow": "event go"}, []string{"m.flow: unused-import", "m.flow: duplicate-event"}},
		"two imports":      {map[string]string{"m.flow": "import \"l.flow\"\nimport \"k.flow\"\n" + flow, "l.flow": "event go", "k.flow": "event go"}, []string{"m.flow: duplicate-event", "m.flow: unused-import"}},
		"not transitive": {map[string]string{"m.flow": "import \"l.flow\"\n" + flow, "l.flow": "import \"k.flow\"\nevent gone", "k.flow": "event go"},
			[]string{"m.flow: unused-import", "m.flow: unknown-event"}},
		"error in the imported": {map[string]string{"m.flow": "import \"l.flow\"\n" + flow, "l.flow": "event go\nconst a = b"}, []string{"l.flow: unknown-field"}},
		"circle": {map[string]string{"m.flow": "import \"l.flow\"\nevent stop\n" + flow, "l.flow": "import \"k.flow\"\nevent go\nfn a(n: int) -> int = b(n)", "k.flow": "import \"m.flow\"\nfn b(n: int) -> int = n"},
			[]string{"k.flow: import-cycle"}},
		"names of a missing file": {map[string]string{"m.flow": "import \"no.flow\"\nflow f { timeout never\n on gone { note limit } }\n"}, []string{"m.flow: import-not-found"}},
		"no such name":            {map[string]string{"m.flow": "import \"l.flow\" as l\nflow f { timeout never\n on l.goo { note \"x\" } }\n", "l.flow": "event go"}, []string{"m.flow: unknown-event"}},
		"no such alias":           {map[string]string{"m.flow": "import \"l.flow\" as l\nflow f { timeout never\n on ll.go { note \"x\" } on l.go {} }\n", "l.flow": "event go"}, []string{"m.flow: unknown-import"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ids(check(test.files, "m.flow")); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q\n%s", got, test.want, texts(check(test.files, "m.flow")))
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	r := check(map[string]string{"a.flow": "event x"}, "a.flow", "b.flow")
	if r.OK() || r.Unreadable["b.flow"] == nil || len(r.Sources) != 1 {
		t.Errorf("unreadable %v, sources %d", r.Unreadable, len(r.Sources))
	}
}

// Each file named is a name space of its own; what two of them import is one declaration.
func TestFilesTogether(t *testing.T) {
	flow := "import \"l.flow\"\nevent stop\nflow f { timeout never\n on go, stop { note \"x\" } }\n"
	r := check(map[string]string{"a.flow": flow, "b.flow": flow, "l.flow": "event go"}, "a.flow", "b.flow")
	if !r.OK() || len(r.Findings) > 0 {
		t.Fatal(texts(r))
	}
	if len(r.Model.Events) != 3 || len(r.Model.Flows) != 2 {
		t.Errorf("%d events, %d flows", len(r.Model.Events), len(r.Model.Flows))
	}
}

func TestOverlay(t *testing.T) {
	l := validate.Overlay{Open: map[string][]byte{"a.flow": []byte("event x(")}, Below: validate.Map{"a.flow": "event x", "b.flow": "import \"a.flow\""}}
	r := validate.Check(validate.Options{Files: []string{"b.flow"}, Loader: l})
	if r.OK() {
		t.Error("the text in memory was not read")
	}
}

func TestFragmentsThatNoFlowUsesAreChecked(t *testing.T) {
	lib := `event go(n: int)
task job(id: int) -> (ok: bool)
fragment good(next: state, by: task, on_it: event, fine: fn, limit: duration, name: string?) {
  data { n: int = 0 }
  timeout limit
  on timeout -> next
  initial one
  state one {
    do by(any: 3)
    on completed when event.whatever and fine(n) -> next { n = event.n }
    on on_it, go when event.n > 3 -> two { raise on_it(x: 1) }
    on go { note "{name}" }
    on error -> next
  }
  state two { on go -> next }
}
fragment bad(next: state, name: string?) {
  initial one
  state one {
    on go -> nxt
    on goo -> next
    after 30 -> next
    do job(id: "x")
    on completed -> next { missing = 1 }
    on error when len(name) > 3 -> next
  }
  use good(next: next, by: job, on_it: go, fine: none, limit: 1d) as two
}
`
	r := validate.CheckText("lib.flow", lib)
	want := []string{"20: unknown-state", "21: unknown-event", "22: duration-missing-unit", "23: type-mismatch", "24: unknown-field", "25: null-not-tested",
		"27: unknown-argument", "27: unknown-argument", "27: unknown-field", "27: unknown-field", "27: unknown-function"}
	if got := grave(r); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q\n%s", got, want, texts(r))
	}
}
