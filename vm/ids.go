package vm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"flowc/compiler/program"
)

// DeriveID returns the id of the nth task, child or message that a token made in the step that led to a version (R1). It is a
// UUID of version 8, the same whenever the step is taken again.
func DeriveID(token string, version int64, n int) string {
	return derive('s', token, version, int64(n), 0)
}

// FanID returns the id of the task or child of one index of a fan-out, which a version of the token began in a visit.
func FanID(token string, visit, begun int64, index int) string {
	return derive('f', token, begun, int64(index), visit)
}

func derive(kind byte, token string, a, b, c int64) string {
	var buf [128]byte
	h := append(buf[:0], kind)
	h = binary.BigEndian.AppendUint64(h, uint64(a))
	h = binary.BigEndian.AppendUint64(h, uint64(b))
	h = binary.BigEndian.AppendUint64(h, uint64(c))
	sum := sha256.Sum256(append(h, token...))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], id[:4])
	hex.Encode(out[9:13], id[4:6])
	hex.Encode(out[14:18], id[6:8])
	hex.Encode(out[19:23], id[8:10])
	hex.Encode(out[24:], id[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

// Jitter returns a number from 0 to less than 1 for an attempt of a task: a hash of what names it, since a step has no randomness
// (R1).
func Jitter(token string, visit int64, index, attempt int) float64 {
	var buf [128]byte
	h := binary.BigEndian.AppendUint64(append(buf[:0], 'j'), uint64(visit))
	h = binary.BigEndian.AppendUint64(h, uint64(index))
	h = binary.BigEndian.AppendUint64(h, uint64(attempt))
	sum := sha256.Sum256(append(h, token...))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// Backoff returns the wait in microseconds between a failed attempt (the first is 1) and the next. A policy with one duration
// waits exactly that; one with two doubles from the first up to the second, and jitter (from 0 to less than 1) takes up to half
// away, so that no wait is longer than what the file says.
func Backoff(p program.Policy, attempt int, jitter float64) int64 {
	if p.BackoffMax <= 0 {
		return p.Backoff
	}
	wait := p.Backoff
	for i := 1; i < attempt && wait < p.BackoffMax; i++ {
		wait *= 2
	}
	wait = min(wait, p.BackoffMax)
	return wait - int64(float64(wait)/2*jitter)
}
