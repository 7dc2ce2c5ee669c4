package section

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/draw"
)

func scale(v *View) Section {
	return Section{
		Title:  "How does the cost grow with the number of timers?",
		Absent: "cost against N",
		Charts: []*draw.Figure{v.scaleChart()},
	}
}

// scaleChart shows cost against the number of resident timers, a panel for each
// synthetic workload. Nil: no number to show.
func (v *View) scaleChart() *draw.Figure {
	workloads := v.Scaled()
	cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool { return c.N <= 0 || !slices.Contains(workloads, c.Workload) })
	rows, sizes := v.Measured(cells...), sizesOf(cells)
	if len(rows) == 0 {
		return nil
	}
	shown := v.Curves(rows)
	columns, height := min(len(workloads), 2), draw.Length(250)
	if len(workloads) > 4 {
		columns = 3
	}
	if len(workloads) <= columns { // one row
		height = 300
	}
	f := &draw.Figure{
		Name: "scale",
		Subtitle: "The time per lifecycle (a timer is scheduled, then fires or is cancelled), or per the unit in brackets, " +
			"by the number of resident timers. Lower is better. A flat line is a constant cost.",
		Caption: "Straight lines join the measured points. Both axes are logarithmic. A bar is a 95 % confidence interval " +
			"that is wider than its mark. The floor is the cost of the harness with a scheduler that does nothing. " +
			v.ChoiceNote(rows),
		Legend: v.keys(shown),
		X:      draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: 1.25},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 9}, Low: 1.2, High: 1.2},
		Height: height, Columns: columns,
	}
	left := "" // what names the vertical axis in this row of panels
	for i, w := range workloads {
		c := v.Largest(w, (*results.Row).HasCost)
		p := &draw.Panel{Title: w + perUnit(c), XLabel: "resident timers (N)"}
		if label := "time per " + string(c.Unit); i%columns == 0 || label != left {
			p.YLabel, left = label, label
		}
		for _, who := range rows {
			if !slices.Contains(shown, who) {
				curve := v.costCurve(w, who.Name)
				curve.OnDemand = true
				p.Marks = append(p.Marks, curve)
			}
		}
		for _, who := range slices.Backward(shown) { // the first one ends up on top
			p.Marks = append(p.Marks, v.costCurve(w, who.Name))
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// costCurve is the cost of a contender at each size of a workload.
func (v *View) costCurve(workload, name string) draw.Series {
	out := draw.Series{Style: v.Styles[name], Radius: 2.7, Joined: true}
	for _, c := range v.CellsOf(workload) {
		if s := c.Cost(c.Row(name)); s.OK() && c.N > 0 {
			m := markOf(s, 0)
			m.X, m.Y = float64(c.N), m.X
			m.Title = show.Short(m.Y) + " ns at " + short(c.N)
			out.Marks = append(out.Marks, m)
		}
	}
	return out
}

// markOf returns the mark of a summary, with its interval if it has one.
func markOf(s stats.Cost, y float64) draw.Mark {
	m := draw.Mark{X: s.Center, Y: y}
	if s.Bounded() && s.Lo > 0 {
		m.Lo, m.Hi = s.Lo, s.Hi
	}
	return m
}

// sizesOf returns the distinct sizes of cells in ascending order.
func sizesOf(cells []*stats.Costs) []int {
	sizes := distinct(mapped(cells, func(c *stats.Costs) int { return c.N }))
	return slices.DeleteFunc(sizes, func(n int) bool { return n <= 0 })
}
