package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

// A terminalCommand is one word of the simulator.
type terminalCommand struct {
	name, args, about string
	do                func(t *Terminal, rest string) error
}

// terminalCommands are in the order of the help, which is filled in by init because it lists them itself.
var terminalCommands []terminalCommand

func init() {
	terminalCommands = []terminalCommand{
		{"send", "EVENT [JSON]", "send an event with its payload", (*Terminal).send},
		{"advance", "DUR | to TIME", "let time pass; timers fire at their instants on the way", (*Terminal).advance},
		{"next", "", "let time pass until the next thing is due", (*Terminal).next},
		{"state", "", "where the token is", (*Terminal).state},
		{"data", "", "its inputs and data", (*Terminal).data},
		{"timers", "", "the timers that are armed", (*Terminal).timers},
		{"accepts", "", "the events that it would take now", (*Terminal).accepts},
		{"tasks", "", "the work that is open", (*Terminal).tasks},
		{"claim", "TASK", "take the oldest open attempt: from here `within` and a lease of 30s count", (*Terminal).claim},
		{"complete", "TASK [JSON] | TASK with EVENT [JSON]", "end the oldest open attempt with a result, or with an event", (*Terminal).complete},
		{"fail", "TASK CODE [no retry]", "fail the oldest open attempt", (*Terminal).fail},
		{"pause", "", "stop the token", (*Terminal).pause},
		{"resume", "", "let it go on", (*Terminal).resume},
		{"cancel", "[REASON]", "cancel it", (*Terminal).cancel},
		{"retry", "[at STATE]", "let a failed token go on", (*Terminal).retry},
		{"restart", "", "drop all memory and load again from the store", (*Terminal).restart},
		{"tokens", "", "all tokens, with those that it started", (*Terminal).tokens},
		{"use", "TOKEN", "make another token the one that commands are about", (*Terminal).use},
		{"history", "[N]", "all lines of its history, or the last N", (*Terminal).history},
		{"help", "", "this list", (*Terminal).help},
		{"quit", "", "end", (*Terminal).quit},
	}
}

func (t *Terminal) help(string) error {
	for _, c := range terminalCommands {
		fmt.Fprintf(t.out, "%-45s  %s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
	}
	return nil
}

func (t *Terminal) quit(string) error {
	t.over = true
	return nil
}

func (t *Terminal) send(rest string) error {
	event, payload := cut(rest)
	if event == "" {
		return mistakef("send needs an event: send EVENT [JSON]")
	}
	body, err := jsonOr(payload)
	if err != nil {
		return err
	}
	a, err := t.world.Send(t.subject, event, body, "")
	return t.answered(event, a, err)
}

// jsonOr is a JSON object of a line; without one it is empty.
func jsonOr(text string) (json.RawMessage, error) {
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, mistakef("%s is no JSON; write an object such as {\"reference\": \"r-1\"}", text)
	}
	return json.RawMessage(text), nil
}

// answered makes a refusal the fault of its line, and says what was not simply accepted.
func (t *Terminal) answered(what string, a vm.Answer, err error) error {
	switch {
	case err != nil:
		return err
	case !taken(a):
		return mistakef("%s is %s", what, refusal(a))
	case a.Outcome != vm.Accepted:
		fmt.Fprintf(t.out, "%s: %s\n", what, a.Outcome)
	}
	return nil
}

func (t *Terminal) advance(rest string) error {
	if at, ok := strings.CutPrefix(rest, "to "); ok {
		v, err := value.ParseTime(strings.Trim(strings.TrimSpace(at), `"`))
		if err != nil {
			return mistakef("%s", err)
		}
		if v.Micros() < t.world.now {
			return mistakef("the clock cannot go back: it is %s", instant(t.world.now))
		}
		return t.to(v.Micros())
	}
	v, fault := value.ParseDuration(rest)
	switch {
	case rest == "":
		return mistakef("advance needs how far: advance 6h, or advance to 2026-01-02T09:00:00Z")
	case fault != nil:
		return mistakef("%s", fault.Message)
	}
	return t.to(t.world.now + v.Micros())
}

