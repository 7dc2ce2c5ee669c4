package report

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// scale says how cost grows with the number of timers.
func scale(v *view) section {
	return section{
		title:  "How does the cost of a timer grow with their number?",
		absent: "cost against N",
		charts: []*draw.Figure{v.scaleChart()},
	}
}

// scaleChart shows cost against the number of resident timers, a panel for each
// synthetic workload. Nil: no number to show.
func (v *view) scaleChart() *draw.Figure {
	workloads := v.scaled()
	var cells []results.Cell
	for _, w := range workloads {
		cells = append(cells, slices.DeleteFunc(v.cells(w), func(c results.Cell) bool { return c.N <= 0 })...)
	}
	rows := v.measured(cells)
	if len(rows) == 0 {
		return nil
	}
	shown := v.curves(rows)
	ns := sizesOf(cells)
	var sizes draw.Span
	for _, n := range ns {
		sizes.Add(float64(n))
	}
	sizes = sizes.Around(1.25, 1.25)
	costs := v.costSpan(cells, rows).Around(1.2, 1.2)
	columns := min(len(workloads), 2)
	if len(workloads) > 4 {
		columns = 3
	}
	var panels []*draw.Panel
	left := "" // what names the vertical axis in this row of panels
	for i, w := range workloads {
		c, _ := v.largest(w)
		p := draw.NewPanel(w + perUnit(c))
		p.LogX("resident timers (N)", sizes, draw.TicksAt(ns, show.Short))
		label := timePer(c)
		if i%columns > 0 && label == left {
			label = ""
		} else {
			left = label
		}
		p.LogY(label, costs, draw.LogTicks{Label: show.Duration, Most: 9})
		if i%columns > 0 {
			p.UnnamedY()
		}
		for _, who := range rows {
			if !slices.Contains(shown, who) {
				p.Add(draw.Series{Look: v.looks[who.name], Radius: 2.7, Marks: v.costCurve(w, who.name), OnDemand: true})
			}
		}
		for _, who := range slices.Backward(shown) { // the first one ends up on top
			p.Add(draw.Series{Look: v.looks[who.name], Radius: 2.7, Marks: v.costCurve(w, who.name)})
		}
		panels = append(panels, p)
	}
	return &draw.Figure{
		Name: "scale",
		Subtitle: "What it says: the time per lifecycle (a timer scheduled, then fired or cancelled), or per what stands in brackets, " +
			"against the number of resident timers. Lower is better; flat is constant cost.",
		Caption: "What it does not say: what lies between the measured points; the lines are straight. " +
			"Both axes are logarithmic. Medians with their 95 % confidence intervals, where these are wider than the mark. " +
			"The floor is a scheduler that does nothing: what the harness itself costs. " + v.choiceNote(rows),
		Legend: v.keys(shown, true),
		Height: max(draw.Lines(len(workloads), columns)*250, 300),
		Panels: draw.Arrange(panels, columns),
	}
}

// costCurve is the cost of a contender at each size of a workload.
func (v *view) costCurve(workload, name string) []draw.Mark {
	var out []draw.Mark
	for _, c := range v.cells(workload) {
		row, _ := rowOf(c, name)
		if s := v.cost(c, row); s.ok() && c.N > 0 {
			m := markOf(s, 0)
			out = append(out, draw.Mark{X: float64(c.N), Y: m.X, Lo: m.Lo, Hi: m.Hi, Title: show.Short(m.X) + " ns at " + show.Short(float64(c.N))})
		}
	}
	return out
}

// sizesOf returns the sizes of cells, each once, the smallest first.
func sizesOf(cells []results.Cell) []int {
	var out []int
	for _, c := range cells {
		if c.N > 0 {
			out = append(out, c.N)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
