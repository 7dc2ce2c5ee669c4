package answer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Verdict is the answer for programs that are not measured: the default, its cost on each machine, and the exceptions.
type Verdict struct {
	Machines   []Overall
	Exceptions []Exception // the largest gain first
}

// Overall sums up the cost of the default on one machine, as multiples of the fastest exact structure of each cell. A cost is the time
// of the timed loop, which the harness is a part of.
type Overall struct {
	Machine  string         // processor, and the revision if the last run has another one
	Revision string         // of the build
	Cells    int            // that count
	Mean     float64        // geometric mean
	Worst    stats.Interval // of the cell with the largest multiple
	In       string         // that cell

	newest bool               // of all runs
	each   map[string]float64 // the multiple of each cell, by its name as in In
}

// Exception is a kind of program for which one structure is certainly faster than the default on half of the machines that measured it,
// and more than a tie on each.
type Exception struct {
	Mix      string // of the program, in words
	From, To int    // the numbers of timers
	Name     string
	Lo, Hi   float64 // speed relative to the default's: the lowest and the highest center over machines and sizes
	Machines int
}

// When says for which programs it is.
func (e Exception) When() string {
	sizes := show.Grouped(e.From)
	switch {
	case e.From == leastN:
		sizes = "at most " + show.Grouped(e.To)
	case e.From != e.To:
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
	var v Verdict
	if len(runs) == 0 {
		return v
	}
	last := slices.MaxFunc(runs, func(a, b *Adviser) int { return a.r.Created.Compare(b.r.Created) }).r
	for _, a := range runs {
		if o, ok := a.overall(); ok {
			if revision := a.r.Environment.Revision; revision != last.Environment.Revision {
				o.Machine += ", of revision " + short(revision)
			}
			o.newest = a.r == last
			v.Machines = append(v.Machines, o)
		}
	}
	for _, mix := range []struct {
		words string
		Question
	}{
		{"none cancelled", Question{}}, {"50 % cancelled", Question{Cancel: 0.5}}, {"90 % cancelled", Question{Cancel: 0.9}},
		{"98 % of the calls move a timer", Question{Cancel: 0.9, Reschedule: 0.98}},
		{"constant delays", Question{Cancel: Unknown, Delays: workload.Constant}},
	} {
		v.Exceptions = append(v.Exceptions, exceptions(runs, mix.words, mix.Question)...)
	}
	slices.SortStableFunc(v.Exceptions, func(x, y Exception) int { return cmp.Compare(y.Lo, x.Lo) })
	return v
}

// overall sums up the cost of the default; ok is false if the run does not have it.
func (a *Adviser) overall() (o Overall, ok bool) {
	o.Machine, o.Revision, o.each = a.r.Environment.CPU, a.r.Environment.Revision, make(map[string]float64)
	logs := 0.0
	for _, c := range a.cells {
		ranked := c.ranked[false]
		if len(ranked) == 0 {
			continue
		}
		ratio := c.Ratio(c.Row(Default), ranked[0]).Interval
		if !(ratio.Center > 0) {
			continue
		}
		logs, o.Cells = logs+math.Log(ratio.Center), o.Cells+1
		name := fmt.Sprintf("%s with %s", c.Workload, timers(float64(c.N)))
		if o.each[name] = ratio.Center; ratio.Center > o.Worst.Center {
			o.Worst, o.In = ratio, name
		}
	}
	o.Mean = math.Exp(logs / float64(o.Cells))
	return o, o.Cells > 0
}

// leastN is the smallest number of timers of an exception.
const leastN = 100

// exceptions returns the exceptions for one mix. Neighboring sizes with the same structure are one exception.
func exceptions(runs []*Adviser, mix string, q Question) []Exception {
	var out []Exception
	for n := leastN; n <= 1_000_000; n *= 10 {
		q.N = float64(n)
		gains, sure := make(map[string][]float64), make(map[string]int) // by machine
		machines := 0
		for _, a := range runs {
			if a.check(q) != nil {
				continue
			}
			x, ranks, err := a.answer(q)
			usual := x.Of(Default)
			if err != nil || usual == nil || x.Far != "" {
				continue
			}
			machines++
			for i := range x.Ranking {
				s := &x.Ranking[i]
				gain, standing := ranks.compare(usual, s)
				if standing == stats.Worse {
					sure[s.Structure]++
				}
				if gain.Center > 1+stats.DefaultWidth {
					gains[s.Structure] = append(gains[s.Structure], gain.Center)
				}
			}
		}
		var best *Exception
		for _, name := range slices.Sorted(maps.Keys(gains)) {
			list := gains[name]
			if len(list) == machines && 2*sure[name] >= machines && (best == nil || slices.Min(list) > best.Lo) {
				best = &Exception{Mix: mix, From: n, To: n, Name: name, Lo: slices.Min(list), Hi: slices.Max(list), Machines: machines}
			}
		}
		if best == nil {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].Name == best.Name && 10*out[last].To == n {
			l := &out[last]
			l.To, l.Lo, l.Hi, l.Machines = n, min(l.Lo, best.Lo), max(l.Hi, best.Hi), min(l.Machines, best.Machines)
		} else {
			out = append(out, *best)
		}
	}
	return out
}

// Line is the verdict in one sentence.
func (v Verdict) Line() []show.Span {
	return show.Line("Keep package time if timers cost little. Else see below, mostly ", show.Strong(Default), ":")
}

// Summary states the cost of the default over all machines.
func (v Verdict) Summary() string {
	var mean []float64
	for _, o := range v.Machines {
		mean = append(mean, o.Mean)
	}
	if len(mean) == 0 {
		return ""
	}
	return fmt.Sprintf("its time is %s that of the fastest on average, on %s.",
		between(slices.Min(mean), slices.Max(mean)), show.Count(len(mean), "machine"))
}

// Basis states the worst cell of all machines, what the newest run has there, and the revisions that were measured.
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
	since := ""
	for _, o := range v.Machines {
		if now := o.each[worst.In]; o.newest && o.Machine != worst.Machine && now > 0 {
			since = "; the newest run has " + show.Times(now) + " times there"
		}
	}
	return fmt.Sprintf("The worst cell is %s on %s: %s times (%s)%s. Times contain the loop around the calls, coarse structures do not count, and the runs are of %s.",
		worst.In, worst.Machine, show.Times(worst.Worst.Center), apart(worst.Worst), since, show.And(revisions))
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
