package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Cost writes a cost in nanoseconds with its interval, and with the medians of the two groups into which its rounds fall; nil: it is not
// known.
func Cost(e stats.Estimate) any {
	if !e.OK() {
		return nil
	}
	return show.Number(e.Center, show.Figure(e.Center)).With(show.Joined("; ", interval(e, show.Figure), e.TwoGroups("")))
}

// Times writes a ratio with its interval.
func Times(e stats.Estimate) show.Cell {
	if e.Center == 0 {
		return show.Words(show.Unknown)
	}
	return show.Number(e.Center, show.Times(e.Center)).With(interval(e, show.Times))
}

// interval writes an interval: ? if it says nothing, and with a * if it is the range of a few rounds; empty: it is no wider than its
// digits.
func interval(e stats.Estimate, write func(float64) string) string {
	lo, hi := write(e.Lo), write(e.Hi)
	switch {
	case lo == hi:
		return ""
	case !show.Narrow(e.Lo, e.Hi):
		return "?"
	}
	return lo + "–" + hi + show.When(e.Few, "*")
}

// leastSamples is the number of calls of a kind that make a tail (chosen). A run times some thousand, so answers rest on no higher percentile
// than the 99th.
const leastSamples = 1000

// tail returns the 99th percentile of single calls of the slowest kind, with the least and the largest one of an instance.
func tail(r *results.Row) (out stats.Estimate) {
	if r == nil {
		return out
	}
	for _, l := range r.Latency {
		if l.Samples >= leastSamples && l.P99 > out.Center {
			out = exactly(l.P99)
			if l.P99Range != nil {
				out.Lo, out.Hi = min(l.P99, l.P99Range[0]), max(l.P99, l.P99Range[1])
			}
		}
	}
	return out
}

// exactly is a figure without an interval, such as a count.
func exactly(v float64) stats.Estimate { return stats.Estimate{Center: v, Lo: v, Hi: v, Rounds: 1} }

// quotient is the ratio of two figures, whose interval reaches as far as those of both.
func quotient(a, b stats.Estimate) stats.Estimate {
	if !(a.Center > 0 && b.Lo > 0) {
		return stats.Estimate{}
	}
	return stats.Estimate{Center: a.Center / b.Center, Lo: a.Lo / b.Hi, Hi: a.Hi / b.Lo, Rounds: min(a.Rounds, b.Rounds)}
}

// counted are figures of structures that do not come from the cells of a question, and where they were measured.
type counted struct {
	of map[string]float64
	n  int
	in []string
}

// counted returns the figures of Memory, Idle or Longest among the number of timers that was measured nearest to n.
func (a *Adviser) counted(by By, n float64) counted {
	key := countKey{by, n}
	if out, known := a.counts[key]; known {
		return out
	}
	type figure struct {
		in, structure string
		n             int
		value         float64
	}
	var all []figure
	switch by {
	case Memory:
		for _, m := range a.r.Memory {
			if bytes := cmp.Or(m.AgedBytes, m.Bytes); m.N > 0 && bytes > 0 {
				all = append(all, figure{"memory", m.Structure, m.N, bytes})
			}
		}
		if len(all) == 0 {
			for _, c := range a.r.Calls {
				if c.Bytes > 0 {
					all = append(all, figure{c.Workload, c.Structure, c.N, c.Bytes})
				}
			}
		}
	case Idle:
		for _, i := range a.r.IdleTicks {
			for _, s := range i.Structures {
				if i.Shape == results.Uniform && i.Fired > 0 {
					wakeups := cmp.Or(s.Firing, i.Ticks-i.Idle) + s.Wakeups
					all = append(all, figure{string(i.Shape), s.Structure, i.N, float64(wakeups) / float64(i.Fired)})
				}
			}
		}
	case Longest:
		for _, c := range a.r.Calls {
			if ns := c.Max().NS; c.N > 0 && ns > 0 {
				all = append(all, figure{c.Workload, c.Structure, c.N, ns})
			}
		}
	}
	out, least := counted{of: make(map[string]float64)}, math.Inf(1)
	asked := cmp.Or(n, results.TypicalN)
	for _, f := range all {
		least = min(least, decades(float64(f.n), asked))
	}
	places := make(map[string]int) // by structure: of how many places its figure is
	for _, f := range all {
		if decades(float64(f.n), asked) > least {
			continue
		}
		if out.n = f.n; !slices.Contains(out.in, f.in) {
			out.in = append(out.in, f.in)
		}
		out.of[f.structure], places[f.structure] = max(out.of[f.structure], f.value), places[f.structure]+1
	}
	for name, n := range places {
		if n < len(out.in) {
			delete(out.of, name)
		}
	}
	slices.Sort(out.in)
	a.counts[key] = out
	return out
}
