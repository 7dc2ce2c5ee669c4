package section

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
)

func inNumbers(v *View) Section {
	s := Section{
		Title: "What are the numbers of each workload?",
		Lead: show.Para("Each workload has its cost at each N and the time per call by kind of operation. The 95 % confidence " +
			"interval is in brackets. × is the ratio to the fastest structure, paired by round; the time is that ratio times the time " +
			"of the fastest. Bold: may be the fastest. For the time per call, the clock is read once per run of operations of one kind, and its cost is subtracted; the wake-up that ends a run of fires is part of " +
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

// costTable shows the costs of a workload, with two columns for each N.
func (v *View) costTable(cells []*stats.Costs) *show.Table {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return len(v.Measured(c)) == 0 })
	var header []string
	for _, c := range cells {
		header = append(header, "N = "+short(c.N), "×")
	}
	return pivot(v.ByMerit(v.Measured(cells...)), header, func(who answer.RowName, column int) any {
		c := cells[column/2]
		row := c.Row(who.Name)
		switch {
		case !row.HasCost() || column%2 == 1 && who.Role == results.RoleFloor:
			return nil
		case column%2 == 0:
			return withInterval(c.Cost(row))
		}
		return faceIf(c.MayBeBest(row), ratio(c.ToBest(row)))
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
		if s := c.KindCost(c.Row(who.Name), found[column]); s.OK() {
			return withInterval(s)
		}
		return nil
	})
}
