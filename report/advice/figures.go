package advice

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// cost returns the cost of a structure as a multiple of that of the fastest that takes part; 0: not known.
func (c *cell) cost(name string, late bool) float64 {
	for _, s := range c.ranked[late] {
		if s.Structure == name {
			return s.ToBest.Center
		}
	}
	return 0
}

// measuring is the cell that says what a structure costs in a cell: that one, or, for one that it leaves out for what
// it cost among fewer timers, the cell in which it did.
func (a *Adviser) measuring(c *cell, name string, late bool) *cell {
	if !slices.Contains(c.LeftOut, name) {
		return c
	}
	out := c
	for _, smaller := range a.cells {
		if smaller.Workload == c.Workload && smaller.N < c.N && (out == c || smaller.N > out.N) && smaller.cost(name, late) > 0 {
			out = smaller
		}
	}
	return out
}

const leastSamples = 1000

// tail returns the 99.9th percentile of the slowest kind of call, in nanoseconds; 0: not known.
func tail(row *analysis.Row) float64 {
	worst := 0.0
	if !row.HasCost() {
		return worst
	}
	for _, l := range row.Latency {
		if l.Samples >= leastSamples {
			worst = max(worst, l.P999)
		}
	}
	return worst
}

// tails returns the tails of the structures above that of the floor, as multiples of the least. A clock
// reading is added to each. It is empty where the floor has no percentiles.
func tails(c *analysis.Cell, clock float64) map[string]float64 {
	floor := make(map[script.Kind]float64)
	for _, row := range c.Rows {
		if row.Role == results.RoleFloor {
			for _, l := range row.Latency {
				floor[l.Kind] = l.P999
			}
		}
	}
	out := make(map[string]float64)
	for _, row := range c.Rows {
		if row.Role != results.RoleStructure {
			continue
		}
		for _, l := range row.Latency {
			if of, ok := floor[l.Kind]; ok && l.Samples >= leastSamples {
				out[row.Structure] = max(out[row.Structure], clock+max(0, l.P999-of))
			}
		}
	}
	if len(out) > 0 {
		of := least(out)
		for name := range out {
			out[name] /= of
		}
	}
	return out
}

// least is the smallest of the values; NaN without any.
func least(values map[string]float64) float64 {
	out := math.NaN()
	for _, v := range values {
		if !(v >= out) {
			out = v
		}
	}
	return out
}

// memory returns the bytes a timer of each structure among n timers, as far as they were measured: those at
// the nearest size, and the cost of the empty structure divided by n.
func (a *Adviser) memory(n float64) map[string]float64 {
	nearest := make(map[string]results.Memory)
	for _, m := range a.r.Memory {
		if m.N < 1 {
			continue
		}
		old, ok := nearest[m.Structure]
		if !ok || decades(float64(m.N), n) < decades(float64(old.N), n) {
			nearest[m.Structure] = m
		}
	}
	out := make(map[string]float64)
	for name, m := range nearest {
		if bytes := cmp.Or(m.AgedBytes, m.Bytes); bytes > 0 {
			out[name] = max(0, bytes-m.EmptyBytes/float64(m.N)) + m.EmptyBytes/n
		}
	}
	return out
}

// idle returns the wake-ups of each structure under the tickless driver as multiples of the fewest: at
// the nearest size, over all shapes of delays or the one asked for, if it was measured.
func (a *Adviser) idle(n float64, delays string) map[string]float64 {
	type shape struct {
		delays string
		n      int
	}
	wakeups := make(map[shape]map[string]float64)
	for _, i := range a.r.Idle {
		if i.Driver == results.Tickless && i.Wakeups > 0 && i.N > 0 {
			key := shape{i.Distribution, i.N}
			if wakeups[key] == nil {
				wakeups[key] = make(map[string]float64)
			}
			wakeups[key][i.Structure] = float64(i.Wakeups)
		}
	}
	nearest, named := math.Inf(1), false
	for key := range wakeups {
		nearest = min(nearest, decades(float64(key.n), n))
		named = named || key.delays == delays
	}
	sums, counts := make(map[string]float64), make(map[string]float64)
	inOrder := slices.SortedFunc(maps.Keys(wakeups), func(a, b shape) int { return cmp.Compare(a.delays, b.delays) })
	for _, key := range inOrder { // sums depend on the order
		of := wakeups[key]
		if decades(float64(key.n), n) > nearest || named && key.delays != delays {
			continue
		}
		fewest := least(of)
		for name, w := range of {
			sums[name] += math.Log(w / fewest)
			counts[name]++
		}
	}
	most := 0.0
	for _, c := range counts {
		most = max(most, c)
	}
	out := make(map[string]float64)
	for name, sum := range sums {
		if counts[name] == most {
			out[name] = math.Exp(sum / most)
		}
	}
	return out
}
