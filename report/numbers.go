package report

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// inNumbers holds the figures of each workload.
func inNumbers(v *view) section {
	s := section{
		title: "Every workload in numbers",
		lead: "For each workload: the cost at each N, the time per call by kind of operation, and percentiles of single calls. " +
			"Medians, with the 95 % confidence interval in brackets; × is the ratio to the fastest structure, paired by round; bold: may be the fastest. " +
			"For the time per call, the clock is read once for each run of operations of one kind, and its cost is taken off; the wake-up that ends a run of fires counts as part of fire. " +
			"Percentiles hold one reading of the clock for each call. The results file holds all sizes of all of them.",
	}
	for _, w := range v.workloads() {
		parts := []struct{ lead, body string }{{"Cost in nanoseconds", v.costTable(w)}}
		if c, ok := v.largestWith(w, hasKinds); ok {
			parts = append(parts, struct{ lead, body string }{"Nanoseconds per call, N = " + show.Short(float64(c.N)), v.kindTable(c)})
		}
		if c, ok := v.largestWith(w, hasLatency); ok {
			parts = append(parts, struct{ lead, body string }{"Percentiles of single calls in nanoseconds, N = " + show.Short(float64(c.N)), v.latencyTable(c)})
		}
		var body []string
		for _, p := range parts {
			if p.body != "" {
				body = append(body, "**"+p.lead+"**\n\n"+p.body)
			}
		}
		s.tables = append(s.tables, table{title: w + v.unitNote(w), body: strings.Join(body, "\n")})
	}
	return s
}

// unitNote says what the costs of a workload are counted per.
func (v *view) unitNote(workload string) string {
	for _, c := range v.cells(workload) {
		return ": time per " + string(unitOf(c))
	}
	return ""
}

// costTable shows the costs of a workload, with two columns for each N.
func (v *view) costTable(workload string) string {
	header := []string{"Structure"}
	cells := slices.DeleteFunc(v.cells(workload), func(c results.Cell) bool { return len(v.measured([]results.Cell{c})) == 0 })
	for _, c := range cells {
		header = append(header, "N = "+show.Short(float64(c.N)), "×")
	}
	var rows [][]string
	for _, who := range v.byMerit(v.measured(cells)) {
		line := []string{v.label(who, false)}
		for _, c := range cells {
			a := v.analysis(c)
			row, _ := rowOf(c, who.name)
			s := v.cost(c, row)
			if !s.ok() {
				line = append(line, "–", "–")
				continue
			}
			multiple := "–"
			if who.role != results.RoleFloor {
				multiple = times(a.toBest(c, row))
			}
			if a.inBest(who.name) {
				multiple = "**" + multiple + "**"
			}
			line = append(line, s.withInterval(), multiple)
		}
		rows = append(rows, line)
	}
	return markdownTable("lr", header, rows)
}

// withInterval writes a median and its interval.
func (s stat) withInterval() string {
	if !s.bounded() {
		return show.Figure(s.median)
	}
	return show.Figure(s.median) + " (" + s.interval() + ")"
}

// kindTable shows what an operation of each kind costs on average in one cell.
func (v *view) kindTable(c results.Cell) string {
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
	header := []string{"Structure"}
	for _, k := range found {
		header = append(header, literal(k.String()))
	}
	var rows [][]string
	for _, who := range v.byMerit(v.rows) {
		row, _ := rowOf(c, who.name)
		if len(row.ByKind) == 0 {
			continue
		}
		line := []string{v.label(who, false)}
		for _, k := range found {
			if s := kindCost(row, k, inCell(c, stats.Prior{})); s.ok() {
				line = append(line, s.withInterval())
			} else {
				line = append(line, "–")
			}
		}
		rows = append(rows, line)
	}
	return markdownTable("lr", header, rows)
}
