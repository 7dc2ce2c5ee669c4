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

// maxPasses limits the passes of a cell, as a multiple of the passes of its trials (chosen). An
// interval then is a third as wide as before the race.
const maxPasses = 10

// look decides from the rounds so far which contenders get more. It returns the number of structures
// with an open question: 0 means that the cell is settled.
//
// The control and the structure that it repeats stay to the end, because the noise is measured
// in every round.
func (m *cellRun) look() (open int) {
	if m.rounds >= stats.LeastRounds {
		m.looks++
	}
	var rows []*contender
	var costs [][]stats.Sample
	of := "" // the structure that the control repeats
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
		m.looks = stats.RaceLooks // the race would have gone on otherwise
		m.close(results.StoppedSettled)
	case m.passes >= maxPasses*m.cell.passes():
		return 0
	}
	return open
}

// close ends the race of a cell. The structures that are still in the race get the reason.
func (m *cellRun) close(reason results.Stopped) {
	for _, r := range m.rows {
		if r.Stopped == results.StoppedDone && r.Role == results.RoleStructure {
			r.Stopped = reason
		}
	}
}

// budget decides what a run with a budget measures next, from the durations so far.
//
// First each cell gets one pass, in the order of [byInterest], if its estimate fits into the
// remaining time. Then the open cells get more, one pass at a time. They share the time evenly,
// except that the cells in the first table of the report get more. Other passes separate two passes of
// a cell: noise that lasts for some rounds differs in the next pass.
//
// Its methods accept nil, which is a run without a budget.
type budget struct {
	deadline time.Time
	cells    []*cellRun // open ones
	passes   int        // of all cells, after their first ones

	estimated, took float64 // seconds of the first passes so far
}

const (
	// ofFirstPass is the part of the first pass that counts as time spent on a cell (chosen). With all
	// of it, cells of a million timers would have no second pass. With none of it, the cells of the
	// first table would wait for them.
	ofFirstPass = 0.1

	// headlineShare is the share of the time of an open cell in the first table of the report, relative
	// to other cells (chosen).
	headlineShare = 4

	// leastApart is the number of passes of other cells between two passes of a cell, if there are
	// enough open cells (chosen). Simulated noise with a correlation of 0.8 between rounds is
	// independent then: the error of 26 equal contenders falls from 0.9 to 0.05, see package stats.
	leastApart = 5
)

// newBudget returns the budget of a run that started at that time; nil if limit is 0. spent is the
// number of seconds of the sessions before a run was resumed.
func newBudget(limit time.Duration, started time.Time, spent float64) *budget {
	if limit == 0 {
		return nil
	}
	return &budget{deadline: started.Add(limit - time.Duration(spent*float64(time.Second)))}
}

// order returns the steps in the order in which the run makes them.
func (b *budget) order(steps []Step) []Step {
	if b == nil {
		return steps
	}
	return byInterest(steps)
}

// byInterest returns the steps in the order of a budget: first the cells of the middle sizes and of
// programs with a size of their own, then the analyses, then the other sizes from the middle outwards.
// Cells with constant delays come after the other cells of their size. Without a cell of a middle size
// the analyses follow the cells that are nearest to it.
func byInterest(steps []Step) []Step {
	const middle = 3e3 // between 1,000 and 10,000, the sizes of most programs
	key := func(s Step) float64 {
		if s.cell.workload.Resident > 0 && s.N <= 100_000 {
			return 0
		}
		out := math.Floor(math.Abs(math.Log10(float64(s.N)/middle))) * 2
		if g := s.cell.workload.Grid; g != nil && g.Delays == workload.Constant {
			out++
		}
		return out
	}
	nearest := math.Inf(1)
	for _, s := range steps {
		if s.cell != nil {
			nearest = min(nearest, key(s))
		}
	}
	order := func(s Step) float64 {
		if s.cell == nil {
			return nearest + 1
		}
		return key(s)
	}
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(order(a), order(b)) })
	return steps
}

// enter adds a cell after its first pass, unless it is settled. The structures of a cell that are
// measured one after the other have no race.
func (b *budget) enter(m *cellRun) {
	if b != nil && !m.cell.apart && m.look() > 0 {
		m.spent = ofFirstPass * m.seconds
		b.cells = append(b.cells, m)
	}
}

// fits reports whether the time suffices for a step. The estimate is corrected by the durations so
// far, together with one second that took as long as its estimate.
func (b *budget) fits(s Step) bool {
	return b == nil || b.left() >= s.Seconds*(b.took+1)/(b.estimated+1)
}

func (b *budget) left() float64 { return time.Until(b.deadline).Seconds() }

// learn takes the duration of a step.
func (b *budget) learn(s Step, took time.Duration) {
	if b != nil {
		b.estimated, b.took = b.estimated+s.Seconds, b.took+took.Seconds()
	}
}

// next returns the open cell that gets the next pass, or nil if the time suffices for none. It prefers a
// cell whose last pass is not near, then the cell with the least part of its share of the time.
func (b *budget) next() (best *cellRun) {
	left := b.left()
	rank := func(m *cellRun) (near int, spent float64) {
		if b.passes-m.last < min(leastApart, len(b.cells)-1) {
			near = 1
		}
		if m.cell.headline {
			return near, m.spent / headlineShare
		}
		return near, m.spent
	}
	var bestNear int
	var bestSpent float64
	for _, m := range b.cells {
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

// race gives the open cells more passes, until all are settled or the time is spent. It calls begins
// before each pass, and save after it, with the cell in out.
func (b *budget) race(
	ctx context.Context, out *results.Run, begins func(name string), save func() error,
) error {
	if b == nil {
		return nil
	}
	for m := b.next(); m != nil; m = b.next() {
		begins(fmt.Sprintf("%s, round %d of %d structures", m.cell.name(), m.rounds, len(m.racing())))
		if err := m.pass(ctx); err != nil {
			return err
		}
		b.passes++
		m.last, m.spent = b.passes, m.spent+m.took.Seconds()
		if m.look() == 0 {
			b.cells = slices.DeleteFunc(b.cells, func(c *cellRun) bool { return c == m })
		}
		m.store(out)
		if err := save(); err != nil {
			return err
		}
	}
	for _, m := range b.cells {
		m.close(results.StoppedBudget)
		m.store(out)
	}
	return nil
}
