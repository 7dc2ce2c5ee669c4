package report

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// kinds says what an operation of each kind costs.
func kinds(v *view) section {
	s := section{
		title: "What does each kind of operation cost?",
		lead: "The clock is read once for each run of operations of one kind, and its cost is taken off. " +
			"Time per call, median of the trials. The wake-up that ends a run of fires counts as part of fire. " +
			"Each workload at its largest N; the results file holds all sizes.",
	}
	for _, w := range v.workloads() {
		if cell, ok := v.largestWith(w, hasKinds); ok {
			s.tables = append(s.tables, table{title: cellTitle(cell) + ": time per call", body: v.kindTable(cell)})
		}
	}
	return s
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
		header = append(header, literal(k.String())+" ns", "95 % CI")
	}
	var rows [][]string
	for _, who := range v.rows {
		row, _ := rowOf(c, who.name)
		if len(row.ByKind) == 0 {
			continue
		}
		line := []string{v.label(who, false)}
		for _, k := range found {
			s := kindCost(row, k, inCell(c, stats.Prior{}))
			if !s.ok() {
				line = append(line, "–", "–")
				continue
			}
			line = append(line, digits3(s.median), s.interval())
		}
		rows = append(rows, line)
	}
	return markdownTable("lr", header, rows)
}
