package cmd_test

import (
	"math"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/describe"
	"flowc/validate/model"
	"flowc/vm"
)

// TestDescribedWaitsAreThoseOfTheServer holds what describe says of the waits between attempts to what a server waits: never longer,
// never shorter, and both ends can be reached.
func TestDescribedWaitsAreThoseOfTheServer(t *testing.T) {
	const second = 1_000_000
	for _, p := range []model.Policy{
		{Retries: 4, Backoff: 5 * second},
		{Retries: 4, Backoff: 2 * second, BackoffMax: 60 * second},
		{Retries: 9, Backoff: 7 * second, BackoffMax: 60 * second},
		{Retries: 3, Backoff: 60 * second, BackoffMax: 60 * second},
		{Retries: 20, Backoff: second, BackoffMax: 86400 * second},
		{Retries: 3},
	} {
		total := func(jitter float64) (sum int64) {
			for attempt := 1; attempt <= p.Retries; attempt++ {
				sum += vm.Backoff(program.Policy{Backoff: p.Backoff, BackoffMax: p.BackoffMax}, attempt, jitter)
			}
			return sum
		}
		e := describe.EffortOf(p)
		if got := total(0); got != e.WaitsMost {
			t.Errorf("%+v: without jitter the server waits %d, described is %d", p, got, e.WaitsMost)
		}
		least := total(math.Nextafter(1, 0))
		if slack := least - e.WaitsLeast; slack < 0 || slack > int64(p.Retries) {
			t.Errorf("%+v: with the most jitter the server waits %d, described is %d", p, least, e.WaitsLeast)
		}
	}
}
