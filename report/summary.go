package report

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// confidence of every interval.
const confidence = stats.DefaultConfidence

// stat sums up the trials of one row.
type stat struct {
	median   float64
	lo, hi   float64 // of the 95 % confidence interval; infinite: too few trials
	mean     float64 // over all trials together
	trials   int
	level    stats.Level // the variation that is in the interval
	warnings []error     // of the summary
}

// ok reports whether there is a number at all.
func (s stat) ok() bool { return s.trials > 0 }

// bounded reports whether there were trials enough for an interval.
func (s stat) bounded() bool {
	return s.trials > 0 && !math.IsInf(s.lo, 0) && !math.IsInf(s.hi, 0)
}

// summarize returns the median of samples. Its interval holds the variation between instances. If some
// value is not positive, which a time less the cost of the clock may be, then it holds
// only that between rounds and assumes nothing about how the values are distributed.
func summarize(samples []stats.Sample, mean float64, o stats.Options) stat {
	if len(samples) == 0 {
		return stat{}
	}
	var values []float64
	for _, s := range samples {
		values = append(values, s.Value)
	}
	summary := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), confidence)
	out := stat{median: summary.Center, lo: summary.Lo, hi: summary.Hi, mean: mean, trials: len(samples), warnings: summary.Warnings}
	if slices.Min(values) <= 0 {
		return out
	}
	center, _ := stats.Center(samples, o)
	out.lo, out.hi, out.level = math.Inf(-1), math.Inf(1), center.Level
	if center.Bounded() {
		out.lo, out.hi = min(center.Lo, out.median), max(center.Hi, out.median)
	}
	return out
}

// inCell returns the options of the figures of a cell. The prior is that of its contenders.
func inCell(c results.Cell, prior stats.Prior) stats.Options {
	return stats.Options{Prior: prior, BetweenRuns: stats.BetweenRuns(c.N)}
}

// cost is the time of one unit of a cell: mostly a lifecycle, a timer scheduled
// and done with.
func cost(row results.Row, o stats.Options) stat {
	var ns, units float64
	for _, t := range row.Cost {
		if t.Units > 0 && t.NS > 0 {
			ns, units = ns+t.NS, units+t.Units
		}
	}
	return summarize(costSamples(row), ns/units, o)
}

// allocations are the objects and bytes allocated in one unit, over all
// trials together.
func allocations(row results.Row) (objects, bytes float64, ok bool) {
	var units float64
	for _, t := range row.Cost {
		objects += float64(t.Allocs)
		bytes += float64(t.AllocBytes)
		units += t.Units
	}
	if units <= 0 {
		return 0, 0, false
	}
	return objects / units, bytes / units, true
}

// kindCost is the time of one operation of a kind, from the trials that were
// timed by kind.
func kindCost(row results.Row, kind script.Kind, o stats.Options) stat {
	var values []stats.Sample
	var ns, n float64
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			if k.Kind != kind || k.Count == 0 {
				continue
			}
			values = append(values, stats.Sample{Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: k.NS / float64(k.Count)})
			ns, n = ns+k.NS, n+float64(k.Count)
		}
	}
	return summarize(values, ns/n, o)
}
