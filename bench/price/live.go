package price

import (
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Median returns the median of value over the items. It ignores NaN, and returns NaN without any other value.
func Median[T any](items []T, value func(T) float64) float64 {
	var values []float64
	for _, item := range items {
		if v := value(item); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return stats.MedianOf(values)
}

// Over returns the median processor time of an operation in ns over its slices. It is NaN without any.
func Over(r results.LiveRow, op results.Op, goroutines int) float64 {
	return Median(r.Throughput, func(t results.LiveThroughput) float64 {
		if t.Is(op, goroutines) {
			return t.OpNS()
		}
		return math.NaN()
	})
}

// Relative returns the processor time of an operation relative to that of another row: the median of the ratios of adjacent slices.
// Go's own timers have one form for several operations. It is NaN if there are no such slices.
func Relative(r, other results.LiveRow, op results.Op, goroutines int) float64 {
	adjacent, instead := make(map[int]float64), op
	if !other.Has(op) {
		instead = op.Counterpart()
	}
	for _, o := range other.Throughput {
		if o.Is(instead, goroutines) {
			adjacent[o.Turn] = o.OpNS()
		}
	}
	return Median(r.Throughput, func(t results.LiveThroughput) float64 {
		if o, ok := adjacent[t.Turn]; ok && t.Is(op, goroutines) {
			return t.OpNS() / o
		}
		return math.NaN()
	})
}

// Call returns the wall time of a call in ns over all slices of an operation, with the work that was put off in some of them and
// done in others. It is NaN without any.
func Call(r results.LiveRow, op results.Op, goroutines int) float64 {
	ns, ops := 0.0, 0
	for _, t := range r.Throughput {
		if t.Is(op, goroutines) {
			ns, ops = ns+t.NS, ops+t.Ops
		}
	}
	return ns / float64(ops)
}
