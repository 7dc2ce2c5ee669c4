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
	t := newTable("lrllrrll", "Workload", "N", "Take", "Fastest (more than one: a tie)", "ns", "× loop", "Next", "Late: fastest")
	for _, c := range v.AnswerCells() {
		best := c.Fastest()
		if best == nil {
			continue
		}
		var loop, next, late any
		tied := results.Names(c.Tied())
		fastest := show.Words(show.Some(tied, 3)) // a reader wants a name, not a list
		if len(tied) == 1 {
			fastest = show.Name(tied[0]) // which can be pinned
		}
		if r := c.Ratio(best, c.Loop(best)); r.OK() {
			loop = show.Number(r.Center, show.Times(r.Center))
		}
		if others := c.Slower(); len(others) > 0 {
			of := answer.Times(c.ToBest(others[0]))
			of.Text = others[0].Structure + " " + of.Text + "\u00a0×"
			next = of
		}
		if len(c.Late) > 0 {
			cost := c.Cost(c.Late[0]).Center
			late = show.Number(cost, fmt.Sprintf("%s %s ns", c.Late[0].Structure, show.Figure(cost)))
		}
		addUnit(t, c, show.Name(c.Named().Structure), fastest, answer.Cost(c.Cost(best)), loop, next, late)
	}
	return Section{
		Title:  "Which structure is fastest?",
		Absent: "the fastest structures",
		Lead: show.Para("For each workload the table lists the fastest structures, the fastest first. N is the largest size up to "+
			"10,000 that nearly all structures ran at, or else the smallest size. Each multiple is a ratio paired by round. "+
			"A structure ", show.Strong("ties"), " if the interval of its ratio to the first, without the loop around the calls, reaches below 1.05. Structures "+
			"that fire late are compared among each other. × loop is the time relative to the empty loop, which every number includes."),
		Tables: []Table{{Body: show.Tables(t), Main: true}},
	}
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
		sizes := slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return len(v.Measured(c)) == 0 })
		header := mapped(sizes, func(c *stats.Costs) string { return "N = " + short(c.N) })
		add("Cost in nanoseconds", pivot(v.ByMerit(v.Measured(sizes...)), header, func(who answer.RowName, column int) any {
			c := sizes[column]
			row := c.Row(who.Name)
			if row.HasCost() && c.Ties(row) {
				return answer.Cost(c.Cost(row)).(show.Cell).In(show.Bold)
			}
			return answer.Cost(c.Cost(row))
		}))
		if c := v.Largest(w, func(r *results.Row) bool {
			return slices.ContainsFunc(r.ByKind, func(t results.Trial) bool { return len(t.Kinds) > 0 })
		}); c != nil {
			add("Nanoseconds per call, N = "+short(c.N), v.kindTable(c))
		}
		s.Tables = append(s.Tables, Table{Title: w + ": time per " + string(cells[0].Unit), Body: body})
	}
	return s
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
