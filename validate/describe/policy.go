package describe

import (
	"fmt"
	"math"
	"strings"

	"flowc/validate/model"
)

// An Effort is what a task's policy comes to. Durations are microseconds.
type Effort struct {
	Attempts int
	Within   int64 // limit of each attempt; 0: none but the lease
	// WaitsLeast and WaitsMost are all the waits between the attempts together. A wait that doubles is shortened by jitter, by up to
	// a half, so that no wait is longer than what the file says; a fixed one is exact.
	WaitsLeast, WaitsMost int64
	Queue                 string
}

// Effective is a task's policy with what its use says otherwise; over may be nil.
func Effective(p model.Policy, over *model.PolicyOverride) model.Policy {
	if over == nil {
		return p
	}
	replace(&p.Within, over.Within)
	replace(&p.Retries, over.Retries)
	replace(&p.Backoff, over.Backoff)
	replace(&p.BackoffMax, over.BackoffMax)
	replace(&p.Queue, over.Queue)
	return p
}

func replace[T any](field, by *T) {
	if by != nil {
		*field = *by
	}
}

// EffortOf adds a policy up.
func EffortOf(p model.Policy) Effort {
	e := Effort{Attempts: p.Retries + 1, Within: p.Within, Queue: p.Queue}
	if p.BackoffMax <= 0 {
		e.WaitsLeast = times(p.Backoff, p.Retries)
		e.WaitsMost = e.WaitsLeast
		return e
	}
	wait := min(p.Backoff, p.BackoffMax)
	for i := 0; i < p.Retries; i++ {
		if wait == 0 || wait == p.BackoffMax { // from here on all are alike
			e.WaitsLeast = plus(e.WaitsLeast, times(wait-wait/2, p.Retries-i))
			e.WaitsMost = plus(e.WaitsMost, times(wait, p.Retries-i))
			break
		}
		e.WaitsLeast, e.WaitsMost = plus(e.WaitsLeast, wait-wait/2), plus(e.WaitsMost, wait)
		wait = min(wait*2, p.BackoffMax)
	}
	return e
}

// Longest is how long all attempts and the waits between them take at most, when a worker takes each attempt as soon as it may; ok
// is false when an attempt has no limit.
func (e Effort) Longest() (micros int64, ok bool) {
	if e.Within <= 0 {
		return 0, false
	}
	return plus(e.WaitsMost, times(e.Within, e.Attempts)), true
}

// times and plus stay at the largest number rather than go round.
func times(a int64, n int) int64 {
	if n > 0 && a > math.MaxInt64/int64(n) {
		return math.MaxInt64
	}
	return a * int64(n)
}

func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Task says what a policy comes to, for a person: "at most 5 attempts of at most 30s each; the waits between them add up to 50s to
// 1m 40s; gives up 50s to 4m 10s after the first begins, when workers take each at once".
func Task(p model.Policy) string {
	e := EffortOf(p)
	each := ""
	if e.Within > 0 {
		each = " of at most " + human(e.Within)
	}
	if e.Attempts == 1 {
		return "one attempt" + each
	}
	text := fmt.Sprintf("at most %d attempts%s", e.Attempts, each)
	if e.Within > 0 {
		text += " each"
	}
	if e.WaitsMost > 0 {
		text += "; the waits between them add up to " + span(e.WaitsLeast, e.WaitsMost)
	}
	if most, ok := e.Longest(); ok {
		text += fmt.Sprintf("; gives up %s after the first begins, when workers take each at once", span(e.WaitsLeast, most))
	}
	return text
}

// span is a range of durations, the lower end rounded down and the upper end up to a second.
func span(least, most int64) string {
	if least == most {
		return human(most)
	}
	return human(least/second*second) + " to " + human(most)
}

// human writes a duration in as many units as it takes: `1h 31m 30s`. The language has one unit in each.
func human(micros int64) string {
	seconds := (micros + second - 1) / second
	var parts []string
	for _, u := range []struct {
		seconds int64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		if n := seconds / u.seconds; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, u.name))
			seconds %= u.seconds
		}
	}
	if len(parts) == 0 {
		return "0s"
	}
	return strings.Join(parts, " ")
}
