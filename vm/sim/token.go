package sim

import (
	"fmt"
	"strings"
	"time"

	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm"
)

// reload encodes the token and reads it again, as a server does that was restarted.
func (t *Token) reload() error {
	if t.mocked {
		return nil
	}
	s, err := t.stored()
	if err != nil {
		return err
	}
	again, err := vm.DecodeToken(t.program, t.vm.Program, s.snapshot, s.data)
	if err != nil {
		return fmt.Errorf("load %s: %w", t.vm.ID, err)
	}
	t.vm = again
	return nil
}

// VM is the token as the step sees it. It must not be changed.
func (t *Token) VM() *vm.Token { return t.vm }

// Program is the program that the token runs on.
func (t *Token) Program() *program.Program { return t.program }

// Steps is the token's history.
func (t *Token) Steps() []vm.Step { return t.steps }

// in says that a state is active, or was when the token ended.
func (t *Token) in(state int) bool {
	for _, v := range t.vm.Active {
		if v.State == state {
			return true
		}
	}
	return t.vm.Final == state
}

// place names the active leaves.
func (t *Token) place() string {
	var leaves []string
	for i, v := range t.vm.Active {
		last := i+1 == len(t.vm.Active)
		if last || t.flow.States[t.vm.Active[i+1].State].Parent != v.State {
			leaves = append(leaves, t.flow.States[v.State].Path)
		}
	}
	if len(leaves) == 0 {
		return t.final()
	}
	return strings.Join(leaves, ", ")
}

func (t *Token) final() string {
	if t.vm.Final < 0 {
		return "none"
	}
	return t.flow.States[t.vm.Final].Path
}

// condition is the status, with the error of a failed token.
func (t *Token) condition() string {
	if t.vm.Error == nil {
		return string(t.vm.Status)
	}
	return string(t.vm.Status) + " with " + t.failureText()
}

func (t *Token) failureText() string {
	if t.vm.Error == nil {
		return "none"
	}
	return fmt.Sprintf("%q (%s)", t.vm.Error.Code, t.vm.Error.Message)
}

// Children are the token's children of a flow, in order of creation.
func (w *World) Children(t *Token, flow string) []*Token {
	var out []*Token
	for _, c := range w.tokens {
		if c.vm.Parent != nil && c.vm.Parent.Token == t.vm.ID && c.vm.Flow == flow {
			out = append(out, c)
		}
	}
	return out
}

func (t *Token) notes() []string {
	var out []string
	for _, s := range t.steps {
		for _, l := range s.Lines {
			if l.Kind == "note" {
				out = append(out, l.Text)
			}
		}
	}
	return out
}

// timers are the armed timers as the API shows them.
func (t *Token) timers(now int64) []vm.ArmedTimer { return vm.Timers(t.program, t.vm, now) }

func (t *Token) timersText(now int64) string {
	var all []string
	for _, a := range t.timers(now) {
		if a.Held {
			all = append(all, fmt.Sprintf("%s held with %s left", a.ID, span(a.Remaining)))
			continue
		}
		all = append(all, fmt.Sprintf("%s in %s (%s)", a.ID, span(a.Remaining), instant(a.Due)))
	}
	return "timers " + listed(all)
}

// findTimer is the armed timer that an expectation means; of several states the innermost.
func (t *Token) findTimer(e model.ExpectTimer, now int64) (vm.ArmedTimer, bool) {
	var found vm.ArmedTimer
	depth := -1
	for _, a := range t.timers(now) {
		name := strings.TrimPrefix(strings.TrimPrefix(a.ID, a.State), ".")
		if e.State >= 0 && a.State != t.flow.States[e.State].Path {
			continue
		}
		if e.Name != name && (e.Name != "" || name == "timeout" || name == "idle") {
			continue
		}
		if d := t.depth(a.State); d > depth {
			found, depth = a, d
		}
	}
	return found, depth >= 0
}

// depth is how many states stand around a state.
func (t *Token) depth(path string) int {
	if path == "" {
		return 0
	}
	return 1 + strings.Count(path, ".")
}

// instant writes an instant as the language does.
func instant(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339Nano) }

func span(us int64) string { return value.OfDuration(us).String() }
