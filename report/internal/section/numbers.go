package section

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/report/internal/analysis"
)

// inNumbers holds the figures of each workload.
func inNumbers(v *View) Section {
	s := Section{
		Title: "Every workload in numbers",
		Lead: "For each workload: the cost at each N, the time per call by kind of operation, and " +
			"percentiles of single calls. Medians, with the 95 % confidence interval in brackets; × is " +
			"the ratio to the fastest structure, paired by round; bold: may be the fastest. For the time " +
			"per call, the clock is read once for each run of operations of one kind, and its cost is " +
			"taken off; the wake-up that ends a run of fires counts as part of fire. Percentiles hold one " +
			"reading of the clock for each call. The results file holds all sizes of all of them.",
	}
	for _, w := range v.Workloads() {
		cells := v.CellsOf(w)
		var parts []string
		add := func(title, body string) {
			if body != "" {
				parts = append(parts, "**"+title+"**\n\n"+body)
			}
		}
		add("Cost in nanoseconds", v.costTable(cells))
		if c := v.Largest(w, hasKinds); c != nil {
			add("Nanoseconds per call, N = "+short(c.N), v.kindTable(c))
		}
		if c := v.Largest(w, hasLatency); c != nil {
			add("Percentiles of single calls in nanoseconds, N = "+short(c.N), v.latencyTable(c))
		}
		title := w + ": time per " + string(cells[0].Unit)
		s.Tables = append(s.Tables, Table{Title: title, Body: strings.Join(parts, "\n")})
	}
	return s
}

func hasKinds(r *analysis.Row) bool {
	return slices.ContainsFunc(r.ByKind, func(t results.Trial) bool { return len(t.Kinds) > 0 })
}

// costTable shows the costs of a workload, with two columns for each N.
func (v *View) costTable(cells []*analysis.Cell) string {
	t := newTable("lr", "Structure")
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *analysis.Cell) bool { return len(v.Measured(c)) == 0 })
	for _, c := range cells {
		t.Header = append(t.Header, "N = "+short(c.N), "×")
	}
	for _, who := range v.ByMerit(v.Measured(cells...)) {
		line := []any{label(who, false)}
		for _, c := range cells {
			row := c.Row(who.Name)
			s := row.Cost()
			switch {
			case !s.OK():
				line = append(line, nil, nil)
			case who.Role == results.RoleFloor:
				line = append(line, withInterval(s), nil)
			default:
				line = append(line, withInterval(s), boldIf(row.MayBeBest(), times(row.ToBest())))
			}
		}
		t.add(line...)
	}
	return t.Markdown()
}

// kindTable shows what an operation of each kind costs on average in one cell.
func (v *View) kindTable(c *analysis.Cell) string {
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
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	found = slices.Compact(found)
	t := newTable("lr", "Structure")
	for _, k := range found {
		t.Header = append(t.Header, Literal(k.String()))
	}
	for _, who := range v.ByMerit(v.Contenders) {
		row := c.Row(who.Name)
		if row == nil || len(row.ByKind) == 0 {
			continue
		}
		line := []any{label(who, false)}
		for _, k := range found {
			if s := row.KindCost(k); s.OK() {
				line = append(line, withInterval(s))
			} else {
				line = append(line, nil)
			}
		}
		t.add(line...)
	}
	return t.Markdown()
}
