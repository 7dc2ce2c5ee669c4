package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// intrusive compares structures whose timers are fields of the caller's structs with those by ID. All other rankings leave
// them out, because only the caller knows whether they fit.
func intrusive(v *View) Section {
	s := Section{Title: "What if the timer can be a field of your struct?"}
	cells := withIntrusive(v.Cells, 0)
	if len(cells) == 0 {
		return s
	}
	few := fmt.Sprintf("With up to %s timers, ", show.Grouped(results.TypicalN))
	s.Lead = show.Para("These structures link timers that are fields of your own structs. They need no ID, no table and no copy of a value. ",
		gain(few, withIntrusive(v.Cells, results.TypicalN)), gain("With more timers, ", withIntrusive(v.Cells, -results.TypicalN)),
		"In return you must not copy a pending timer, and a timer that fired and was scheduled again looks like the first, where a stale ID is refused.")
	s.Charts = []*draw.Figure{v.intrusiveChart()}
	s.Tables = []Table{v.idTable()}
	return s
}

// withIntrusive returns the cells with intrusive structures: those of at most n timers, of more than -n, or with 0 all.
func withIntrusive(cells []*stats.Costs, n int) []*stats.Costs {
	return slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool {
		return n > 0 && c.N > n || n < 0 && c.N <= -n || !slices.ContainsFunc(c.Rows, func(r *results.Row) bool {
			return r.Role == results.RoleIntrusive && c.ToBest(r).Pairs > 0
		})
	})
}

// gain compares the best intrusive structure with the default over cells, in a sentence.
func gain(among string, cells []*stats.Costs) []show.Span {
	ranked := answer.Intrusive(cells, slices.Repeat([]float64{1}, len(cells)), answer.Default)
	if len(ranked) == 0 {
		return nil
	}
	return show.Line(among, show.Mono(ranked[0].Structure), fmt.Sprintf(" takes %s times as long as ", show.Times(ranked[0].Times.Center)),
		show.Mono(answer.Default), fmt.Sprintf(" (geometric mean over %s). ", show.Count(len(cells), "cell")))
}

// intrusiveChart ranks the intrusive structures and the default, at the largest N of each workload.
func (v *View) intrusiveChart() *draw.Figure {
	only := v.only(func(row results.Row) bool {
		return row.Role == results.RoleIntrusive || row.Structure == answer.Default
	})
	cells := only.LargestOfEach(func(r *results.Row) bool { return r.Structure != answer.Default && r.HasCost() })
	f := only.overviewTable(cells).Figure()
	f.Name, f.Title = "intrusive", "Cost in each workload, with the timer in your struct"
	f.Subtitle = "The time per " + units(cells) + " as a multiple of the fastest of these, with " + answer.Default + ", the default by ID, at the " +
		"largest N. Lower is better; 1 is the fastest."
	f.Caption = "Bold: may be the fastest of these. Grey: not measured."
	return f
}

// idTable says what the ID costs: the fastest structure by ID against the fastest intrusive one.
func (v *View) idTable() Table {
	t := newTable("lrlrrlrrr", "Workload", "N", "Fastest by ID", "ns", "Floor", "Fastest intrusive", "ns", "Floor", "Times as long as by ID")
	for _, c := range withIntrusive(v.Cells, 0) {
		byID := c.Ranked[0]
		best := c.Row(answer.Intrusive([]*stats.Costs{c}, []float64{1}, byID.Structure)[0].Structure)
		addUnit(t, c, show.Name(byID.Structure), c.Cost(byID).Center, known(c, c.Row(results.Floor)), show.Name(best.Structure), c.Cost(best).Center,
			known(c, c.Row(results.IntrusiveFloor)), TimesOf(c.Ratio(best, byID)))
	}
	if len(t.Rows) == 0 {
		return Table{}
	}
	return Table{
		Lead:  show.Para(show.Strong("What an ID costs."), " The fastest structure by ID and the fastest one whose timers are fields, each with the floor of its loop."),
		Title: "What an ID costs", Body: show.Tables(t),
	}
}
