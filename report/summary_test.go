package report

import (
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
	s := cost(results.Row{Cost: append(trials(5, 1, 3, 2, 4, 9), results.Trial{NS: 7}, results.Trial{Units: 7})}, stats.Options{})
	if s.trials != 6 || s.median != 3.5 || s.lo >= 3 || s.lo < 1 || s.hi <= 4 || s.hi > 9 || s.mean != 4 || s.level != stats.Rounds {
		t.Errorf("%+v", s)
	}
	if s := cost(results.Row{Cost: trials(3)}, stats.Options{}); s.bounded() || s.median != 3 || len(s.warnings) == 0 {
		t.Errorf("one trial has no 95 %% interval, and that is a warning: %+v", s)
	}
	if s := cost(results.Row{}, stats.Options{}); s.ok() || s.bounded() {
		t.Errorf("no trials: %+v", s)
	}
}

// The interval of few instances is wider than that of as many rounds of one instance.
func TestTheIntervalOfACostHasTheInstancesInIt(t *testing.T) {
	t.Parallel()
	one := results.Row{Cost: trials(10, 10.1, 11, 11.1, 12, 12.1)}
	three := results.Row{Cost: trials(10, 10.1, 11, 11.1, 12, 12.1)}
	for i := range three.Cost {
		three.Cost[i].Instance = i / 2
	}
	a, b := cost(one, stats.Options{}), cost(three, stats.Options{})
	if b.level != stats.Instances || b.hi-b.lo < 1.5*(a.hi-a.lo) || a.median != b.median {
		t.Errorf("one instance %+v, three %+v", a, b)
	}
}

// A time less the cost of the clock may be negative. It is counted all the same.
func TestNegativeTimesCount(t *testing.T) {
	t.Parallel()
	s := summarize([]stats.Sample{{Value: -4}, {Value: 2}, {Value: 3}, {Value: 4}, {Value: 5}, {Value: 6}, {Value: 7}}, 3, stats.Options{})
	if s.trials != 7 || s.median != 4 || s.lo != -4 || s.hi != 7 {
		t.Errorf("%+v", s)
	}
}

// analyse analyses the only cell of a run.
func analyse(c results.Cell) *analysis {
	return (&view{r: &results.Run{Cells: []results.Cell{c}}}).analysis(c)
}

func TestAnalyse(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, ns ...float64) results.Row {
		return results.Row{Structure: name, Role: role, Cost: trials(ns...)}
	}
	c := results.Cell{Rows: []results.Row{
		row("slow", results.RoleStructure, 7, 7, 7, 7, 7, 8),
		row("unclear", results.RoleStructure, 2, 2.2, 2.1, 2.2, 1.9, 2),
		row("tie", results.RoleStructure, 2.01, 2.02, 2, 2, 2.03, 2.01),
		row("best", results.RoleStructure, 2, 2.01, 2.02, 2, 2.01, 2),
		row("null", results.RoleFloor, 1, 1, 1, 1, 1, 1),
		row("none", results.RoleStructure),
	}}
	a := analyse(c)
	if got := a.names(ranked.ties); !slices.Equal(got, []string{"best", "tie"}) {
		t.Errorf("ties: %v", got)
	}
	if got := a.names(ranked.isUnclear); !slices.Equal(got, []string{"unclear"}) {
		t.Errorf("unclear: %v", got)
	}
	if others := a.others(); len(others) != 1 || others[0].Name != "slow" || a.inBest("slow") || !a.inBest("unclear") || a.inBest("null") {
		t.Errorf("others: %+v", others)
	}
	if r := a.toBest(c, c.Rows[4]); r.Center < 0.49 || r.Center > 0.51 {
		t.Errorf("the floor to the best: %+v", r)
	}
	for i := range c.Rows {
		c.Rows[i].Cost = c.Rows[i].Cost[:min(1, len(c.Rows[i].Cost))]
	}
	if a := analyse(c); len(a.names(ranked.ties)) != 1 || len(a.others()) != 0 {
		t.Errorf("one trial each says nothing but what is first: %+v", a.ranked)
	}
}

// Controls that differ make the intervals of all cells wider, in the ranking as in comparisons of two.
func TestControlsThatDifferWidenAllIntervals(t *testing.T) {
	t.Parallel()
	row := func(name string, role results.Role, times float64, wave int) results.Row {
		r := results.Row{Structure: name, Role: role, Cost: trials(10, 10.1, 10, 10.1, 10, 10.1)}
		for i := range r.Cost {
			r.Cost[i].NS *= times * (1 + 0.004*float64(i*i%wave))
		}
		return r
	}
	structures := []results.Row{row("a", results.RoleStructure, 1, 1), row("b", results.RoleStructure, 1.1, 3), row("list", results.RoleStructure, 9, 5)}
	c, other := results.Cell{Workload: "hold", Rows: structures}, results.Cell{Workload: "churn", Rows: []results.Row{structures[0]}}
	analysed := func() *analysis { return (&view{r: &results.Run{Cells: []results.Cell{c, other}}}).analysis(c) }
	a := analysed()
	if a.inBest("b") || compared(a.ratio(c.Rows[1], c.Rows[0])) != slower {
		t.Errorf("without a control: %+v", a.ranked)
	}
	control := row("a-control", results.RoleControl, 1.12, 4)
	control.Of = "a"
	other.Rows = append(other.Rows, control)
	a = analysed()
	if !a.inBest("b") || a.inBest("list") || compared(a.ratio(c.Rows[1], c.Rows[0])) != unclear || compared(a.ratio(c.Rows[2], c.Rows[0])) != slower {
		t.Errorf("with a control that differs by 12 %%: noise %g, %+v", a.cell.Options.Noise, a.ranked)
	}
}

// A race has looked at the data several times, which an analysis must know.
func TestARaceCostsLooks(t *testing.T) {
	t.Parallel()
	c := results.Cell{Rows: []results.Row{{Structure: "a", Role: results.RoleStructure, Cost: trials(1, 2)}}}
	v := &view{r: &results.Run{Cells: []results.Cell{c}}}
	if got := v.analysis(c).cell.Options.Looks; got != 0 {
		t.Errorf("%d looks without a race", got)
	}
	v = &view{r: &results.Run{Cells: []results.Cell{c}, Parameters: results.Parameters{Budget: 60}}}
	if got := v.analysis(c).cell.Options.Looks; got != stats.RaceLooks {
		t.Errorf("%d looks of a race, want %d", got, stats.RaceLooks)
	}
}

func TestAllocations(t *testing.T) {
	t.Parallel()
	objects, size, ok := allocations(results.Row{Cost: []results.Trial{{Units: 10, Allocs: 5, AllocBytes: 50}, {Units: 10, Allocs: 15, AllocBytes: 250}}})
	if !ok || objects != 1 || size != 15 {
		t.Error(objects, size, ok)
	}
	if _, _, ok := allocations(results.Row{}); ok {
		t.Error("no lifecycles")
	}
}