func (t *Terminal) next(string) error {
	at, ok := t.world.next()
	if !ok {
		return mistakef("nothing will be due: no timer is armed")
	}
	return t.to(max(at, t.world.now))
}

// to moves the clock, and says where the token is then even when nothing happened on the way.
func (t *Terminal) to(at int64) error {
	t.moved = true
	return t.world.Advance(at)
}

func (t *Terminal) pause(string) error  { return t.control("pause", &vm.Stimulus{Kind: vm.OnPause}) }
func (t *Terminal) resume(string) error { return t.control("resume", &vm.Stimulus{Kind: vm.OnResume}) }

func (t *Terminal) cancel(reason string) error {
	return t.control("cancel", &vm.Stimulus{Kind: vm.OnCancel, Reason: strings.Trim(reason, `"`)})
}

func (t *Terminal) retry(rest string) error {
	at, ok := strings.CutPrefix(rest, "at ")
	if rest != "" && !ok {
		return mistakef("write `retry`, or `retry at STATE`")
	}
	a, err := t.world.Give(t.subject, &vm.Stimulus{Kind: vm.OnRetry, State: strings.TrimSpace(at)})
	if err == nil && a.Code == vm.TokenEnded { // the answer names a command of the server's, which here means something else
		return mistakef("retry is refused: the token has ended, and only one that failed can be retried; to begin again, run `flowc simulate` anew")
	}
	return t.answered("retry", a, err)
}

func (t *Terminal) control(what string, s *vm.Stimulus) error {
	a, err := t.world.Give(t.subject, s)
	return t.answered(what, a, err)
}

func (t *Terminal) restart(string) error {
	if err := t.world.Reload(); err != nil {
		return err
	}
	fmt.Fprintln(t.out, "loaded again from the store")
	return nil
}

// attempt is the oldest open attempt of a task, claimed or not: the token's, or when it has none that of any.
func (t *Terminal) attempt(name string) (*Work, error) { return t.open(name, false) }

func (t *Terminal) open(name string, free bool) (*Work, error) {
	any := func(value.Value) bool { return true }
	if name == "" {
		return nil, mistakef("name the task%s", t.world.openTasks())
	}
	for _, of := range []*Token{t.subject, nil} {
		if k := t.world.find(of, name, any, free); k != nil {
			return k, nil
		}
	}
	which := "open"
	if free {
		which = "free"
	}
	return nil, mistakef("no attempt of %s is %s%s", name, which, t.world.openTasks())
}

func (t *Terminal) claim(name string) error {
	k, err := t.open(name, true)
	if err != nil {
		return err
	}
	if err := t.world.Claim(k); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: attempt %d claimed, until %s at most\n", name, k.row.Attempt, instant(k.row.NextAt))
	return nil
}

func (t *Terminal) complete(rest string) error {
	name, rest := cut(rest)
	k, err := t.attempt(name)
	if err != nil {
		return err
	}
	var c task.Completion
	if word, after := cut(rest); word == "with" {
		event, payload := cut(after)
		c.Event = event
		c.Payload, err = jsonOr(payload)
	} else {
		c.Result, err = jsonOr(rest)
	}
	if err != nil {
		return err
	}
	a, err := t.world.Complete(k, c)
	return t.answered(name+"'s outcome", a, err)
}

func (t *Terminal) fail(rest string) error {
	name, rest := cut(rest)
	k, err := t.attempt(name)
	if err != nil {
		return err
	}
	code, how := cut(rest)
	if code == "" || how != "" && how != "no retry" {
		return mistakef("write `fail TASK CODE` or `fail TASK CODE no retry`")
	}
	code = strings.Trim(code, `"`)
	if err := t.world.Fail(k, task.Failing{Code: code, Message: code, NoRetry: how != ""}); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: attempt %d failed, now %s\n", name, k.row.Attempt, k.row.Status)
	return nil
}

func (t *Terminal) use(name string) error {
	i := slices.IndexFunc(t.world.tokens, func(tok *Token) bool { return t.name(tok) == name || tok.vm.ID == name })
	if i < 0 {
		return mistakef("there is no token %q; `tokens` lists them", name)
	}
	t.subject = t.world.tokens[i]
	t.where()
	return nil
}
