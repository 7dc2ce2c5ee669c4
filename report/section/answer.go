// The costs of all cells. A reader first wants the structure to take in each workload, with exact structures apart from late ones, and
// then the figure behind it. So one table names structures, and the others have costs alone: in none of them is a cost without its interval.

package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
)

func questions(v *View) Section {
	return Section{
		Title:  "Which structure is fastest?",
		Absent: "the fastest structures",
		Lead: show.Para("For each workload the table lists the fastest structures, the fastest first. N is the largest size up to "+
			"10,000 that nearly all structures ran at, or else the smallest size. Each multiple is a ratio paired by round. "+
			"A structure ", show.Strong("ties"), " if the interval of its ratio to the first, without the loop around the calls, reaches below 1.05. Structures "+
			"that fire late are compared among each other. × loop is the time relative to the empty loop, which every number includes."),
		Tables: []Table{{Body: show.Tables(v.answerTable()), Main: true}},
	}
}

// answerTable names the fastest of each workload, at the N of the overview.
func (v *View) answerTable() *show.Table {
	t := newTable("lrllrrll", "Workload", "N", "Take", "Fastest (more than one: a tie)", "ns", "× loop", "Next", "Late: fastest")
	for _, c := range v.AnswerCells() {
		best := c.Fastest()
		if best == nil {
			continue
		}
		var next any
		if others := c.Slower(); len(others) > 0 {
			next = nextBest(c, others[0])
		}
		addUnit(t, c, show.Name(c.Named().Structure), names(results.Names(c.Tied())),
			answer.Cost(c.Cost(best)), ratio(c.Ratio(best, c.Loop(best))), next, lateBest(c))
	}
	return t
}

// lateBest names the fastest of the structures that fire late.
func lateBest(c *stats.Costs) any {
	if len(c.Late) == 0 {
		return nil
	}
	return show.Number(c.Cost(c.Late[0]).Center, fmt.Sprintf("%s %s ns", c.Late[0].Structure, show.Figure(c.Cost(c.Late[0]).Center)))
}

func nextBest(c *stats.Costs, r *results.Row) show.Cell {
	out := answer.Times(c.ToBest(r))
	out.Text = r.Structure + " " + out.Text + "\u00a0×"
	return out
}

func inNumbers(v *View) Section {
	s := Section{
		Title: "What are the numbers of each workload?",
		Lead: show.Para("Each workload has its cost at each N and the time per call by kind of operation. The " +
			"interval is in brackets, and the medians of two groups if the rounds fall into two. Bold: the fastest, or a tie. For the time per call, the clock is read once per run of operations of one kind, and its cost is subtracted; the wake-up that ends a run of fires is part of " +
			"fire. The results file has all sizes."),
	}
	for _, w := range v.Workloads() {
		cells := v.CellsOf(w)
		var body show.Text
		add := func(title string, t *show.Table) {
			if len(t.Rows) > 0 {
				body = slices.Concat(body, show.Para(show.Strong(title)), show.Tables(t))
			}
		}
		add("Cost in nanoseconds", v.costTable(cells))
		if c := v.Largest(w, func(r *results.Row) bool {
			return slices.ContainsFunc(r.ByKind, func(t results.Trial) bool { return len(t.Kinds) > 0 })
		}); c != nil {
			add("Nanoseconds per call, N = "+short(c.N), v.kindTable(c))
		}
		title := w + ": time per " + string(cells[0].Unit)
		s.Tables = append(s.Tables, Table{Title: title, Body: body})
	}
	return s
}

// costTable shows the costs of a workload, with a column for each N.
func (v *View) costTable(cells []*stats.Costs) *show.Table {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return len(v.Measured(c)) == 0 })
	header := mapped(cells, func(c *stats.Costs) string { return "N = " + short(c.N) })
	return pivot(v.ByMerit(v.Measured(cells...)), header, func(who answer.RowName, column int) any {
		c := cells[column]
		if row := c.Row(who.Name); row.HasCost() {
			return faceIf(c.Ties(row), answer.Cost(c.Cost(row)).(show.Cell))
		}
		return nil
	})
}

func (v *View) kindTable(c *stats.Costs) *show.Table {
	var found []script.Kind
	for _, r := range c.Rows {
		for _, t := range r.ByKind {
			for _, k := range t.Kinds {
				if k.Count > 0 {
					found = append(found, k.Kind)
				}
			}
		}
	}
	found = distinct(found)
	return pivot(v.ByMerit(v.Contenders), mapped(found, script.Kind.String), func(who answer.RowName, column int) any {
		return answer.Cost(c.KindCost(c.Row(who.Name), found[column]))
	})
}
