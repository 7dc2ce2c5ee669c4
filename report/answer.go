package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// answer says which structure is the fastest on which workload.
func answer(v *view) section {
	return section{
		title:  "Which one should I use?",
		absent: "the overview",
		charts: []*draw.Figure{v.winnersChart(), v.overviewChart()},
		caption: "The fastest structures of each workload at the largest N at which nearly all took part, in order of their cost. " +
			"Multiples are ratios paired by round. Their intervals hold together at 95 % for all that may be the fastest (multiple comparison with the best), and they decide: " +
			"those that **tie** lie within 5 % of the first, what is **unclear** reaches it, and all others are worse. " +
			"× floor: what it takes beside the harness alone, which every number includes. Go's timers are time.AfterFunc, where that can take part.",
		tables: []table{
			{body: v.answerTable(), main: true},
			{title: "Every cell as a multiple of its fastest structure (bold: the fastest, a tie with it, or unclear, which has a question mark)", body: v.ratioTable()},
		},
	}
}

// steps are the colours of the overview: each is for costs up to that many times
// the best. They are those of the colour map viridis, of which everybody sees the order.
var steps = []draw.Step{
	{To: 1.1, Name: "up to 1.1 ×", Color: draw.Hex("fde725")},
	{To: 1.5, Name: "1.5 ×", Color: draw.Hex("a0da39")},
	{To: 2, Name: "2 ×", Color: draw.Hex("4ac16d")},
	{To: 3, Name: "3 ×", Color: draw.Hex("1fa187")},
	{To: 5, Name: "5 ×", Color: draw.Hex("277f8e")},
	{To: 10, Name: "10 ×", Color: draw.Hex("365c8d")},
	{To: 30, Name: "30 ×", Color: draw.Hex("46327e")},
	{To: math.Inf(1), Name: "more", Color: draw.Hex("440154")},
}

// overviewChart shows the cost of each structure relative to the best, for each
// workload at the N of the table below it. Nil: no workload has a cost.
func (v *view) overviewChart() *draw.Figure {
	cells := v.answerCells()
	if len(cells) == 0 {
		return nil
	}
	var groups []draw.Group
	for i, c := range cells {
		if is := v.classOf(c.Workload); i == 0 || is != v.classOf(cells[i-1].Workload) {
			groups = append(groups, draw.Group{First: i, Names: map[class][]string{
				ofPrograms: {v.fromPrograms(), "programs"},
				ofGrid:     {"delays, share cancelled", "grid"},
				synthetic:  {"synthetic"},
			}[is]})
		}
	}
	caption := "Bold: the fastest, a tie with it, or not told apart from it at the family-wise confidence of 95 %. "
	if len(cells) > 1 {
		for i := range groups {
			groups[i].First += overAll
		}
		groups = append([]draw.Group{{Names: []string{"over all"}}}, groups...)
		caption += "Typical: the geometric mean of the row. Worst: its largest multiple, what the choice costs at most. " +
			"Both only where all workloads were measured; the rows are sorted by the typical multiple, those that lack a workload last. "
	}
	heat := v.overviewTable(cells)
	heat.Groups = groups
	return &draw.Figure{
		Name:     "overview",
		Title:    "Which timer structure costs least, over all workloads?",
		Subtitle: "What it says: the time per " + units(cells) + " as a multiple of the fastest structure's, for each workload at the largest N at which nearly all took part. Lower is better; 1 is the fastest.",
		Caption:  caption + "Grey: not measured. What it does not say: how a structure does at another N; the tables below do." + v.coarseNote(),
		Legend:   heat.Legend(),
		Height:   heat.Height(),
		Panels:   [][]*draw.Panel{{heat.Panel()}},
		Narrow:   heat.Stack(),
	}
}

// overAll is the number of columns that sum a row up.
const overAll = 2

