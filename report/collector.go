package report

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// collector says what the garbage collector adds to the cost.
func collector(v *view) section {
	s := section{
		title: "What does the garbage collector add?",
		lead: "All other figures are with the collector off while the clock runs. Here it is on, and a heap like that of a program lies beside the structure. " +
			"\"On / off\" compares the two medians.",
	}
	for _, w := range v.workloads() {
		if c, ok := v.largestWith(w, hasWithGC); ok {
			s.tables = append(s.tables, table{title: cellTitle(c) + ": with the collector on", body: v.collectorTable(c)})
		}
	}
	return s
}

func hasWithGC(r results.Row) bool { return len(samplesOf(r.WithGC)) > 0 }

func (v *view) collectorTable(c results.Cell) string {
	var rows [][]string
	var all [][]stats.Sample
	for _, row := range c.Rows {
		all = append(all, samplesOf(row.WithGC))
	}
	prior := stats.PoolCenters(all)
	best := v.analysis(c)
	for _, who := range v.rows {
		row, ok := rowOf(c, who.name)
		if !ok || !hasWithGC(row) {
			continue
		}
		on, off := cost(results.Row{Cost: row.WithGC}, inCell(c, prior)), v.cost(c, row)
		difference := "–"
		if off.ok() {
			difference = show.Times(on.median / off.median)
		}
		rows = append(rows, []string{v.label(who, best.inBest(who.name)), show.Figure(off.median), off.interval(), show.Figure(on.median), on.interval(), difference})
	}
	return markdownTable("lr", []string{"Structure", "Median ns, off", "95 % CI", "Median ns, on", "95 % CI", "On / off"}, rows)
}
