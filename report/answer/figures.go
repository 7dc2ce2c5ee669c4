package answer

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// times returns the cost of a structure as a multiple of the fastest one that takes part; 0: not known.
func (c *candidate) times(name string, late bool) float64 {
	if ranked := c.ranked[late]; len(ranked) > 0 {
		return c.Ratio(c.Row(name), ranked[0]).Center
	}
	return 0
}

// measuring returns the cell that holds the cost of a structure for a cell. This is the cell itself, unless it left the
// structure out because of its cost among fewer timers: then it is the largest cell with that cost.
func (a *Adviser) measuring(c *candidate, name string, late bool) *candidate {
	if !slices.Contains(c.LeftOut, name) {
		return c
	}
	out := c
	for _, smaller := range a.cells {
		if smaller.Workload == c.Workload && smaller.N < c.N && (out == c || smaller.N > out.N) && smaller.times(name, late) > 0 {
			out = smaller
		}
	}
	return out
}

// tailQuantile is the percentile of single calls that answers rest on. A run times some thousand calls of a kind, of which the
// 99.9th percentile leaves a few beyond, and tells no structures apart.
const tailQuantile = 0.99

// leastSamples is the number of calls of a kind that make a tail (chosen).
const leastSamples = 1000

// tail is the tail of a structure in a cell.
type tail struct {
	ns, times    float64 // as measured, 0 if it is not known, and above the floor as a multiple of the least
	below, above float64 // how far the interval reaches from the center, as logarithms; infinite: not known
}

// tails returns the tails of the slowest kinds of call. The time of the floor is subtracted, and one reading of the clock is added to each,
// because a smaller difference is not seen. It is empty where the floor has no percentiles. The intervals hold
// together for all pairs of structures.
func tails(c *stats.Costs, clock float64) map[string]tail {
	floor, structures := make(map[script.Kind]float64), 0
	for _, row := range c.Rows {
		switch row.Role {
		case results.RoleFloor:
			if row.Structure == results.IntrusiveFloor {
				continue
			}
			for _, l := range row.Latency {
				floor[l.Kind] = l.P99
			}
		case results.RoleStructure:
			structures++
		}
	}
	errors, least := stats.PairErrors(structures), math.Inf(1)
	out := make(map[string]tail)
	for _, row := range c.Rows {
		if row.Role != results.RoleStructure {
			continue
		}
		var t tail
		var center, lo, hi float64
		known := false
		for _, l := range row.Latency {
			of, ok := floor[l.Kind]
			if !ok || l.Samples < leastSamples {
				continue
			}
			above := func(ns float64) float64 { return clock + max(0, ns-of) }
			spread := errors * math.Sqrt(tailQuantile*(1-tailQuantile)/float64(l.Samples))
			if center = max(center, above(l.P99)); l.P99 > t.ns {
				t.ns, known = l.P99, KnowsQuantile(l, tailQuantile)
			}
			lo, hi = max(lo, above(quantile(l, tailQuantile-spread))), max(hi, above(quantile(l, tailQuantile+spread)))
		}
		if center > 0 {
			t.times, t.below, t.above = center, math.Log(center/lo), math.Log(hi/center)
			if !known {
				t.ns = 0
			}
			least, out[row.Structure] = min(least, center), t
		}
	}
	for name, t := range out {
		t.times /= least
		out[name] = t
	}
	return out
}

// quantile interpolates between the percentiles of latencies, on logarithmic scales. It is infinite beyond the longest call.
func quantile(l results.Latency, q float64) float64 {
	n := float64(l.Samples)
	known := []results.Quantile{{Q: 0.5, NS: l.P50}, {Q: 0.9, NS: l.P90}, {Q: 0.99, NS: l.P99}, {Q: 0.999, NS: l.P999}, {Q: n / (n + 1), NS: l.Max}}
	for i, high := range known[1:] {
		low := known[i]
		if q <= high.Q && low.Q < high.Q {
			share := math.Log((1-low.Q)/(1-q)) / math.Log((1-low.Q)/(1-high.Q))
			return max(low.NS, 1) * math.Pow(max(high.NS, 1)/max(low.NS, 1), max(0, share))
		}
	}
	return math.Inf(1)
}

// KnowsQuantile reports whether the samples of latencies are enough for a quantile: with a probability of 95 %, that of all
// calls is in an interval that is not wider than a factor of 10.
func KnowsQuantile(l results.Latency, q float64) bool {
	const z, beyond = 1.96, 3.7 // with fewer calls beyond it, the quantile may be above the longest one
	n := float64(l.Samples)
	if n*(1-q) < beyond {
		return false
	}
	spread := z * math.Sqrt(q*(1-q)/n)
	return show.Narrow(max(1, quantile(l, q-spread)), max(1, quantile(l, min(q+spread, n/(n+1)))))
}

