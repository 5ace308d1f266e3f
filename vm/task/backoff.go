package task

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
)

// Rules are what callers may choose. The zero value is the server's.
type Rules struct {
	// NoJitter leaves out the jitter of doubling backoffs, for tests that name exact instants.
	NoJitter bool
}

// Delay is the wait after the given number of used attempts: fixed, or doubling from Backoff up to BackoffMax. Jitter shortens a
// doubling wait by up to a fifth, so that tasks that failed together do not come back together; it never makes one longer than
// the checker reckoned with. It is a hash of the task and the attempt, so that a repeat computes the same (R1).
func (rules Rules) Delay(r Row, used int) int64 {
	d := r.Policy.Backoff
	if r.Policy.BackoffMax == 0 {
		return d
	}
	for i := 1; i < used && d < r.Policy.BackoffMax; i++ {
		d *= 2
	}
	d = min(d, r.Policy.BackoffMax)
	if rules.NoJitter {
		return d
	}
	return d - scale(d/5, hash64(r.ID, used))
}

// scale is n·h/2⁶⁴, for any n that a duration can be.
func scale(n int64, h uint64) int64 {
	hi, _ := bits.Mul64(uint64(n), h)
	return int64(hi)
}

func hash64(id string, attempt int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(attempt)))
	x := h.Sum64() // fnv alone barely moves the high bits for a changed last byte
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}
