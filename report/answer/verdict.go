package answer

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Verdict is the answer for programs that are not measured: what the default costs on each machine, as the geometric mean of its
// multiples of the fastest exact structure over all cells, without the loop and with it.
type Verdict struct{ Means, WithLoop []float64 }

// VerdictOf returns the verdict of runs of several machines together, on the structures of this version. It takes seconds.
func VerdictOf(runs []*results.Run, structures []entry.Entry) (v Verdict) {
	for _, r := range runs {
		var cells []*stats.Costs
		for _, p := range Of(r, structures).Adviser().cells {
			cells = append(cells, p.Costs)
		}
		net, n := Mean(cells, func(c *stats.Costs) stats.Estimate { return c.Deciding(c.Row(Default), c.Fastest()) })
		with, _ := Mean(cells, func(c *stats.Costs) stats.Estimate { return c.Ratio(c.Row(Default), c.Fastest()) })
		if n > 0 {
			v.Means, v.WithLoop = append(v.Means, net), append(v.WithLoop, with)
		}
	}
	return v
}

// Text is the verdict in two sentences.
func (v Verdict) Text() show.Text {
	if len(v.Means) == 0 {
		return nil
	}
	return show.Para("Keep package time if timers cost little. Else see below, mostly ", show.Strong(Default),
		fmt.Sprintf(": its time is %s that of the fastest on average, on %s (%s with the loop around the calls).", between(v.Means),
			show.Count(len(v.Means), "machine"), between(v.WithLoop)))
}

// between writes the least and the largest of multiples.
func between(multiples []float64) string {
	lo, hi := show.Times(slices.Min(multiples)), show.Times(slices.Max(multiples))
	if lo == hi {
		return lo + " times"
	}
	return lo + " to " + hi + " times"
}
