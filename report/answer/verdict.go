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

// Verdict is the answer for programs that are not measured: the default, its cost on each machine, and the exceptions.
type Verdict struct {
	Machines   []Overall
	Exceptions []Exception // the largest gain first
}

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

// Exception is a place of the map where the default is not named, on each run that measured it.
type Exception struct {
	Mix      string // of the program, in words
	From, To int    // the numbers of timers
	Name     string
	Lo, Hi   float64 // the time of the default as a multiple, without the loop: the lowest and the highest over machines and sizes
	Machines int
}

// When says for which programs it is.
func (e Exception) When() string {
	sizes := show.Grouped(e.From)
	if e.From != e.To {
		sizes += " to " + show.Grouped(e.To)
	}
	return fmt.Sprintf("%s, %s timers", e.Mix, sizes)
}

// Gain writes the speed in words.
func (e Exception) Gain() string { return between(e.Lo, e.Hi) + " as fast" }

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
	v := Verdict{Exceptions: exceptions(runs)}
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

// Exceptions returns the places of the map of this run where the default is not named.
func (a *Adviser) Exceptions() []Exception { return exceptions([]*Adviser{a}) }

// exceptions returns the places of the map where all runs that measured them name the same structure, which is not the default.
// Neighboring sizes with the same structure are one exception.
func exceptions(runs []*Adviser) []Exception {
	var out []Exception
	for _, mix := range Mixes {
		first := len(out)
		for n := 10; n <= 1_000_000; n *= 10 {
			one, agree := Exception{Mix: mix.Words, From: n, To: n}, true
			for _, a := range runs {
				_, cell, ok := a.Mapped(n, mix)
				if !ok || cell.Row(Default) == nil {
					continue
				}
				named := cell.Named()
				gain := cell.Deciding(cell.Row(Default), named).Center
				agree = agree && (one.Machines == 0 || named.Structure == one.Name)
				if one.Name = named.Structure; one.Machines == 0 {
					one.Lo, one.Hi = gain, gain
				}
				one.Lo, one.Hi, one.Machines = min(one.Lo, gain), max(one.Hi, gain), one.Machines+1
			}
			if !agree || one.Machines == 0 || one.Name == Default {
				continue
			}
			if last := len(out) - 1; last >= first && out[last].Name == one.Name && 10*out[last].To == n {
				l := &out[last]
				l.To, l.Lo, l.Hi, l.Machines = n, min(l.Lo, one.Lo), max(l.Hi, one.Hi), min(l.Machines, one.Machines)
			} else {
				out = append(out, one)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Exception) int { return cmp.Compare(y.Lo, x.Lo) })
	return out
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

// Basis states the worst cell of all machines, and the revisions that were measured.
func (v Verdict) Basis() string {
	var worst Overall
	var revisions []string
	for _, o := range v.Machines {
		if o.Worst.Center > worst.Worst.Center {
			worst = o
		}
		if of := short(o.Revision); !slices.Contains(revisions, of) {
			revisions = append(revisions, of)
		}
	}
	return fmt.Sprintf("The worst cell is %s on %s: %s times. Times are those without the loop around the calls, structures that fire late do not count, and the runs are of %s.",
		worst.In, worst.Machine, ratioOf(worst.Worst), show.And(revisions))
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
