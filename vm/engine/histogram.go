package engine

import (
	"math"
	"sync/atomic"
)

// A Histogram counts values by size. Counts[i] is how many were at most Bounds[i]; Count is all of them.
type Histogram struct {
	Bounds []float64
	Counts []uint64
	Count  uint64
	Sum    float64
}

// The bounds of what is counted: seconds, and stimuli of a batch.
var (
	secondBounds = []float64{.00001, .0001, .001, .003, .01, .03, .1, .3, 1, 3, 10, 60, 600}
	sizeBounds   = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// A histogram is counted into by many at once.
type histogram struct {
	bounds []float64
	counts []atomic.Uint64 // one more than bounds
	sum    atomic.Uint64   // the bits of a float64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

func (h *histogram) observe(v float64) {
	i := 0
	for i < len(h.bounds) && v > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	for {
		old := h.sum.Load()
		if h.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+v)) {
			return
		}
	}
}

func (h *histogram) read() Histogram {
	out := Histogram{Bounds: h.bounds, Counts: make([]uint64, len(h.bounds)), Sum: math.Float64frombits(h.sum.Load())}
	for i := range h.counts {
		out.Count += h.counts[i].Load()
		if i < len(out.Counts) {
			out.Counts[i] = out.Count
		}
	}
	return out
}
