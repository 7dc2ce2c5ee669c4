package analysis

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

func TestCost(t *testing.T) {
	t.Parallel()
	s := costOf(append(trials(5, 1, 3, 2, 4, 9), results.Trial{NS: 7}, results.Trial{Units: 7}), stats.Options{})
	if s.Trials != 6 || s.Center < 3 || s.Center > 4 || s.Lo >= 3 || s.Lo < 1 || s.Hi <= 4 || s.Hi > 9.5 || s.Mean != 4 || s.Level != stats.Rounds {
		t.Errorf("%+v", s)
	}
	if s := costOf(trials(3), stats.Options{}); s.Bounded() || math.Abs(s.Center-3) > 1e-9 {
		t.Errorf("one trial has no 95 %% interval: %+v", s)
	}
	if s := costOf(nil, stats.Options{}); s.OK() || s.Bounded() {
		t.Errorf("no trials: %+v", s)
	}
	row := &Row{Row: results.Row{Cost: []results.Trial{{Units: 10, Allocs: 5, AllocBytes: 50}, {Units: 10, Allocs: 15, AllocBytes: 250}}}}
	if objects, size := row.Allocations(); objects != 1 || size != 15 {
		t.Error(objects, size)
	}
}

// A time less the cost of the clock may be negative. It is counted all the same.
func TestNegativeTimesCount(t *testing.T) {
	t.Parallel()
	s := summarize([]stats.Sample{{Value: -4}, {Value: 2}, {Value: 3}, {Value: 4}, {Value: 5}, {Value: 6}, {Value: 7}}, 3, stats.Options{})
	if s.Trials != 7 || s.Center != 4 || s.Lo != -4 || s.Hi != 7 {
		t.Errorf("%+v", s)
	}
}

// first analyses a run and returns its first cell.
func first(r results.Run, cells ...results.Cell) *Cell {
	r.Cells = cells
	return Of(&r).Cells[0]
}

func TestAnalyse(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: role, Cost: trials(ns...)}
	}
	c := results.Cell{N: 10_000, Rows: []results.Row{
		row("slow", results.RoleStructure, 7, 7, 7, 7, 7, 8),
		row("unclear", results.RoleStructure, 2, 2.2, 2.1, 2.2, 1.9, 2),
		row("tie", results.RoleStructure, 2.01, 2.02, 2, 2, 2.03, 2.01),
		row("best", results.RoleStructure, 2, 2.01, 2.02, 2, 2.01, 2),
		row("null", results.RoleFloor, 1, 1, 1, 1, 1, 1),
		row("none", results.RoleStructure),
	}}
	a := first(results.Run{}, c)
	if got := Names(a.In(stats.Tie)); !slices.Equal(got, []string{"best", "tie"}) {
		t.Errorf("ties: %v", got)
	}
	if got := Names(a.In(stats.Unclear)); !slices.Equal(got, []string{"unclear"}) {
		t.Errorf("unclear: %v", got)
	}
	mayBeBest := func(name string) bool { return a.Row(name).MayBeBest() }
	if others := a.In(stats.Worse); len(others) != 1 || others[0].Structure != "slow" ||
		mayBeBest("slow") || !mayBeBest("unclear") || mayBeBest("null") || mayBeBest("absent") {
		t.Errorf("others: %+v", others)
	}
	if r := a.Row("null").ToBest(); r.Center < 0.48 || r.Center > 0.51 {
		t.Errorf("the floor to the best: %+v", r)
	}
	for i := range c.Rows {
		c.Rows[i].Cost = c.Rows[i].Cost[:min(1, len(c.Rows[i].Cost))]
	}
	if a := first(results.Run{}, c); len(Names(a.In(stats.Tie))) != 1 || len(a.In(stats.Worse)) != 0 {
		t.Errorf("one trial each says nothing but what is first: %+v", a.Ranked)
	}
}

// A cell learns the noise from its own rounds. Other cells say nothing of it, however alike they are.
func TestACellIsAsNoisyAsItsOwnRounds(t *testing.T) {
	t.Parallel()
	cell := func(workload string, noise float64) results.Cell {
		c := results.Cell{Workload: workload, N: 1000}
		for i, name := range []string{"a", "b", "a-control"} {
			row := results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(10, 10, 10, 10, 10, 10)}
			if i == 2 {
				row.Role, row.Of = results.RoleControl, "a"
			}
			for j := range row.Cost {
				row.Cost[j].NS *= 1 + noise*float64((i*7+j*5+i*j)%4)
			}
			c.Rows = append(c.Rows, row)
		}
		return c
	}
	half := func(cells ...results.Cell) float64 {
		a := first(results.Run{}, cells...)
		return a.Row("b").RatioTo(a.Row("a")).SE
	}
	var costs [][]stats.Sample
	noisy := first(results.Run{}, cell("w", 0.1))
	for _, row := range noisy.Rows {
		costs = append(costs, row.Samples)
	}
	if want := stats.NewCell(costs, stats.Options{Floor: stats.InstanceFloor(1000)}).Options; noisy.Options != want {
		t.Errorf("%+v, want the noise of structures and control %+v", noisy.Options, want)
	}
	alone, beside := half(cell("w", 0.01)), half(cell("w", 0.01), cell("x", 0.3), cell("y", 0.3), cell("z", 0.3))
	if alone != beside || half(cell("w", 0.1)) < 1.5*alone {
		t.Errorf("alone %v, with noisy neighbors %v, noisy itself %v", alone, beside, half(cell("w", 0.1)))
	}
}

