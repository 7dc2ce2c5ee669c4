package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// answer says which structure is the fastest on which workload.
func answer(v *view) section {
	return section{
		title:  "Which one should I use?",
		absent: "the overview",
		charts: []*draw.Figure{v.overviewChart()},
		caption: "The fastest structures of each workload at its largest N, in order of their cost. Each may be the best: no other one is better " +
			"at the family-wise confidence of 95 % and by more than the noise of the cell (multiple comparison with the best, paired by round). " +
			"Those that **tie** are known to be within 5 % of the first. What is **unclear** may be the best, too, but its ratio is not known well enough. " +
			"Multiples are ratios paired by round, with the 95 % interval of that one comparison. " +
			"× floor: what it takes beside the harness alone, which every number includes; × Go's timers: beside time.AfterFunc, where that can take part.",
		tables: []table{
			{body: v.answerTable()},
			{title: "Every cell as a multiple of its fastest structure (bold: may be the fastest; with a question mark: unclear)", body: v.ratioTable(), ratios: true},
		},
	}
}

// steps are the colours of the overview: each is for costs up to that many times
// the best.
var steps = []draw.Step{
	{To: 1.1, Name: "up to 1.1 ×", Color: draw.Hex("1b7837")},
	{To: 1.5, Name: "1.5 ×", Color: draw.Hex("5aae61")},
	{To: 2, Name: "2 ×", Color: draw.Hex("a6dba0")},
	{To: 3, Name: "3 ×", Color: draw.Hex("e7f2d9")},
	{To: 5, Name: "5 ×", Color: draw.Hex("fde3c0")},
	{To: 10, Name: "10 ×", Color: draw.Hex("f7a668")},
	{To: 30, Name: "30 ×", Color: draw.Hex("d9622b")},
	{To: math.Inf(1), Name: "more", Color: draw.Hex("8c2d04")},
}

// overviewChart shows the cost of each structure relative to the best, for each
// workload at its largest N. Nil: no workload has a cost.
func (v *view) overviewChart() *draw.Figure {
	var cells []results.Cell
	var groups []draw.Group
	for _, g := range []struct {
		class
		names []string
	}{
		{ofPrograms, []string{v.fromPrograms(), "programs"}},
		{ofGrid, []string{"delays × share cancelled", "grid"}},
		{synthetic, []string{"synthetic"}},
	} {
		first := len(cells)
		for _, w := range v.ofClass(g.class) {
			if c, _ := v.largestWithNearlyAll(w); structuresIn(c) > 0 {
				cells = append(cells, c)
			}
		}
		if len(cells) > first {
			groups = append(groups, draw.Group{Names: g.names, First: first})
		}
	}
	if len(cells) == 0 {
		return nil
	}
	caption := "Bold: may be the fastest: no other one is better at the family-wise confidence of 95 %. "
	if len(cells) > 1 {
		groups = append(groups, draw.Group{First: len(cells)})
		caption += "Worst: the largest multiple of the row, where all workloads were measured: what the choice costs at most. "
	}
	heat := v.overviewTable(cells)
	heat.Groups = groups
	return &draw.Figure{
		Name:     "overview",
		Title:    "Which timer structure should I use?",
		Subtitle: "Time per " + units(cells) + " as a multiple of the fastest structure's, for each workload at the largest N at which nearly all took part. Lower is better; 1 is the fastest.",
		Caption:  caption + "Grey: not measured.",
		Legend:   heat.Legend(),
		Height:   heat.Height(),
		Panels:   [][]*draw.Panel{{heat.Panel()}},
	}
}

// overviewTable has a row for each structure, a column for each cell, and the
// worst of each row in the last column.
func (v *view) overviewTable(cells []results.Cell) draw.Heat {
	rows := slices.DeleteFunc(v.measured(cells), func(who contender) bool {
		return who.role != results.RoleStructure && who.role != results.RoleBaseline
	})
	t := draw.Heat{Rows: v.looksOf(rows), Columns: v.columnNames(cells), Steps: steps, Number: overviewNumber}
	for _, who := range rows {
		var values []float64
		var best []bool
		worst := 0.0
		for _, c := range cells {
			a := v.analysis(c)
			row, _ := rowOf(c, who.name)
			value := math.NaN()
			if r := a.toBest(c, row); r.Pairs > 0 {
				value = r.Center
			}
			values = append(values, value)
			best = append(best, a.inBest(who.name))
			worst = max(worst, value) // NaN stays
		}
		if len(cells) > 1 {
			values, best = append(values, worst), append(best, false)
		}
		t.Value = append(t.Value, values)
		t.Bold = append(t.Bold, best)
	}
	return t
}

