package sim

import (
	"fmt"
	"strconv"

	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

func (t *Terminal) state(string) error {
	t.where()
	return nil
}

func (t *Terminal) data(string) error {
	for i, f := range t.subject.flow.Input.Fields {
		fmt.Fprintf(t.out, "input  %s = %s\n", f.Name, value.AppendJSON(nil, t.subject.vm.Input.At(i)))
	}
	for i, f := range t.subject.flow.Data {
		if i < len(t.subject.vm.Data) {
			fmt.Fprintf(t.out, "data   %s = %s\n", f.Name, value.AppendJSON(nil, t.subject.vm.Data[i]))
		}
	}
	return nil
}

func (t *Terminal) timers(string) error {
	armed := t.subject.timers(t.world.now)
	for _, a := range armed {
		switch {
		case a.Held:
			fmt.Fprintf(t.out, "%s  held, with %s left\n", a.ID, span(a.Remaining))
		case a.Overdue:
			fmt.Fprintf(t.out, "%s  overdue since %s\n", a.ID, instant(a.Due))
		default:
			fmt.Fprintf(t.out, "%s  in %s, at %s\n", a.ID, span(a.Remaining), instant(a.Due))
		}
	}
	return t.none(len(armed), "no timer is armed")
}

// none says that a list is empty.
func (t *Terminal) none(n int, text string) error {
	if n == 0 {
		fmt.Fprintln(t.out, text)
	}
	return nil
}

func (t *Terminal) accepts(string) error {
	all := vm.Accepts(t.program, t.subject.vm, t.world.now)
	for _, a := range all {
		note := ""
		switch {
		case a.Deferred:
			note = "  (it waits)"
		case a.Conditional:
			note = "  (it depends on the payload)"
		}
		fmt.Fprintf(t.out, "%s%s\n", a.Event, note)
	}
	return t.none(len(all), "it takes no event now")
}

func (t *Terminal) tasks(string) error {
	n := 0
	for _, k := range t.world.open {
		if k.row.Status.Over() {
			continue
		}
		n++
		attempt := k.row.Attempt
		if k.row.Status != task.Claimed {
			attempt++ // the one that comes
		}
		fmt.Fprintf(t.out, "%s%s %s  attempt %d, %s\n", t.label(k.token), k.row.Task, value.AppendJSON(nil, k.input), attempt, k.row.Status)
	}
	return t.none(n, "no task is open")
}

func (t *Terminal) tokens(string) error {
	for _, tok := range t.world.tokens {
		mark := " "
		if tok == t.subject {
			mark = "*"
		}
		fmt.Fprintf(t.out, "%s %s  %s in %s\n", mark, t.name(tok), tok.condition(), tok.place())
	}
	return nil
}

func (t *Terminal) history(rest string) error {
	most := int(^uint(0) >> 1)
	if rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return mistakef("history takes a number of lines, not %q", rest)
		}
		most = n
	}
	for _, l := range t.subject.history(most) {
		fmt.Fprintln(t.out, l)
	}
	return nil
}
