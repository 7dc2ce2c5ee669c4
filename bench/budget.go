package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// A contender gets no more rounds if it took clearlyBehind times as long as the best structure in each
// of at least leastRounds rounds. After enoughRounds it suffices that it took longer in each round,
// and somewhatBehind times as long in the mean. The values are chosen by a simulation: with noise of 28 %
// from round to round, the best of 30 equal structures is dropped in less than 1 % of cells.
const (
	leastRounds, clearlyBehind   = 3, 2.0
	enoughRounds, somewhatBehind = 12, 1.3
)

// behind reports whether the log ratios of a contender to the best structure, one for each round, are
// far enough above 0 to drop the contender.
func behind(ratios []float64) bool {
	if len(ratios) < leastRounds {
		return false
	}
	least := slices.Min(ratios)
	return least >= math.Log(clearlyBehind) ||
		len(ratios) >= enoughRounds && least > 0 && meanRatio(ratios) >= somewhatBehind
}

// logRatios returns the logarithms of the ratios of two contenders in their common rounds.
func logRatios(a, b []results.Trial) (logs []float64) {
	rounds := make(map[int]float64)
	for _, t := range b {
		rounds[t.Round] = t.NS
	}
	for _, t := range a {
		if of := rounds[t.Round]; of > 0 && t.NS > 0 {
			logs = append(logs, math.Log(t.NS/of))
		}
	}
	return logs
}

// meanRatio returns the geometric mean of ratios.
func meanRatio(logs []float64) float64 {
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	return math.Exp(sum / float64(max(1, len(logs))))
}

// bestOf returns the structure with the least mean cost that is not beaten, or nil.
func bestOf(rows []*results.Row) (best *results.Row) {
	for _, r := range rows {
		if r.Role == results.RoleStructure && r.Stopped != results.StoppedBeaten && len(r.Cost) > 0 &&
			(best == nil || meanRatio(logRatios(r.Cost, best.Cost)) < 1) {
			best = r
		}
	}
	return best
}

// dropBehind stops the contenders that are far behind the best structure. The floor gets all rounds. The control stops with the
// structure that it repeats.
func (m *cellRun) dropBehind() {
	var rows []*results.Row
	for _, r := range m.rows {
		rows = append(rows, &r.Row)
	}
	best := bestOf(rows)
	for _, r := range rows {
		stays := r.Role == results.RoleFloor || r.Role == results.RoleControl
		if best != nil && !stays && r.Stopped == results.StoppedDone && behind(logRatios(r.Cost, best.Cost)) {
			r.Stopped = results.StoppedBeaten
		}
	}
	for _, r := range rows {
		if i := slices.IndexFunc(rows, func(of *results.Row) bool { return of.Structure == r.Of }); r.Role == results.RoleControl && i >= 0 {
			r.Stopped = rows[i].Stopped
		}
	}
}

// budget decides what a run with a budget measures next, from the durations so far.
//
// First each cell gets one pass, in the order of [byInterest], if its estimate fits into the
// remaining time. Then the cells get more passes: always the cell that has the least part of its
// planned rounds. So passes of other cells separate two passes of a cell, because noise lasts for some
// rounds.
//
// Its methods accept nil, which is a run without a budget.
type budget struct {
	deadline time.Time
	cells    []*cellRun // in the order of their first passes

	estimated, took float64 // seconds of the first passes so far
}

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

// enter adds a cell after its first pass. The structures of a cell that are measured one after the
// other get one pass.
func (b *budget) enter(m *cellRun) {
	if b != nil && !m.cell.apart {
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

// ofLongestPass is the budget divided by the longest time of a pass, after the rounds for its proof
// (chosen).
const ofLongestPass = 20

// safety is the part of the last pass of a cell that the next one may take (chosen). The next one ages
// its instances for longer, but has fewer contenders.
const safety = 1.25

// next returns the cell that gets the next pass, or nil if the time suffices for none.
func (b *budget) next() (best *cellRun) {
	left := b.left()
	for _, m := range b.cells {
		if m.rounds >= m.cell.most || safety*m.took.Seconds() > left || len(m.rows) == 0 {
			continue
		}
		if best == nil || m.rounds*best.cell.rounds < best.rounds*m.cell.rounds {
			best = m
		}
	}
	return best
}

// spend gives the cells more passes until the time is spent. It calls begins before each pass, and
// save after it, with the cell in out.
func (b *budget) spend(
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
		m.store(out)
		if err := save(); err != nil {
			return err
		}
	}
	for _, m := range b.cells {
		if m.rounds < m.cell.rounds {
			m.outOfTime()
			m.store(out)
		}
	}
	return nil
}

// outOfTime notes that the contenders of the cell got fewer rounds than planned.
func (m *cellRun) outOfTime() {
	for _, r := range m.rows {
		if r.Stopped == results.StoppedDone && (r.Role == results.RoleStructure || r.Role == results.RoleIntrusive) {
			r.Stopped = results.StoppedBudget
		}
	}
}
