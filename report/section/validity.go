package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
)

func validity(v *View) Section {
	s := Section{Title: "What limits these results?"}
	if len(v.Measured(v.Cells...)) == 0 {
		return s
	}
	machine := "One machine"
	if cpu := v.Environment.CPU; cpu != "" {
		machine += ", " + cpu
	}
	layouts := "The program was linked once, so the intervals do not cover other orders of its functions."
	if n := v.Parameters.Layouts; n > 1 {
		layouts = fmt.Sprintf("The run was repeated in %d layouts of the program, and the intervals cover the variation between them.", n)
	}
	threats := [][]show.Span{
		show.Line(show.Strong(machine+"."), " Ratios differ between processors, above all with the sizes of their caches. Other programs on the "+
			"machine slow down structures that miss the cache more than the others."),
		show.Line(show.Strong("The code layout."), " "+layouts+" Layout alone moves costs of a few nanoseconds by several percent."),
		show.Line(show.Strong("One process."), " All structures share a heap and a processor, so each structure finds the caches as the one before left "+
			"them. An untimed block precedes each timed block."),
		show.Line(show.Strong("Values of 8 bytes, one goroutine, a virtual clock."), " Locks, larger values and waiting for a real clock add the same cost to every structure."),
		show.Line(show.Strong("The collector is off"), " while the clock runs. The cost of garbage and of scanning pointers has tables of its own."),
		show.Line(show.Strong("Rare work is sampled."), " Work that happens once in millions of calls, such as a large cascade, falls into few rounds or none."),
		show.Line(show.Strong("Models of programs"), " have published parameters. Your program has its own: record it and replay the trace."),
		show.Line(show.Strong("Many comparisons."), " A printed interval is that of a single comparison, so one in twenty misses the true value. The "+
			"structures that may be the fastest include the true one in about 95 of 100 cells. The cost of the fastest is corrected for its choice."),
	}
	out, passed := make(map[results.LeftOutReason]int), newTable("lrrrrr", "Workload", "N", "Dead entries come due", "Timers fire", "Median delays pass", "Operations before, per timer")
	var apart, unsteady []string
	for _, c := range v.Cells {
		if len(c.LeftOut) > 0 {
			out[c.LeftOutFor]++
		}
		if p := c.Passed; p != nil {
			due := percent(p.Share())
			if p.Made == 0 {
				due = show.Words(show.Unknown)
			}
			addUnit(passed, c, due, show.Number(float64(p.Fired), show.Grouped(p.Fired)), p.Delays, float64(p.WarmUp)/float64(c.N))
		}
		if warning := c.Unsteady(); warning != "" {
			unsteady = append(unsteady, sized(c.Workload, c.N)+" ("+warning+")")
		}
		if c.Apart {
			apart = append(apart, fmt.Sprintf("%s, N = %s", c.Workload, short(c.N)))
		}
	}
	if len(apart) > 0 {
		threats = append(threats, show.Line(show.Strong("Not interleaved."), " The memory did not hold all structures of these cells "+
			"together, so the run measured one structure after the other: "+strings.Join(apart, "; ")+"."))
	}
	if len(unsteady) > 0 {
		threats = append(threats, show.Line(show.Strong("Not in a steady state."), " A cancel or a move leaves a dead entry in structures that put "+
			"off the work until the old deadline. In these cells fewer old deadlines pass than are left, so the costs lack a part of that work: "+
			strings.Join(unsteady, "; ")+"."))
	}
	if n := out[results.LeftOutSlow]; n > 0 {
		threats = append(threats, show.Line(show.Strong("Left out."), fmt.Sprintf(" Structures that took at least twice the best time with fewer timers were left out of %s.", show.Count(n, "cell"))))
	}
	if n := out[results.LeftOutFew]; n > 0 {
		threats = append(threats, show.Line(show.Strong("Nine structures."), fmt.Sprintf(" In %s the run measured minheap, quadheap, wheel, hwheel, rbtree, "+
			"skiplist, auto and the fastest with fewer timers, nine at most. make bench-full measures all.", show.Count(n, "cell"))))
	}
	if missing := v.NotMeasured; len(missing) > 0 {
		threats = append(threats, show.Line(show.Strong("Not measured."), fmt.Sprintf(" The time of the run was too short for %s: %s.",
			show.Count(len(missing), "step"), strings.Join(missing, "; "))))
	}
	s.Tables = []Table{{Body: show.Bullets(threats...)}}
	if len(passed.Rows) > 0 {
		s.Tables = append(s.Tables, Table{Title: "How time passes in each cell", Body: show.Tables(passed), Lead: show.Para(
			"Dead entries come due: the old deadlines of cancelled and moved timers that pass while a cell is measured, as a share of those that are left. " +
				"Work that is put off until then is paid from 90 % on. The scripts say so, so it is the same for all structures.")})
	}
	if t := v.debtTable(); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, Table{Title: "Work that is put off and not measured", Body: show.Tables(t), Lead: show.Para(fmt.Sprintf(
			"The growth of debt in a region after the warm-up, as a part of the time of the region. Debt is the time to drain an instance, less the time to "+
				"drain a fresh copy with the same pending timers. A stock of debt is no fault. If it grew by more than %s, costs would lack work "+
				"of that time, and verify would fail. What is left is the noise of draining.", show.Percent(results.MostDebt)))})
	}
	return s
}

// debtTable has the growth of debt of each contender, with a column for each cell.
func (v *View) debtTable() *show.Table {
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool {
		return !slices.ContainsFunc(c.Rows, func(r *results.Row) bool { return r.Debt != nil })
	})
	header := mapped(cells, func(c *stats.Costs) string { return sized(c.Workload, c.N) })
	return pivot("lr", v.ByMerit(v.Contenders), header, func(who answer.RowName, column int) any {
		if r := cells[column].Row(who.Name); r != nil && r.Debt != nil {
			return show.Number(*r.Debt, fmt.Sprintf("%+.0f %%", 100**r.Debt))
		}
		return nil
	})
}

func (v *View) driftLead() show.Text {
	found, all := v.Drifts()
	return show.Para(show.Strong("Drift."), fmt.Sprintf(" In %d of %d cells the cost rose or fell steadily over the rounds (rank correlation, p < 0.05). Chance alone "+
		"explains about %s. At least five rounds are needed to see it. Comparisons are paired by round, so they "+
		"do not contain a drift that all structures share.",
		found, all, show.Figure(float64(all)*(1-stats.DefaultConfidence))))
}
