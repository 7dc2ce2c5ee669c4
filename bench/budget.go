package bench

import (
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/workload"
)

// Budget is the time of a run, from its first second. Steps that do not fit into it are taken off the list. The zero Budget has no limit.
type Budget struct {
	Limit time.Duration // 0: none

	deadline        time.Time
	estimated, took float64 // seconds of the steps so far
}

// left returns the remaining seconds.
func (b *Budget) left() float64 {
	if b.Limit == 0 {
		return math.Inf(1)
	}
	return time.Until(b.deadline).Seconds()
}

// fits reports whether the time suffices for an estimated number of seconds. The estimate is corrected by the durations so
// far, together with one second that took as long as its estimate.
func (b *Budget) fits(seconds float64) bool { return b.left() >= seconds*(b.took+1)/(b.estimated+1) }

// late reports whether a pass ends, because it took more than a twentieth of the budget after its first timed round (chosen), or
// the time of the run is over. So the limit holds on a machine on which one cell takes minutes.
func (b *Budget) late(started time.Time) bool {
	return b.left() < 0 || b.Limit > 0 && time.Since(started) > b.Limit/20
}

// charted are other workloads that charts show up to a million timers, the most wanted first.
var charted = []string{"grid-clustered-50", "hold", "conn-deadline"}

// mapped are the workloads of the map that opens the page.
var mapped = []string{"grid-uniform-0", "grid-uniform-50", "grid-uniform-90", "reschedule"}

// byInterest returns the steps in the order of a budget: first the ticks on which nothing fires, for the chart, then the cells of
// the middle sizes, of the map and of programs with a size of their own, the memory, the map among a million timers, the other
// analyses, and the other sizes from the middle outwards. Cells with constant delays come after the other cells of their size.
// Not all cells of a million timers fit, so the charted ones come first. Without a cell of a middle size the analyses
// follow the cells nearest to it.
//
// Last come the further rounds: the cell with the least part of its planned rounds is next.
func byInterest(steps []Step) []Step {
	const middle = 3e3 // between 1,000 and 10,000, the sizes of most programs
	interest := func(s Step) float64 {
		switch onMap := slices.Contains(mapped, s.cell.workload.Name); {
		case s.cell.workload.Resident > 0 && s.cell.n <= 100_000 || onMap && s.cell.n < 1e6:
			return 0
		case onMap:
			return 0.5
		}
		out := math.Floor(math.Abs(math.Log10(float64(s.cell.n)/middle))) * 2
		if g := s.cell.workload.Grid; g != nil && g.Delays == workload.Constant {
			out++
		}
		if s.cell.leaves == allButFew {
			if i := slices.Index(charted, s.cell.workload.Name); i >= 0 {
				return out - 1 + float64(i)/10
			}
			out++
		}
		return out
	}
	nearest := math.Inf(1)
	for _, s := range steps {
		if s.cell != nil {
			nearest = min(nearest, interest(s))
		}
	}
	// The groups of the list: first steps, further rounds.
	key := func(s Step) [3]float64 {
		_, ticks := s.analysis.(replay.IdleTicks)
		_, memory := s.analysis.(replay.Memory)
		switch {
		case ticks: // the second picture, and cheap
			return [3]float64{nearest - 1}
		case memory: // a picture, too
			return [3]float64{nearest + 0.25}
		case s.cell == nil:
			return [3]float64{nearest + 1}
		case s.further:
			return [3]float64{1e9, float64(s.Rounds[1].Number) / float64(s.cell.rounds), interest(s)}
		}
		return [3]float64{interest(s)}
	}
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b Step) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
	return steps
}

// fits reports whether a step stays on the list. The next rounds of a cell may take safety times as long as the last ones
// (chosen): they age their instances for longer, but have fewer contenders.
func (r *runner) fits(s Step) bool {
	const safety = 1.25
	if s.further {
		return safety*r.cells[s.cell].last.Seconds() <= r.budget.left()
	}
	seconds := s.Seconds
	if _, n := s.Of(); n == 0 && len(r.out.Cells)+len(r.out.Calls) == 0 {
		seconds += 5 * r.plan.cheapest.Seconds // an analysis leaves the time of a cell, on a slow machine too (chosen)
	}
	return r.budget.fits(seconds)
}