// The reference seems cheapest because it was chosen: its cost rises, and the ratios to it fall, down to 1. A structure
// without a common round has a cost, and no place.
func TestTheChosenIsDearerThanItSeems(t *testing.T) {
	t.Parallel()
	row := func(name string, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns...)}
	}
	apart := row("apart", 50, 50)
	apart.Cost[0].Round, apart.Cost[1].Round = 100, 101
	c := first(results.Run{}, results.Cell{N: 10_000, Rows: []results.Row{
		row("c", 12, 10.4, 12, 10.4, 12, 10.4), row("b", 12, 10.2, 12, 10.2, 12, 10.2), apart,
		row("a", 10, 12, 10, 12, 10, 12), row("slow", 30, 36, 30, 36, 30, 36),
	}})
	a, slow := c.Row("a"), c.Row("slow")
	by, seems := math.Exp(c.optimism), costOf(a.Row.Cost, a.cell.inCell(a.cell.centers)).Center
	near := func(x, y float64) bool { return math.Abs(x/y-1) < 1e-6 }
	if by < 1.05 || !near(a.Cost().Center, seems*by) || !near(slow.Cost().Center, seems*slow.measured) || !near(slow.RatioTo(a).Center, slow.measured/by) {
		t.Errorf("%v by choice: %v instead of %v, %+v", by, a.Cost().Center, seems, slow.RatioTo(a))
	}
	if got := Names(c.Ranked); !slices.Equal(got, []string{"a", "b", "c", "slow"}) || c.Row("b").RatioTo(a).Center != 1 {
		t.Errorf("%v, b is %+v", got, c.Row("b").RatioTo(a))
	}
	if r := c.Row("apart"); r.RatioTo(a).Pairs != 0 || !r.Cost().OK() {
		t.Errorf("without a common round %+v", r.Cost())
	}
}

// A structure whose printed interval holds 1 may be the best, though the one-sided comparison is stricter.
func TestAPrintedIntervalAgreesWithItsStanding(t *testing.T) {
	t.Parallel()
	a, b := results.Row{Structure: "a", Role: results.RoleStructure}, results.Row{Structure: "b", Role: results.RoleStructure}
	for i, e := range []float64{1, -1, 0.5, 0.2, -0.6, 0.9, -0.9, -0.1, 0.6, -0.5, 0.1, -0.2} {
		a.Cost = append(a.Cost, results.Trial{Round: i, NS: 100, Units: 10})
		b.Cost = append(b.Cost, results.Trial{Round: i, NS: 100 * math.Exp(0.1*e+0.066), Units: 10})
	}
	c := first(results.Run{}, results.Cell{N: 10_000, Rows: []results.Row{a, b}})
	x, y := c.Row("a"), c.Row("b")
	if strict, r := c.paired(y, x), y.RatioTo(x); !strict.Worse || strict.Lo > 1 || r.Worse || !y.MayBeBest() {
		t.Errorf("one-sided %+v, printed %+v", strict, r)
	}
}

// The controls check the intervals: they do not decide them alone.
func TestControlsCheckTheIntervals(t *testing.T) {
	t.Parallel()
	run := func(differ int) *Run {
		r := &results.Run{}
		for i := range 20 {
			a := results.Row{Structure: "a", Role: results.RoleStructure, Cost: trials(10, 10.1, 10, 10.1, 10, 10.1)}
			control := results.Row{Structure: "a-control", Role: results.RoleControl, Of: "a", Cost: trials(10, 10.1, 10.1, 10, 10.1, 10)}
			for j := range control.Cost {
				if i < differ {
					control.Cost[j].NS *= 1.5
				}
			}
			r.Cells = append(r.Cells, results.Cell{Workload: fmt.Sprint("w", i), N: 1000, Rows: []results.Row{a, control}})
		}
		return Of(r)
	}
	for differ, fails := range map[int]bool{0: false, 1: false, 2: false, 8: true} {
		if c := run(differ).Checked(); c.Controls != 20 || c.Differ != differ || c.Fails() != fails {
			t.Errorf("%d controls differ: %+v, fails: %v", differ, c, c.Fails())
		}
	}
}
