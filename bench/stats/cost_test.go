package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}

func structure(name string, ns ...float64) results.Row {
	return results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns...)}
}

func TestCost(t *testing.T) {
	t.Parallel()
	costOf := func(trials []results.Trial) Cost {
		return summarize(Samples(trials), Options{})
	}
	s := costOf(append(trials(5, 1, 3, 2, 4, 9), results.Trial{NS: 7}, results.Trial{Units: 7}))
	if s.Trials != 6 || s.Center < 3 || s.Center > 4 || s.Lo >= 3 || s.Lo < 1 || s.Hi <= 4 || s.Hi > 9.5 {
		t.Errorf("%+v", s)
	}
	if s := costOf(trials(3)); s.Bounded() || math.Abs(s.Center-3) > 1e-9 {
		t.Errorf("one trial has no 95 %% interval: %+v", s)
	}
	if s := costOf(nil); s.OK() || s.Bounded() {
		t.Errorf("no trials: %+v", s)
	}
	// A time less the cost of the clock may be negative. It is counted all the same.
	s = summarize([]Sample{{Value: -4}, {Value: 2}, {Value: 3}, {Value: 4}, {Value: 5}, {Value: 6}, {Value: 7}}, Options{})
	if s.Trials != 7 || s.Center != 4 || s.Lo != -4 || s.Hi != 7 {
		t.Errorf("%+v", s)
	}
	row := &results.Row{Cost: []results.Trial{{Units: 10, Allocs: 5, AllocBytes: 50}, {Units: 10, Allocs: 15, AllocBytes: 250}}}
	if objects, size := row.Allocations(); objects != 1 || size != 15 {
		t.Error(objects, size)
	}
}

func first(c results.Cell) *Costs { return CostsOf(&results.Run{}, &c) }

func TestOfACell(t *testing.T) {
	t.Parallel()
	null := structure("null", 1, 1, 1, 1, 1, 1)
	null.Role = results.RoleFloor
	c := results.Cell{N: 10_000, Rows: []results.Row{
		structure("slow", 7, 7, 7, 7, 7, 8),
		structure("unclear", 2, 2.2, 2.1, 2.2, 1.9, 2),
		structure("tie", 2.01, 2.02, 2, 2, 2.03, 2.01),
		structure("best", 2, 2.01, 2.02, 2, 2.01, 2),
		null, structure("none"),
	}}
	a := first(c)
	if got := results.Names(a.In(Tie)); !slices.Equal(got, []string{"best", "tie"}) {
		t.Errorf("ties: %v", got)
	}
	if got := results.Names(a.In(Unclear)); !slices.Equal(got, []string{"unclear"}) {
		t.Errorf("unclear: %v", got)
	}
	mayBeBest := func(name string) bool { return a.MayBeBest(a.Row(name)) }
	if others := a.In(Worse); len(others) != 1 || others[0].Structure != "slow" ||
		mayBeBest("slow") || !mayBeBest("unclear") || mayBeBest("null") || mayBeBest("absent") {
		t.Errorf("others: %+v", others)
	}
	if r := a.ToBest(a.Row("null")); r.Center < 0.48 || r.Center > 0.51 {
		t.Errorf("the floor to the best: %+v", r)
	}
	for i := range c.Rows {
		c.Rows[i].Cost = c.Rows[i].Cost[:min(1, len(c.Rows[i].Cost))]
	}
	if a := first(c); len(results.Names(a.In(Tie))) != 1 || len(a.In(Worse)) != 0 {
		t.Errorf("one trial each says nothing but what is first: %+v", a.Ranked)
	}
}

// A cell learns the noise from its own rounds.
func TestACellIsAsNoisyAsItsOwnRounds(t *testing.T) {
	t.Parallel()
	cell := func(workload string, noise float64) results.Cell {
		c := results.Cell{Workload: workload, N: 1000}
		for i, name := range []string{"a", "b", "a-control"} {
			row := structure(name, 10, 10, 10, 10, 10, 10)
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
	error := func(c results.Cell) float64 {
		a := first(c)
		return a.Ratio(a.Row("b"), a.Row("a")).SE
	}
	var costs [][]Sample
	noisy := first(cell("w", 0.1))
	for _, row := range noisy.Rows {
		costs = append(costs, noisy.Samples(row))
	}
	if want := NewPairs(costs, Options{Floor: InstanceFloor(1000)}).Options; noisy.Options != want {
		t.Errorf("%+v, want the noise of structures and control %+v", noisy.Options, want)
	}
	if quiet, loud := error(cell("w", 0.01)), error(cell("w", 0.1)); loud < 1.5*quiet {
		t.Errorf("the error is %v in a quiet cell and %v in a noisy one", quiet, loud)
	}
}

// The reference seems cheapest because it was chosen: its cost rises, and the ratios to it fall, down to 1. A structure
// without a common round has a cost, and no place.
func TestTheChosenIsDearerThanItSeems(t *testing.T) {
	t.Parallel()
	apart := structure("apart", 50, 50)
	apart.Cost[0].Round, apart.Cost[1].Round = 100, 101
	c := first(results.Cell{N: 10_000, Rows: []results.Row{
		structure("c", 12, 10.4, 12, 10.4, 12, 10.4), structure("b", 12, 10.2, 12, 10.2, 12, 10.2), apart,
		structure("a", 10, 12, 10, 12, 10, 12), structure("slow", 30, 36, 30, 36, 30, 36),
	}})
	a, slow := c.Row("a"), c.Row("slow")
	by, seems := math.Exp(c.optimism), c.alone(a).Center
	near := func(x, y float64) bool { return math.Abs(x/y-1) < 1e-6 }
	if by < 1.05 || !near(c.Cost(a).Center, seems*by) || !near(c.Cost(slow).Center, seems*c.of(slow).measured) || !near(c.Ratio(slow, a).Center, c.of(slow).measured/by) {
		t.Errorf("%v by choice: %v instead of %v, %+v", by, c.Cost(a).Center, seems, c.Ratio(slow, a))
	}
	if got := results.Names(c.Ranked); !slices.Equal(got, []string{"a", "b", "c", "slow"}) || c.Ratio(c.Row("b"), a).Center != 1 {
		t.Errorf("%v, b is %+v", got, c.Ratio(c.Row("b"), a))
	}
	if r := c.Row("apart"); c.Ratio(r, a).Pairs != 0 || !c.Cost(r).OK() {
		t.Errorf("without a common round %+v", c.Cost(r))
	}
}

// A structure whose printed interval holds 1 may be the best, though the one-sided comparison is stricter.
func TestAPrintedIntervalAgreesWithItsStanding(t *testing.T) {
	t.Parallel()
	a, b := structure("a"), structure("b")
	for i, e := range []float64{1, -1, 0.5, 0.2, -0.6, 0.9, -0.9, -0.1, 0.6, -0.5, 0.1, -0.2} {
		a.Cost = append(a.Cost, results.Trial{Round: i, NS: 100, Units: 10})
		b.Cost = append(b.Cost, results.Trial{Round: i, NS: 100 * math.Exp(0.1*e+0.066), Units: 10})
	}
	c := first(results.Cell{N: 10_000, Rows: []results.Row{a, b}})
	x, y := c.Row("a"), c.Row("b")
	if strict, r := c.paired(y, x), c.Ratio(y, x); !strict.Worse || strict.Lo > 1 || r.Worse || !c.MayBeBest(y) {
		t.Errorf("one-sided %+v, printed %+v", strict, r)
	}
}
