package section

import (
	"slices"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// scale says how cost grows with the number of timers.
func scale(v *View) Section {
	return Section{
		Title:  "How does the cost of a timer grow with their number?",
		Absent: "cost against N",
		Charts: []*draw.Figure{v.scaleChart()},
	}
}

// scaleChart shows cost against the number of resident timers, a panel for each
// synthetic workload. Nil: no number to show.
func (v *View) scaleChart() *draw.Figure {
	workloads := v.Scaled()
	var cells []*analysis.Cell
	for _, w := range workloads {
		cells = append(cells, v.CellsOf(w)...)
	}
	cells = slices.DeleteFunc(cells, func(c *analysis.Cell) bool { return c.N <= 0 })
	rows := v.Measured(cells...)
	if len(rows) == 0 {
		return nil
	}
	shown := v.Curves(rows)
	ns := sizesOf(cells)
	sizes := draw.SpanOf(ns...).Around(1.25, 1.25)
	costs := costSpan(cells, rows).Around(1.2, 1.2)
	columns, height := min(len(workloads), 2), draw.Length(250)
	if len(workloads) > 4 {
		columns = 3
	}
	if len(workloads) <= columns { // one row
		height = 300
	}
	var panels []*draw.Panel
	left := "" // what names the vertical axis in this row of panels
	for i, w := range workloads {
		c := v.Largest(w, (*analysis.Row).HasCost)
		p := draw.NewPanel(w + perUnit(c))
		p.LogX("resident timers (N)", sizes, draw.TicksAt(ns, show.Short))
		label := "time per " + string(c.Unit)
		if i%columns > 0 && label == left {
			label = ""
		} else {
			left = label
		}
		p.LogY(label, costs, draw.LogTicks{Label: show.Duration, Most: 9})
		for _, who := range rows {
			if !slices.Contains(shown, who) {
				curve := v.costCurve(w, who.Name)
				curve.OnDemand = true
				p.Add(curve)
			}
		}
		for _, who := range slices.Backward(shown) { // the first one ends up on top
			p.Add(v.costCurve(w, who.Name))
		}
		panels = append(panels, p)
	}
	return &draw.Figure{
		Name: "scale",
		Subtitle: "What it says: the time per lifecycle (a timer scheduled, then fired or cancelled), " +
			"or per what stands in brackets, against the number of resident timers. Lower is better; flat " +
			"is constant cost.",
		Caption: "What it does not say: what lies between the measured points; the lines are straight. " +
			"Both axes are logarithmic. Medians with their 95 % confidence intervals, where these are wider than " +
			"the mark. The floor is a scheduler that does nothing: what the harness itself costs. " +
			v.ChoiceNote(rows),
		Legend: v.keys(shown),
		Height: height,
		Panels: panels, Columns: columns,
	}
}

// costCurve is the cost of a contender at each size of a workload.
func (v *View) costCurve(workload, name string) draw.Series {
	out := draw.Series{Look: v.Looks[name], Radius: 2.7}
	for _, c := range v.CellsOf(workload) {
		if s := c.Row(name).Cost(); s.OK() && c.N > 0 {
			m := markOf(s, 0)
			out.Marks = append(out.Marks, draw.Mark{
				X: float64(c.N), Y: m.X, Lo: m.Lo, Hi: m.Hi, Title: show.Short(m.X) + " ns at " + short(c.N),
			})
		}
	}
	return out
}

// markOf is the mark of a summary: the median, with its interval where there is one.
func markOf(s analysis.Stat, y float64) draw.Mark {
	m := draw.Mark{X: s.Median, Y: y}
	if s.Bounded() && s.Lo > 0 {
		m.Lo, m.Hi = s.Lo, s.Hi
	}
	return m
}

// costSpan is the range of the costs of contenders in cells, with their intervals.
func costSpan(cells []*analysis.Cell, of []analysis.Contender) draw.Span {
	var s draw.Span
	for _, c := range cells {
		for _, who := range of {
			m := markOf(c.Row(who.Name).Cost(), 0)
			s.Add(m.X, m.Lo, m.Hi)
		}
	}
	return s
}

// sizesOf returns the sizes of cells, each once, the smallest first.
func sizesOf(cells []*analysis.Cell) []int {
	var out []int
	for _, c := range cells {
		if c.N > 0 {
			out = append(out, c.N)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
