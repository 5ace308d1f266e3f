package describe_test

import (
	"strings"
	"testing"

	"flowc/validate/describe"
	"flowc/validate/model"
)

const sec = int64(1_000_000)

func TestTask(t *testing.T) {
	for _, c := range []struct {
		p    model.Policy
		want string
	}{
		{model.Policy{}, "one attempt"},
		{model.Policy{Within: 30 * sec}, "one attempt of at most 30s"},
		{model.Policy{Retries: 2}, "at most 3 attempts"},
		{model.Policy{Retries: 4, Backoff: 5 * sec}, "at most 5 attempts; the waits between them add up to 20s"},
		{model.Policy{Retries: 4, Backoff: 2 * sec, BackoffMax: 60 * sec}, "at most 5 attempts; the waits between them add up to 15s to 30s"},
		{model.Policy{Retries: 4, Backoff: 20 * sec, BackoffMax: 60 * sec, Within: 30 * sec},
			"at most 5 attempts of at most 30s each; the waits between them add up to 1m 30s to 3m; gives up 1m 30s to 5m 30s after the first begins, when workers take each at once"},
	} {
		if got := describe.Task(c.p); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.p, got, c.want)
		}
	}
}

// TestManyAttempts adds up more attempts than could be counted one by one.
func TestManyAttempts(t *testing.T) {
	e := describe.EffortOf(model.Policy{Retries: 1<<31 - 1, Backoff: sec, BackoffMax: 2 * sec})
	if want := sec + (1<<31-2)*2*sec; e.WaitsMost != want {
		t.Errorf("the waits add up to %d, want %d", e.WaitsMost, want)
	}
}

func TestUseOverridesPolicy(t *testing.T) {
	within, retries, none := 5*sec, 1, int64(0)
	p := describe.Effective(model.Policy{Within: 30 * sec, Retries: 4, Backoff: 2 * sec, BackoffMax: 60 * sec, Queue: "q"},
		&model.PolicyOverride{Within: &within, Retries: &retries, BackoffMax: &none})
	if want := (model.Policy{Within: within, Retries: 1, Backoff: 2 * sec, Queue: "q"}); p != want {
		t.Errorf("got %+v, want %+v", p, want)
	}
}

func TestDescription(t *testing.T) {
	m, source := check(t, `const window = 2d

event pay(reference: string)
event stop
internal event nudge

task charge(n: int) -> (receipt: string) fails "declined" within 30s retry 4 backoff 20s..1m
task mail(to: string)

flow order(n: int, until: time) -> (receipt: string?) {
  data {
    receipt: string?
  }
  timeout 30d
  on timeout -> late
  on stop -> stopped
  initial waiting
  state waiting {
    timeout window
    entry { schedule nudge after 1h }
    on nudge { dispatch mail(to: "x") retry 1 }
    at until as given { note "now" }
    every 7h { note "again" }
    every mon..fri at "09:00" in "Europe/Berlin" { note "again" }
    on pay when event.reference != "" -> paid
    on timeout -> late
  }
  state paid {
    do charge(n: n) within 10s
    on completed -> done { receipt = event.receipt }
    on error -> late
  }
  final done
  final late as failure
  final stopped as cancelled
}
`)
	var b strings.Builder
	if err := describe.WriteText(&b, describe.Flows(m.Flows, m.Files, source)); err != nil {
		t.Fatal(err)
	}
	want := `flow order(n: int, until: time) -> (receipt: string?)
  ends 30d after its start at the latest
  timeout                       30d
  event stop()                  in every state
  internal event nudge()        in waiting
  event pay(reference: string)  in waiting
  dispatch mail                 at most 2 attempts
  do charge                     at most 5 attempts of at most 10s each; the waits between them add up to 1m 30s to 3m; gives up 1m 30s to 3m 50s after the first begins, when workers take each at once
  state waiting                 at most 2d
    timeout                     2d
    at given                    at until
    every                       7h, at most 6 times
    calendar                    every mon, tue, wed, thu, fri at 09:00 in Europe/Berlin
  state paid                    at most 30d
    do charge                   at most 5 attempts of at most 10s each; the waits between them add up to 1m 30s to 3m; gives up 1m 30s to 3m 50s after the first begins, when workers take each at once
  final done                    success
  final late                    failure
  final stopped                 cancelled
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := describe.StateText(m.Flows[0], 1, source), "stays at most 2d\ntimeout: 2d\nat given: at until\nevery: 7h, at most 6 times\ncalendar: every mon, tue, wed, thu, fri at 09:00 in Europe/Berlin"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
