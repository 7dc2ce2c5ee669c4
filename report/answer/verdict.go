package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/timerbench/timerbench/bench/stats"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Verdict is the answer for programs that are not measured: the default, and its cost on each machine.
type Verdict struct{ Machines []Overall }

// Overall sums up the cost of the default on one machine, as multiples of the fastest exact structure of each cell, without the loop.
type Overall struct {
	Machine  string         // processor, and the revision if the last run has another one
	Revision string         // of the build
	Cells    int            // that count
	Mean     float64        // geometric mean
	WithLoop float64        // the same with the loop
	Worst    stats.Estimate // of the cell with the largest multiple
	In       string         // that cell
}

// verdicts holds the verdict of the kept runs by the number of structures, as it takes seconds.
var verdicts sync.Map

// Kept returns the verdict of all runs of docs/results together, on the structures of this version.
func Kept(structures []entry.Entry) (Verdict, error) {
	compute, _ := verdicts.LoadOrStore(len(structures), sync.OnceValues(func() (Verdict, error) {
		runs, err := kept.All()
		var advisers []*Adviser
		for _, r := range runs {
			advisers = append(advisers, Of(r, structures).Adviser())
		}
		return verdictOf(advisers), err
	}))
	return compute.(func() (Verdict, error))()
}

func verdictOf(runs []*Adviser) Verdict {
	var v Verdict
	if len(runs) == 0 {
		return v
	}
	last := slices.MaxFunc(runs, func(a, b *Adviser) int { return a.r.Created.Compare(b.r.Created) }).r
	for _, a := range runs {
		if o, ok := a.Overall(); ok {
			if revision := a.r.Environment.Revision; revision != last.Environment.Revision {
				o.Machine += ", of revision " + short(revision)
			}
			v.Machines = append(v.Machines, o)
		}
	}
	return v
}

// Overall sums up the cost of the default; ok is false if the run does not have it.
func (a *Adviser) Overall() (o Overall, ok bool) {
	o.Machine, o.Revision = a.r.Environment.CPU, a.r.Environment.Revision
	net, with := 0.0, 0.0
	for _, p := range a.cells {
		row, best := p.Row(Default), p.Fastest()
		of, loop := p.Deciding(row, best), p.Ratio(row, best)
		if !of.OK() || !loop.OK() {
			continue
		}
		net, with, o.Cells = net+math.Log(of.Center), with+math.Log(loop.Center), o.Cells+1
		if of.Center > o.Worst.Center {
			o.Worst, o.In = of, fmt.Sprintf("%s with %s", p.Workload, timers(float64(p.N)))
		}
	}
	o.Mean, o.WithLoop = math.Exp(net/float64(o.Cells)), math.Exp(with/float64(o.Cells))
	return o, o.Cells > 0
}

// Line is the verdict in one sentence.
func (v Verdict) Line() []show.Span {
	return show.Line("Keep package time if timers cost little. Else see below, mostly ", show.Strong(Default), ":")
}

// Summary states the cost of the default over all machines.
func (v Verdict) Summary() string {
	var mean, with []float64
	for _, o := range v.Machines {
		mean, with = append(mean, o.Mean), append(with, o.WithLoop)
	}
	if len(mean) == 0 {
		return ""
	}
	return fmt.Sprintf("its time is %s that of the fastest on average, on %s (%s with the loop around the calls).",
		between(slices.Min(mean), slices.Max(mean)), show.Count(len(mean), "machine"), between(slices.Min(with), slices.Max(with)))
}

// short returns the first digits of a revision.
func short(revision string) string { return cmp.Or(revision[:min(8, len(revision))], show.Unknown) }

// between writes two multiples.
func between(lo, hi float64) string {
	if show.Times(lo) == show.Times(hi) {
		return show.Times(lo) + " times"
	}
	return show.Times(lo) + " to " + show.Times(hi) + " times"
}
