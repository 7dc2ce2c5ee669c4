package section

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

func questions(v *View) Section {
	return Section{
		Title:  "Which structure is fastest?",
		Absent: "the fastest structures",
		Lead: show.Para("For each workload the table lists the fastest structures, the fastest first. N is the largest size up to "+
			"10,000 that nearly all structures ran at, or else the smallest size. Each multiple is a ratio paired by round. "+
			"A structure ", show.Strong("ties"), " if the interval of its ratio to the first, without the loop around the calls, reaches below 1.05. Structures "+
			"that fire late are compared among each other. × loop is the time relative to the empty loop, which every number includes."),
		Tables: []Table{
			{Body: show.Tables(v.answerTable()), Main: true},
			{Title: "Every cell as a multiple of its fastest structure (bold: the fastest, or a tie)", Body: show.Tables(v.ratioTable())},
		},
	}
}

// overviewTable has a row for each structure, by merit, and a column for each cell. With several
// cells, the first columns sum up the row.
func (v *View) overviewTable(cells []*stats.Costs) draw.Heat {
	var t draw.Heat
	if len(cells) > 1 {
		t.Columns = []draw.Style{{Name: "typical"}, {Name: "worst"}}
		t.Groups = []draw.Group{{Names: []string{"over all"}}}
	}
	var class workload.Category
	for _, c := range cells {
		if answer.ClassOf(c) != class {
			class = answer.ClassOf(c)
			t.Groups = append(t.Groups, draw.Group{First: len(t.Columns), Names: map[workload.Category][]string{
				workload.Recorded:  {"recorded from programs", "recorded"},
				workload.Program:   {v.fromPrograms(), "programs"},
				workload.Grid:      {"delays, share cancelled", "grid"},
				workload.Synthetic: {"synthetic"},
			}[class]})
		}
		name := c.Workload
		if c.Grid != nil {
			name = fmt.Sprintf("%s, %d %%", c.Grid.Delays, c.Grid.CancelPercent)
		}
		t.Columns = append(t.Columns, draw.Style{Name: name + "  " + short(c.N), Cell: cellName(c)})
	}
	for _, who := range v.Merits(cells, answer.RowName.IsStructure) {
		out := draw.HeatRow{Style: v.Styles[who.Name], Title: fmt.Sprintf("%s times the fastest, as the geometric mean over %s, and %s at worst",
			show.Times(who.Typical), show.Count(who.Cells, "workload"), show.Times(who.Worst))}
		if len(cells) > 1 {
			typical, worst := math.NaN(), math.NaN()
			if who.Complete {
				typical, worst = who.Typical, who.Worst
			}
			out.Fields = []draw.Field{{Value: typical}, {Value: worst}}
		}
		for _, c := range cells {
			row := c.Row(who.Name)
			field := draw.Field{Value: math.NaN(), Bold: c.Ties(row)}
			if r := c.ToBest(row); r.OK() {
				field.Value = r.Center
			}
			out.Fields = append(out.Fields, field)
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// fromPrograms says where the workloads of programs come from.
func (v *View) fromPrograms() string {
	has := func(category workload.Category) bool {
		return slices.ContainsFunc(v.InClass(workload.Program), func(c *stats.Costs) bool { return workload.Category(c.Category) == category })
	}
	return show.Joined(" or ", when(has(workload.Program), "modelled on programs"), when(has(workload.Custom), "from scenario files"))
}

// units names the units of the costs of cells, the most common one first.
func units(cells []*stats.Costs) string {
	var found []string
	for _, unit := range []script.Unit{
		script.PerLifecycle, script.PerTick, script.PerReschedule, script.PerOperation,
	} {
		if slices.ContainsFunc(cells, func(c *stats.Costs) bool { return c.Unit == unit }) {
			found = append(found, string(unit))
		}
	}
	if len(found) < 2 {
		return strings.Join(found, "")
	}
	return found[0] + " (or " + strings.Join(found[1:], ", or ") + ")"
}

// answerTable names the fastest of each workload, at the N of the overview.
func (v *View) answerTable() *show.Table {
	t := newTable("lrllrrrll", "Workload", "N", "Take", "Fastest (more than one: a tie)", "ns", "95 %", "× loop", "Next", "Late: fastest")
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
			c.Cost(best).Center, interval(c.Cost(best)), ratio(c.Ratio(best, c.Loop(best))), next, lateBest(c))
	}
	return t
}

// someOf joins the first few names. It returns a dash without names.
func someOf(names []string) string {
	const most = 3 // chosen: a reader wants a name, not a list
	switch more := len(names) - most; {
	case len(names) == 0:
		return show.Unknown
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return show.And(names)
}

// lateBest names the fastest of the structures that fire late.
func lateBest(c *stats.Costs) any {
	if len(c.Late) == 0 {
		return nil
	}
	return show.Number(c.Cost(c.Late[0]).Center, fmt.Sprintf("%s %s ns", c.Late[0].Structure, show.Figure(c.Cost(c.Late[0]).Center)))
}

func nextBest(c *stats.Costs, r *results.Row) show.Cell {
	out := show.Number(c.ToBest(r).Center, fmt.Sprintf("%s %s\u00a0×", r.Structure, show.Times(c.ToBest(r).Center)))
	if to := c.ToBest(r); to.OK() && to.Lo < to.Hi {
		out.Note = show.Interval(to.Lo, to.Hi, show.Times, " to ")
	}
	return out
}

// ratioTable is the overview in numbers, at every N.
func (v *View) ratioTable() *show.Table {
	columns := v.ByMerit(v.Present(answer.RowName.IsStructure))
	names := mapped(columns, func(who answer.RowName) string { return who.Name })
	t := newTable("lr", append([]string{"Workload", "N"}, names...)...)
	t.Structures = append(make([]string, 2), names...)
	for _, c := range v.Cells {
		if c.Structures() == 0 {
			continue
		}
		var line []any
		for _, who := range columns {
			row := c.Row(who.Name)
			line = append(line, faceIf(c.Ties(row), ratio(c.ToBest(row))))
		}
		addUnit(t, c, line...)
	}
	return t
}

func inNumbers(v *View) Section {
	s := Section{
		Title: "What are the numbers of each workload?",
		Lead: show.Para("Each workload has its cost at each N and the time per call by kind of operation. The " +
			"interval is in brackets. × is the ratio to the fastest structure, paired by round. Bold: the fastest, or a tie. For the time per call, the clock is read once per run of operations of one kind, and its cost is subtracted; the wake-up that ends a run of fires is part of " +
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
		return faceIf(c.Ties(row), ratio(c.ToBest(row)))
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
