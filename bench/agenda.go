package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
)

// maxPasses limits the passes of a cell to that many times those that every contender
// gets (chosen). An interval then is a third as wide as it was before the race.
const maxPasses = 10

// look decides from the rounds so far which contenders get more, and returns how many of
// the structures are in the race for a reason: 0 means that the cell is settled.
//
// The control and the structure that it repeats stay to the end, because the noise is measured
// in every round.
func (m *measured) look() (open int) {
	var rows []*contender
	var costs [][]stats.Sample
	of := "" // what the control repeats
	for _, r := range m.rows {
		switch r.Role {
		case results.RoleStructure:
			rows = append(rows, r)
			costs = append(costs, results.Samples(r.Cost))
		case results.RoleControl:
			of = r.Of
		}
	}
	decisions := stats.Race(costs, stats.Options{})
	for i, r := range rows {
		switch {
		case r.Stopped != results.StoppedDone:
		case decisions[i] == stats.Continue:
			open++
		case decisions[i] == stats.Beaten && r.Structure != of:
			r.Stopped = results.StoppedBeaten
		}
	}
	switch {
	case open == 0:
		m.close(results.StoppedSettled)
	case m.passes >= maxPasses*m.cell.passes():
		return 0
	}
	return open
}

// close ends the race of a cell. The structures that are still in it get the reason.
func (m *measured) close(reason results.Stopped) {
	for _, r := range m.rows {
		if r.Stopped == results.StoppedDone && r.Role == results.RoleStructure {
			r.Stopped = reason
		}
	}
}

// agenda decides what a run with a budget measures next, from what it has cost so far.
//
// Each cell gets one pass first, in the order of [byInterest], as far as its estimate fits into the
// time that is left. Then the open cells get more, one pass at a time. They share the time evenly,
// but the cells of the first table of the report get more. Passes of a cell are kept apart:
// noise that goes on for some rounds is another one in the next pass.
//
// Its methods accept nil, which is a run without a budget: all steps in their order.
type agenda struct {
	deadline time.Time
	cells    []*measured // that are open
	passes   int         // of all cells, after their first ones

	estimated, took float64 // seconds of the first passes so far
}

const (
	// ofFirstPass is the part of the first pass that counts as time that a cell has had (chosen).
	// If all of it did, cells of a million timers would have no second pass; if nothing did,
	// those of the first table would wait for them.
	ofFirstPass = 0.1

	// headlineShare is how much more time the cells of the report's first table get than others,
	// while they are open (chosen).
	headlineShare = 4

	// leastApart is the number of passes of other cells between two of one cell, if there are so
	// many open cells (chosen). Simulated noise that persists from round to round by 0.8 is
	// independent then: the error of 26 equal contenders falls from 0.9 to 0.05, see package
	// stats.
	leastApart = 5
)

// enter adds a cell that has had its first pass, unless it is settled.
func (a *agenda) enter(m *measured) {
	if a != nil && m.look() > 0 {
		m.spent = ofFirstPass * m.seconds
		a.cells = append(a.cells, m)
	}
}

// byInterest returns the steps in the order in which a budget is spent on them: the cells of the
// middle sizes, and of programs with a size of their own unless that is very large, then the
// analyses, and then the other sizes, from the middle outwards. Cells with constant delays come after
// the other cells of their size.
func byInterest(steps []step) []step {
	const middle = 3e3 // between 1,000 and 10,000, the sizes that most programs have
	key := func(s step) float64 {
		switch {
		case s.cell.n == 0:
			return 1
		case s.cell.workload.Resident > 0 && s.cell.n <= 100_000:
			return 0
		}
		out := math.Floor(math.Abs(math.Log10(float64(s.cell.n)/middle))) * 2
		if g := s.cell.workload.Grid; g != nil && g.Delays == workload.Constant {
			out++
		}
		return out
	}
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(key(a), key(b)) })
	return steps
}

// fits reports whether there is time for a step. Estimates are corrected by what the steps so far
// have taken, as if a second had been measured besides that took as long as its estimate.
func (a *agenda) fits(s step) bool {
	return a == nil || a.left() >= s.duration()*(a.took+1)/(a.estimated+1)
}

func (a *agenda) left() float64 { return time.Until(a.deadline).Seconds() }

func (a *agenda) learn(s step, took float64) {
	if a != nil {
		a.estimated, a.took = a.estimated+s.duration(), a.took+took
	}
}

// next returns the open cell that is to have a pass now, or nil if there is time for none: one
// whose last pass is not near, and of these the one that has had the least of its share of the
// time.
func (a *agenda) next() (best *measured) {
	left := a.left()
	rank := func(m *measured) (near int, spent float64) {
		if a.passes-m.last < min(leastApart, len(a.cells)-1) {
			near = 1
		}
		if m.cell.headline {
			return near, m.spent / headlineShare
		}
		return near, m.spent
	}
	var bestNear int
	var bestSpent float64
	for _, m := range a.cells {
		if m.took.Seconds() > left {
			continue
		}
		near, spent := rank(m)
		if best == nil || cmp.Or(near-bestNear, cmp.Compare(spent, bestSpent)) < 0 {
			best, bestNear, bestSpent = m, near, spent
		}
	}
	return best
}

// run gives the open cells more passes, until all are settled or there is no time for another
// one. It calls begins before each pass, and save after it, with the cell in out.
func (a *agenda) run(
	ctx context.Context, out *results.Run, begins func(name string), save func() error,
) error {
	if a == nil {
		return nil
	}
	for m := a.next(); m != nil; m = a.next() {
		begins(fmt.Sprintf("%s, round %d of %d structures", m.cell.name(), m.rounds, len(m.racing())))
		if err := m.pass(ctx); err != nil {
			return err
		}
		a.passes++
		m.last, m.spent = a.passes, m.spent+m.took.Seconds()
		if m.look() == 0 {
			a.cells = slices.DeleteFunc(a.cells, func(c *measured) bool { return c == m })
		}
		m.store(out)
		if err := save(); err != nil {
			return err
		}
	}
	for _, m := range a.cells {
		m.close(results.StoppedBudget)
		m.store(out)
	}
	return nil
}
