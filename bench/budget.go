package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/workload"
)

// Budget is the time of a run, from its first second. Steps that do not fit into it are not measured. The zero Budget has no limit.
type Budget struct {
	Limit time.Duration // 0: none

	deadline        time.Time
	estimated, took float64 // seconds of the steps so far
}

// start sets the deadline. spent is the number of seconds of the sessions before a run was resumed.
func (b *Budget) start(at time.Time, spent float64) {
	b.deadline = at.Add(b.Limit - time.Duration(spent*float64(time.Second)))
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

func (b *Budget) learn(s Step, took time.Duration) {
	b.estimated, b.took = b.estimated+s.Seconds, b.took+took.Seconds()
}

// late reports whether a pass ends, because it took more than a twentieth of the budget after the rounds for its proof (chosen), or
// the time of the run is over. So the limit holds on a machine on which one cell takes minutes.
func (b *Budget) late(started time.Time) bool {
	return b.left() < 0 || b.Limit > 0 && time.Since(started) > b.Limit/20
}

// charted are the workloads that charts show up to a million timers, the most wanted first.
var charted = []string{"grid-uniform-90", "grid-uniform-50", "grid-clustered-50", "hold", "conn-deadline"}

// byInterest returns the steps in the order of a budget: first the cells of the middle sizes and of
// programs with a size of their own (before them the ticks on which nothing fires, for the chart), then the analyses, then the other sizes from the middle outwards.
// Cells with constant delays come after the other cells of their size. Among a million timers, where not all cells fit, those of
// the charts come first. Without a cell of a middle size
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
		if s.Most > 0 {
			if i := slices.Index(charted, s.Workload); i >= 0 {
				return out - 1 + float64(i)/10
			}
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
		if _, ticks := s.analysis.(replay.IdleTicks); ticks { // the second picture, and cheap
			return nearest - 1
		}
		if s.cell == nil {
			return nearest + 1
		}
		return key(s)
	}
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(order(a), order(b)) })
	return steps
}

// next returns the cell that gets the next pass: the one with the least part of its rounds. It returns nil if the time suffices
// for none. The next pass of a cell may take safety times as long as the last one (chosen): it ages its instances for
// longer, but has fewer contenders.
func (r *runner) next() (best *cellRun) {
	const safety = 1.25
	left := r.rig.budget.left()
	for _, m := range r.races {
		if m.rounds >= m.cell.most || safety*m.last.Seconds() > left || len(m.rows) == 0 {
			continue
		}
		if best == nil || m.rounds*best.cell.rounds < best.rounds*m.cell.rounds {
			best = m
		}
	}
	return best
}

// spend gives the cells more passes until the time is spent.
func (r *runner) spend(ctx context.Context) error {
	for m := r.next(); m != nil; m = r.next() {
		r.begins(fmt.Sprintf("%s, round %d of %d structures", m.cell.name(), m.rounds, len(m.racing(m.rows))))
		if err := m.pass(ctx, m.rows); err != nil {
			return err
		}
		m.store(r.out)
		if err := r.save(false); err != nil {
			return err
		}
	}
	for _, m := range r.races {
		if m.rounds < m.cell.rounds {
			m.outOfTime()
			m.store(r.out)
		}
	}
	return nil
}