// least returns the smallest value; NaN without any.
func least(values map[string]float64) float64 {
	out := math.NaN()
	for _, v := range values {
		if !(v >= out) {
			out = v
		}
	}
	return out
}

// pauseError is how far the ratio of two longest calls may be from that of another run, as a logarithm (docs/ttl.md).
const pauseError = 0.5

// pauses returns the longest call of each structure, over all workloads whose single calls were timed at the size nearest
// to n. A structure that one of them lacks has none.
func (a *Adviser) pauses(n float64) map[string]float64 {
	nearest, workloads := math.Inf(1), make(map[string]bool)
	for _, c := range a.r.Calls {
		nearest = min(nearest, decades(float64(c.N), n))
	}
	out, in := make(map[string]float64), make(map[string]int)
	for _, c := range a.r.Calls {
		if decades(float64(c.N), n) == nearest {
			workloads[c.Workload] = true
			out[c.Structure], in[c.Structure] = max(out[c.Structure], c.Max().NS), in[c.Structure]+1
		}
	}
	maps.DeleteFunc(out, func(name string, _ float64) bool { return in[name] < len(workloads) })
	return out
}

// memory returns the bytes per timer of each structure among n timers. They come from the heaviest cell near, if its
// single calls were timed. Or else they are the bytes at the nearest size that was measured, and the bytes of the empty
// structure divided by n. among is the number of timers among which most of them were measured.
func (a *Adviser) memory(near []weighted, n float64) (out map[string]float64, among int) {
	out = make(map[string]float64)
	for _, c := range a.r.Calls {
		if len(near) > 0 && c.Workload == near[0].Workload && c.N == near[0].N && c.Bytes > 0 {
			out[c.Structure], among = c.Bytes, c.N
		}
	}
	if len(out) > 0 {
		return out, among
	}
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
	for name, m := range nearest {
		if bytes := cmp.Or(m.AgedBytes, m.Bytes); bytes > 0 {
			out[name], among = max(0, bytes-m.EmptyBytes/float64(m.N))+m.EmptyBytes/n, max(among, m.N)
		}
	}
	return out, among
}

// idling holds the wake-ups of the drivers on a structure, from the analysis of idle wake-ups.
type idling struct {
	times             float64 // wake-ups of a tickless driver as a multiple of the fewest
	ticking, tickless float64 // idle ticks for each timer that fires
}

// idle returns the idling of each structure over all shapes of delays, or over the one asked for if it was measured. Those of
// a tickless driver are counted, among the nearest number of timers. A ticking driver wakes at each tick, so each tick on
// which nothing fires is idle; for a number of timers that was not measured their number is that of a Poisson process whose
// rate is in proportion.
func (a *Adviser) idle(n float64, delays string) (out map[string]idling, among int) {
	type shape struct {
		delays string
		n      int
	}
	counts := make(map[shape]map[string]results.Idle)
	nearest, named := math.Inf(1), false
	for _, i := range a.r.Idle {
		if i.Driver == results.Tickless && i.Wakeups > 0 && i.N > 0 && i.Fired > 0 {
			key := shape{i.Distribution, i.N}
			if counts[key] == nil {
				counts[key] = make(map[string]results.Idle)
			}
			counts[key][i.Structure] = i
			nearest, named = min(nearest, decades(float64(i.N), n)), named || i.Distribution == delays
		}
	}
	type sum struct{ shapes, logs, fired, ticks, ticking, tickless float64 }
	sums, most := make(map[string]sum), 0.0
	inOrder := slices.SortedFunc(maps.Keys(counts), func(a, b shape) int { return cmp.Compare(a.delays, b.delays) })
	for _, key := range inOrder { // sums depend on the order
		if decades(float64(key.n), n) > nearest || named && key.delays != delays {
			continue
		}
		fewest := math.Inf(1)
		among = key.n
		for _, i := range counts[key] {
			fewest = min(fewest, float64(i.Wakeups))
		}
		for name, i := range counts[key] {
			s, firing := sums[name], i.Wakeups-i.Total()
			s.shapes, s.logs, s.fired = s.shapes+1, s.logs+math.Log(float64(i.Wakeups)/fewest), s.fired+float64(i.Fired)
			s.ticks += float64(i.Ticks)
			s.ticking, s.tickless = s.ticking+float64(i.Ticks-min(firing, i.Ticks)), s.tickless+float64(i.Total())
			sums[name], most = s, max(most, s.shapes)
		}
	}
	out = make(map[string]idling)
	for name, s := range sums {
		if s.shapes != most {
			continue
		}
		ticking := s.ticking / s.fired
		if n != float64(among) {
			rate := s.fired / s.ticks * n / float64(among)
			ticking = math.Round(1e4*math.Exp(-rate)/rate) / 1e4
		}
		out[name] = idling{math.Exp(s.logs / most), ticking, s.tickless / s.fired}
	}
	return out, among
}
