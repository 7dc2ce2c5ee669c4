package report

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// confidence of every interval.
const confidence = 0.95

// stat sums up the trials of one row.
type stat struct {
	median float64
	lo, hi float64 // of the 95 % confidence interval of the median; infinite: too few trials
	mean   float64 // over all trials together
	trials int
}

// ok reports whether there is a number at all.
func (s stat) ok() bool { return s.trials > 0 }

// bounded reports whether there were trials enough for an interval.
func (s stat) bounded() bool {
	return s.trials > 0 && !math.IsInf(s.lo, 0) && !math.IsInf(s.hi, 0)
}

// ties reports whether two rows cannot be told apart: their intervals overlap.
// Without intervals there is no telling, and this reports false.
func (s stat) ties(t stat) bool {
	return s.bounded() && t.bounded() && s.lo <= t.hi && t.lo <= s.hi
}

// summarize assumes nothing about how the values are distributed.
func summarize(values []float64, mean float64) stat {
	if len(values) == 0 {
		return stat{}
	}
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	s := benchmath.AssumeNothing.Summary(sample, confidence)
	return stat{median: s.Center, lo: s.Lo, hi: s.Hi, mean: mean, trials: len(values)}
}

// cost is the time of one unit of a cell: mostly a lifecycle, a timer scheduled
// and done with.
func cost(row results.Row) stat {
	var values []float64
	var ns, units float64
	for _, t := range row.Cost {
		if t.Units <= 0 || t.NS <= 0 {
			continue
		}
		values = append(values, t.NS/t.Units)
		ns, units = ns+t.NS, units+t.Units
	}
	return summarize(values, ns/units)
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
func kindCost(row results.Row, kind script.Kind) stat {
	var values []float64
	var ns, n float64
	for _, t := range row.ByKind {
		for _, k := range t.Kinds {
			if k.Kind != kind || k.Count == 0 {
				continue
			}
			values = append(values, k.NS/float64(k.Count))
			ns, n = ns+k.NS, n+float64(k.Count)
		}
	}
	return summarize(values, ns/n)
}

// paired is the ratio of two rows of a cell, round by round: what disturbed one
// round disturbed both.
func paired(a, b results.Row) stat {
	perRound := make(map[int]float64)
	for _, t := range b.Cost {
		if t.Units > 0 && t.NS > 0 {
			perRound[t.Round] = t.NS / t.Units
		}
	}
	var ratios []float64
	for _, t := range a.Cost {
		if of := perRound[t.Round]; of > 0 && t.Units > 0 {
			ratios = append(ratios, t.NS/t.Units/of)
		}
	}
	return summarize(ratios, cost(a).mean/cost(b).mean)
}

// ranking orders the structures of a cell by cost. The first ties of them cannot
// be told from the best.
type ranking struct {
	names []string
	stats []stat
	ties  int
}

func rank(c results.Cell) ranking {
	type entry struct {
		name string
		stat
	}
	var all []entry
	for _, row := range c.Rows {
		if row.Role != results.RoleStructure {
			continue
		}
		if s := cost(row); s.ok() {
			all = append(all, entry{row.Structure, s})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		switch {
		case a.median < b.median:
			return -1
		case a.median > b.median:
			return 1
		}
		return 0
	})
	var r ranking
	for i, e := range all {
		r.names = append(r.names, e.name)
		r.stats = append(r.stats, e.stat)
		if i == 0 || (r.ties == i && e.ties(all[0].stat)) {
			r.ties = i + 1
		}
	}
	return r
}
