package client_test

import (
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"flowc/vm"
	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
)

// The client reads exactly what the server writes, field by field.
func TestTypesAreTheServers(t *testing.T) {
	for _, pair := range [][2]any{
		{client.Token{}, engine.TokenView{}}, {client.Line{}, engine.HistoryLine{}}, {client.TaskInfo{}, engine.TaskView{}},
		{client.Task{}, engine.ClaimedTask{}}, {client.Moved{}, api.Moved{}}, {client.Problem{}, api.Problem{}}, {client.Accept{}, vm.Accept{}},
		{client.Deployed{}, api.DeployAnswer{}}, {client.Batched{}, api.Batched{}}, {client.Batch{}, api.BatchBody{}},
		{client.Flow{}, engine.FlowView{}}, {client.Version{}, engine.VersionView{}}, {client.Why{}, engine.WhyView{}},
		{client.WhyWait{}, engine.WhyWaitView{}}, {client.Replay{}, engine.ReplayResult{}}, {client.StateCount{}, engine.StateCount{}},
		{client.WaitingCount{}, engine.WaitingCount{}}, {client.TokenTimer{}, engine.TokenTimerView{}}, {client.Hold{}, engine.HeldTask{}},
		{client.Queue{}, api.QueueView{}}, {client.TaskMoved{}, engine.TaskAnswer{}}, {client.Quarantined{}, engine.QuarantineView{}},
		{client.Credential{}, engine.Credential{}}, {client.Stats{}, engine.Stats{}}, {client.Health{}, engine.Health{}}, {client.Loop{}, engine.LoopHealth{}},
	} {
		same(t, reflect.TypeOf(pair[0]).Name(), reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1]))
	}
}

func same(t *testing.T, where string, ours, theirs reflect.Type) {
	t.Helper()
	a, b := fields(ours), fields(theirs)
	for name, typ := range b {
		if a[name] == nil {
			t.Errorf("%s: the client does not read %s", where, name)
		} else if x, y := inner(a[name]), inner(typ); x.Kind() == reflect.Struct && y.Kind() == reflect.Struct {
			same(t, where+"."+name, x, y)
		}
	}
	for name := range a {
		if b[name] == nil {
			t.Errorf("%s: the server does not write %s", where, name)
		}
	}
}

// fields are a struct's fields by their names in JSON.
func fields(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for n, typ := range fields(f.Type) {
				out[n] = typ
			}
		case f.IsExported() && name != "-":
			out[name] = f.Type
		}
	}
	return out
}

// inner is what a pointer or a list holds.
func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		t = t.Elem()
	}
	if t.PkgPath() == "time" {
		return reflect.TypeOf("") // an instant
	}
	return t
}

// Who imports the client gets nothing but the standard library with it.
func TestImportsNothing(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") || first == "flowc" {
				t.Errorf("%s imports %s", e.Name(), path)
			}
		}
	}
}
