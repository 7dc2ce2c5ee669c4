package analysis

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// Stat sums up trials.
type Stat struct {
	Median float64
	Lo, Hi float64 // of the 95 % confidence interval; infinite: too few trials
	Mean   float64 // over all trials together
	Trials int
	Level  stats.Level // the variation that is in the interval
}

// OK reports whether there is a number at all.
func (s Stat) OK() bool { return s.Trials > 0 }

// Bounded reports whether there were trials enough for an interval.
func (s Stat) Bounded() bool { return s.OK() && !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) }

// summarize returns the median of samples. Its interval holds the variation between instances. If
// some value is not positive, which a time less the cost of the clock may be, then it holds only
// that between rounds and assumes nothing about how the values are distributed.
func summarize(samples []stats.Sample, mean float64, o stats.Options) Stat {
	if len(samples) == 0 {
		return Stat{}
	}
	var values []float64
	for _, s := range samples {
		values = append(values, s.Value)
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	of := benchmath.AssumeNothing.Summary(sample, stats.DefaultConfidence)
	out := Stat{Median: of.Center, Lo: of.Lo, Hi: of.Hi, Mean: mean, Trials: len(samples)}
	if slices.Min(values) <= 0 {
		return out
	}
	center, _ := stats.Center(samples, o)
	out.Lo, out.Hi, out.Level = math.Inf(-1), math.Inf(1), center.Level
	if center.Bounded() {
		out.Lo, out.Hi = min(center.Lo, out.Median), max(center.Hi, out.Median)
	}
	return out
}

// inCell returns the options of the figures of a cell.
func (c *Cell) inCell(prior stats.Prior) stats.Options {
	return stats.Options{Prior: prior, BetweenRuns: stats.BetweenRuns(c.N)}
}

// costOf is the time of one unit.
func costOf(trials []results.Trial, o stats.Options) Stat {
	var ns, units float64
	for _, t := range trials {
		if t.Units > 0 && t.NS > 0 {
			ns, units = ns+t.NS, units+t.Units
		}
	}
	return summarize(results.Samples(trials), ns/units, o)
}

// WithGC returns the costs of the contenders with the garbage collector on, as far as they were
// measured, by name.
func (c *Cell) WithGC() map[string]Stat {
	var all [][]stats.Sample
	for _, row := range c.Rows {
		all = append(all, results.Samples(row.WithGC))
	}
	o := c.inCell(stats.PoolCenters(all))
	out := make(map[string]Stat)
	for _, row := range c.Rows {
		if s := costOf(row.WithGC, o); s.OK() {
			out[row.Structure] = s
		}
	}
	return out
}

// KindCost is the time of one operation of a kind, from the trials that were timed by kind.
func (r *Row) KindCost(kind script.Kind) Stat {
	if r == nil {
		return Stat{}
	}
	var values []stats.Sample
	var ns, n float64
	for _, t := range r.ByKind {
		for _, k := range t.Kinds {
			if k.Kind == kind && k.Count > 0 {
				values = append(values, stats.Sample{
					Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: k.NS / float64(k.Count),
				})
				ns, n = ns+k.NS, n+float64(k.Count)
			}
		}
	}
	return summarize(values, ns/n, r.cell.inCell(stats.Prior{}))
}

// Allocations are the objects and bytes allocated in one unit, over all trials together.
func (r *Row) Allocations() (objects, bytes float64) {
	var units float64
	for _, t := range r.Row.Cost {
		objects += float64(t.Allocs)
		bytes += float64(t.AllocBytes)
		units += t.Units
	}
	if units <= 0 {
		return 0, 0
	}
	return objects / units, bytes / units
}
