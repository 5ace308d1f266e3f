package task

import "flowc/vm"

// Rules are what callers may choose. The zero value is the server's.
type Rules struct {
	// NoJitter leaves out the jitter of doubling backoffs, for tests that name exact instants.
	NoJitter bool
}

// Delay is the wait in microseconds after the given number of used attempts (vm.Backoff). Its jitter is a hash, so that a repeat
// computes the same (R1).
func (rules Rules) Delay(r Row, used int) int64 {
	if rules.NoJitter {
		return vm.Backoff(r.Policy, used, 0)
	}
	return vm.Backoff(r.Policy, used, vm.Jitter(r.Token, r.Visit, r.Index, used))
}