// overviewTable has a row for each structure, by merit, and a column for each cell. If there
// are several cells, the first columns sum the row up.
func (v *view) overviewTable(cells []results.Cell) draw.Heat {
	t := draw.Heat{Columns: v.columnNames(cells), Steps: steps, Number: overviewNumber}
	merits := v.merits(cells, isStructure)
	merits = append(merits, v.merits(cells, func(who contender) bool { return who.role == results.RoleBaseline })...)
	for _, who := range merits {
		t.Rows = append(t.Rows, v.looks[who.name])
		t.Titles = append(t.Titles, fmt.Sprintf("%s times the fastest, as the geometric mean over %s, and %s at worst", show.Times(who.typical), plural(who.cells, "workload"), show.Times(who.worst)))
		var values []float64
		var best []bool
		if len(cells) > 1 {
			typical, worst := math.NaN(), math.NaN()
			if who.complete {
				typical, worst = who.typical, who.worst
			}
			values, best = []float64{typical, worst}, []bool{false, false}
		}
		for _, c := range cells {
			a := v.analysis(c)
			row, _ := rowOf(c, who.name)
			value := math.NaN()
			if r := a.toBest(c, row); r.Pairs > 0 {
				value = r.Center
			}
			values = append(values, value)
			best = append(best, a.inBest(who.name))
		}
		t.Value = append(t.Value, values)
		t.Bold = append(t.Bold, best)
	}
	return t
}

// coarseNote names the structures that fire late, if this version knows any.
func (v *view) coarseNote() string {
	var names []string
	for _, e := range v.known.entries {
		if who, ok := v.looks[e.Name]; ok && !e.Exact() {
			names = append(names, who.Name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return " Coarse, so that it fires late: " + names[0] + "."
	}
	return " Coarse, so that they fire late: " + show.And(names) + "."
}

// columnNames names the columns: the workload, or the place in the grid, and N.
func (v *view) columnNames(cells []results.Cell) []draw.Look {
	var out []draw.Look
	if len(cells) > 1 {
		out = []draw.Look{{Name: "typical"}, {Name: "worst"}}
	}
	for _, c := range cells {
		name := c.Workload
		if place, ok := v.gridPlace(c); ok {
			name = fmt.Sprintf("%s, %d %%", place.Delays, place.CancelPercent)
		}
		out = append(out, draw.Look{Name: name + "  " + show.Short(float64(c.N)), Cell: cellName(c)})
	}
	return out
}

func overviewNumber(v float64) string {
	if v == 1 {
		return "1"
	}
	return show.Times(v)
}

// answerTable names the fastest of each workload, at the N of the overview.
func (v *view) answerTable() string {
	var rows [][]string
	for _, c := range v.answerCells() {
		a := v.analysis(c)
		next := "–"
		if others := a.others(); len(others) > 0 {
			next = others[0].times()
		}
		best := a.ranked[0].stat
		row, _ := rowOf(c, a.ranked[0].Name)
		rows = append(rows, []string{literal(c.Workload + perUnit(c)), show.Short(float64(c.N)), literal(someOf(a.names(ranked.ties))), literal(someOf(a.names(ranked.isUnclear))),
			show.Figure(best.median), best.interval(), times(a.ratio(row, v.rowIn(c, results.RoleFloor))), asFast(a.ratio(row, v.rowIn(c, results.RoleBaseline))), next})
	}
	return markdownTable("lrllrrrll", []string{"Workload", "N", "Fastest (more than one: a tie)", "Unclear", "ns", "95 % CI", "× floor", "Beside Go's timers", "Next"}, rows)
}

// someOf joins the first of names, and is a dash where there are none.
func someOf(names []string) string {
	const most = 3 // chosen: a reader wants a name, not a list
	switch more := len(names) - most; {
	case len(names) == 0:
		return "–"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return show.And(names)
}

// times names a structure and its cost to the best.
func (r ranked) times() string {
	out := fmt.Sprintf("%s %s\u00a0×", literal(r.Name), times(r.ToBest))
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
		line := []string{literal(c.Workload), show.Short(float64(c.N))}
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

// ratioColumns are the columns of the table of ratios, by merit.
func (v *view) ratioColumns() []contender {
	return v.byMerit(v.present(func(who contender) bool { return who.role == results.RoleStructure || who.role == results.RoleBaseline }))
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
