package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Cost sums up trials.
type Cost struct {
	Center float64 // robust estimate
	Lo, Hi float64 // of the 95 % confidence interval; infinite: too few trials
	Trials int
}

// movedTo returns the summary with another center, and an interval that is as wide on the logarithmic scale.
func (s Cost) movedTo(center float64) Cost {
	by := center / s.Center
	s.Center, s.Lo, s.Hi = center, s.Lo*by, s.Hi*by
	return s
}

// OK reports whether there is a number at all.
func (s Cost) OK() bool { return s.Trials > 0 }

// Bounded reports whether there were trials enough for an interval.
func (s Cost) Bounded() bool { return s.OK() && !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) }

// summarize returns Huber's center of samples, with an interval that holds the variation between rounds and instances. A time
// less the cost of the clock may be 0 or negative. If a value is, the center is the median, and the interval holds only
// the variation between rounds and assumes no distribution.
func summarize(samples []Sample, o Options) Cost {
	if len(samples) == 0 {
		return Cost{}
	}
	out := Cost{Trials: len(samples)}
	if !slices.ContainsFunc(samples, func(s Sample) bool { return s.Value <= 0 }) {
		center, _ := Center(samples, o)
		out.Center, out.Lo, out.Hi = center.Center, center.Lo, center.Hi
		if !center.Bounded() {
			out.Lo, out.Hi = math.Inf(-1), math.Inf(1)
		}
		return out
	}
	var values []float64
	for _, s := range samples {
		values = append(values, s.Value)
	}
	of := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), DefaultConfidence)
	out.Center, out.Lo, out.Hi = of.Center, of.Lo, of.Hi
	return out
}

// inCell returns the options of the figures of a cell.
func (c *Costs) inCell(prior Prior) Options {
	return Options{Prior: prior, Floor: InstanceFloor(c.N), BetweenRuns: BetweenRuns(c.N)}
}

// WithGC returns the costs of the contenders with the garbage collector on, by name. A contender that was not
// measured so is missing.
func (c *Costs) WithGC() map[string]Cost {
	var all [][]Sample
	for _, row := range c.Rows {
		all = append(all, Samples(row.WithGC))
	}
	o := c.inCell(PoolCenters(all))
	out := make(map[string]Cost)
	for _, row := range c.Rows {
		if s := summarize(Samples(row.WithGC), o); s.OK() {
			out[row.Structure] = s
		}
	}
	return out
}

// KindCost is the time of one operation of a kind, from the trials that were timed by kind.
func (c *Costs) KindCost(r *results.Row, kind script.Kind) Cost {
	if r == nil {
		return Cost{}
	}
	var values []Sample
	for _, t := range r.ByKind {
		for _, k := range t.Kinds {
			if k.Kind == kind && k.Count > 0 {
				values = append(values, Sample{
					Layout: t.Layout, Instance: t.Instance, Round: t.Round, Value: k.NS / float64(k.Count),
				})
			}
		}
	}
	return summarize(values, c.inCell(Prior{}))
}
