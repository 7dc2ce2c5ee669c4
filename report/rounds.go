package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// course is the cost of a cell round by round: the geometric mean of the structures that
// took part in the most rounds.
func course(c results.Cell) []stats.Sample {
	most := 0
	for _, row := range c.Rows {
		if row.Role == results.RoleStructure {
			most = max(most, len(costSamples(row)))
		}
	}
	var out []stats.Sample
	n := 0.0
	for _, row := range c.Rows {
		samples := costSamples(row)
		if row.Role != results.RoleStructure || len(samples) < most {
			continue
		}
		n++
		for _, s := range samples {
			i := slices.IndexFunc(out, func(o stats.Sample) bool { return o.Round == s.Round })
			if i < 0 {
				i = len(out)
				out = append(out, s)
				out[i].Value = 0
			}
			out[i].Value += math.Log(s.Value)
		}
	}
	for i := range out {
		out[i].Value = math.Exp(out[i].Value / n)
	}
	return out
}

// drift is a cell and the rank correlation of its cost with the round.
type drift struct {
	cell   results.Cell
	tau, p float64
}

func (v *view) drifts() []drift {
	var out []drift
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if samples := course(c); len(samples) > 1 {
				d := drift{cell: c}
				d.tau, d.p = stats.Drift(samples)
				out = append(out, d)
			}
		}
	}
	return out
}

func (d drift) found() bool { return d.p < 1-confidence }

func (v *view) driftLead() string {
	all := v.drifts()
	found := 0
	for _, d := range all {
		if d.found() {
			found++
		}
	}
	return fmt.Sprintf("**Drift.** In %d of %d cells the cost rose or fell steadily in the course of the rounds (rank correlation, p < 0.05); by chance alone, at most about %s should. "+
		"Fewer than five instances cannot show it. Comparisons are paired by round, so a drift that all structures share is not in them.",
		found, len(all), show.Figure(float64(len(all))*(1-confidence)))
}

// driftChart shows the cost of each cell round by round. Nil: no cell has rounds enough.
func (v *view) driftChart() *draw.Figure {
	const fewest = 3 // rounds of a cell that is shown
	steady := draw.Look{Color: draw.Pale(draw.Faded, 0.65)}
	trend := draw.Look{Color: baselineLook.Color}
	var costs draw.Span
	var calm, found []draw.Series
	for _, d := range v.drifts() {
		samples := course(d.cell)
		if len(samples) < fewest {
			continue
		}
		slices.SortFunc(samples, func(a, b stats.Sample) int { return a.Round - b.Round })
		mean := 0.0
		for _, s := range samples {
			mean += math.Log(s.Value) / float64(len(samples))
		}
		s := draw.Series{Look: steady}
		if d.found() {
			s.Look = trend
		}
		s.Look.Name = cellTitle(d.cell)
		for i, sample := range samples {
			m := draw.Mark{X: float64(i+1) / float64(len(samples)), Y: sample.Value / math.Exp(mean)}
			costs.Add(m.Y)
			s.Marks = append(s.Marks, m)
		}
		if d.found() {
			found = append(found, s)
		} else {
			calm = append(calm, s)
		}
	}
	if len(calm)+len(found) == 0 {
		return nil
	}
	p := draw.NewPanel("")
	p.LinearX("rounds of the cell, in their order", 1, draw.TicksAt([]float64{0, 0.25, 0.5, 0.75, 1}, show.Percent))
	p.LogY("cost / its mean in the cell", costs.Around(1.05, 1.05), draw.TicksAt([]float64{0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4}, show.Figure))
	for _, s := range append(calm, found...) {
		p.Add(s)
	}
	return &draw.Figure{
		Name:     "drift",
		Title:    "Did the machine change during the run?",
		Subtitle: "What it says: the cost in each cell from its first round to its last, as the geometric mean of the structures with the most rounds. A level line is a steady machine.",
		Caption:  "What it does not say: which structure is faster. Comparisons are paired by round, so what all structures share does not count. The vertical axis is logarithmic.",
		Legend: []draw.Key{
			{Text: "no trend", Look: steady, Line: true},
			{Text: "rose or fell steadily (p < 0.05)", Look: trend, Line: true},
		},
		Height: 220,
		Panels: [][]*draw.Panel{{p}},
	}
}

// driftTable shows the cells that drift.
func (v *view) driftTable() string {
	var rows [][]string
	for _, d := range v.drifts() {
		if d.found() {
			rows = append(rows, []string{literal(d.cell.Workload), show.Short(float64(d.cell.N)), fmt.Sprintf("%.2f", d.tau), show.Figure(d.p)})
		}
	}
	if len(rows) == 0 {
		return "No cell.\n"
	}
	return markdownTable("lrrr", []string{"Workload", "N", "Kendall's rank correlation", "p"}, rows)
}

// roundsTable shows for each cell how many rounds the structures got, and why they got no
// more. It is empty where there was no race.
func (v *view) roundsTable() string {
	if !v.raced() {
		return ""
	}
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			stopped := make(map[results.Stopped][]string)
			for _, row := range c.Rows {
				if row.Role == results.RoleStructure {
					stopped[row.Stopped] = append(stopped[row.Stopped], fmt.Sprintf("%s %d", row.Structure, len(costSamples(row))))
				}
			}
			line := []string{literal(w), show.Short(float64(c.N))}
			for _, why := range []results.Stopped{results.StoppedSettled, results.StoppedBudget, results.StoppedBeaten, results.StoppedDone} {
				line = append(line, literal(namesOrDash(stopped[why])))
			}
			rows = append(rows, append(line, literal(namesOrDash(c.LeftOut))))
		}
	}
	return markdownTable("lrlllll", []string{"Workload", "N", "Settled", "Out of time", "Beaten", "All that were asked for", "Left out, as too slow among fewer timers"}, rows)
}

// namesOrDash joins names, and is a dash where there are none.
func namesOrDash(names []string) string { return cmp.Or(strings.Join(names, ", "), "–") }

// raced reports whether some row says why it got no more rounds.
func (v *view) raced() bool {
	return slices.ContainsFunc(v.r.Cells, func(c results.Cell) bool {
		return slices.ContainsFunc(c.Rows, func(r results.Row) bool { return r.Stopped != results.StoppedDone })
	})
}

// warningTable shows what benchmath warns of, by cell.
func (v *view) warningTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			names := make(map[string][]string)
			var texts []string
			for _, row := range c.Rows {
				for _, warning := range v.cost(c, row).warnings {
					text := warning.Error()
					if names[text] == nil {
						texts = append(texts, text)
					}
					names[text] = append(names[text], row.Structure)
				}
			}
			for _, text := range texts {
				rows = append(rows, []string{literal(w), show.Short(float64(c.N)), literal(strings.Join(names[text], ", ")), literal(text)})
			}
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return markdownTable("lrll", []string{"Workload", "N", "Rows", "Warning"}, rows)
}