// columnNames names the columns: workloads, broken so that they fit, and N. All
// have as many lines, which aligns them at the top.
func (v *view) columnNames(cells []results.Cell) []string {
	var labels [][]string
	most := 0
	for _, c := range cells {
		label := strings.Split(c.Workload, "-")
		if place, ok := v.gridPlace(c); ok {
			label = []string{place.Delays, fmt.Sprintf("%d %%", place.CancelPercent)}
		}
		label = append(label, short(float64(c.N)))
		labels = append(labels, label)
		most = max(most, len(label))
	}
	if len(cells) > 1 {
		labels = append(labels, []string{"worst"})
	}
	out := make([]string, len(labels))
	for i, label := range labels {
		for len(label) < most {
			label = append(label, " ")
		}
		out[i] = strings.Join(label, "\n")
	}
	return out
}

func overviewNumber(v float64) string {
	if v == 1 {
		return "1"
	}
	return ratio(v)
}

// answerTable names the fastest of each workload at its largest N.
func (v *view) answerTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		c, ok := v.largest(w)
		a := v.analysis(c)
		if !ok || len(a.ranked) == 0 {
			continue
		}
		next, last := "–", "–"
		if others := a.others(); len(others) > 0 {
			next = others[0].times()
			if len(others) > 1 {
				last = others[len(others)-1].times()
			}
		}
		best := a.ranked[0].stat
		row, _ := rowOf(c, a.ranked[0].name)
		rows = append(rows, []string{literal(w + perUnit(c)), short(float64(c.N)), literal(andList(a.names(ranked.ties))), literal(orDash(a.names(ranked.isUnclear))),
			digits3(best.median), best.interval(), times(a.ratio(row, v.rowIn(c, results.RoleFloor))), times(a.ratio(row, v.rowIn(c, results.RoleBaseline))), next, last})
	}
	return markdownTable("lrllrrrrll", []string{"Workload", "N", "Fastest (more than one: a tie)", "Unclear", "ns", "95 % CI", "× floor", "× Go's timers", "Next", "Slowest"}, rows)
}

// orDash joins names, and is a dash where there are none.
func orDash(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return andList(names)
}

// times names a structure and its cost to the best.
func (r ranked) times() string {
	out := fmt.Sprintf("%s %s\u00a0×", literal(r.name), times(r.ToBest))
	if ci := ratioInterval(r.ToBest); ci != "–" {
		out += " (" + ci + ")"
	}
	return out
}

// ratioTable is the overview in numbers, at every N.
func (v *view) ratioTable() string {
	rows := v.ratioColumns()
	header := []string{"Workload", "N"}
	for _, who := range rows {
		header = append(header, literal(who.shown()))
	}
	var lines [][]string
	for _, c := range v.ratioCells() {
		a := v.analysis(c)
		uncertain := a.names(ranked.isUnclear)
		line := []string{literal(c.Workload), short(float64(c.N))}
		for _, who := range rows {
			row, _ := rowOf(c, who.name)
			text := times(a.toBest(c, row))
			if slices.Contains(uncertain, who.name) {
				text += "?"
			}
			if a.inBest(who.name) {
				text = "**" + text + "**"
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	return markdownTable("lr", header, lines)
}

// ratioColumns are the columns of the table of ratios.
func (v *view) ratioColumns() []contender {
	return v.present(func(who contender) bool { return who.role == results.RoleStructure || who.role == results.RoleBaseline })
}

// ratioCells are the rows of the table of ratios: all cells with a structure in them.
func (v *view) ratioCells() []results.Cell {
	var out []results.Cell
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if len(v.analysis(c).ranked) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}
