package section

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
)

// mix is a share of timers that are cancelled or moved, with the cells that were measured with it, the smallest N first.
type mix struct {
	name, says string
	cells      []*stats.Costs
}

// mixes returns the rows of the map that were measured: uniform delays with three shares cancelled, and timers that are moved.
func (v *View) mixes() (out []mix) {
	add := func(name, says string, is func(*stats.Costs) bool) {
		cells := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool { return c.N <= 0 || !is(c) || len(c.Exact) == 0 })
		if len(cells) > 0 {
			out = append(out, mix{name, says, cells})
		}
	}
	for _, of := range []struct {
		percent    int
		name, says string
	}{{0, "none", "no timer cancelled"}, {50, "half", "half of the timers cancelled"}, {90, "90 %", "90 % of the timers cancelled"}} {
		add(of.name+" cancelled", of.says, func(c *stats.Costs) bool {
			return c.Grid != nil && c.Grid.Delays == latencyShapes[0] && c.Grid.CancelPercent == of.percent
		})
	}
	add("moved", "timers moved again and again", func(c *stats.Costs) bool {
		return c.Unit == script.PerReschedule && answer.ClassOf(c) == workload.Synthetic
	})
	return out
}

// Map is the first picture of a page: the default against the fastest exact structure, by the share cancelled or moved and by N.
// Nil: none of these cells has the default.
func (v *View) Map() *draw.Figure {
	rows, h := v.mixes(), draw.Heat{Level: true, XLabel: "pending timers (N)"}
	var cells []*stats.Costs
	for _, m := range rows {
		cells = append(cells, m.cells...)
	}
	sizes := sizesOf(cells)
	for _, n := range sizes {
		h.Columns = append(h.Columns, draw.Style{Name: short(n)})
	}
	all, ties, worst, where := 0, 0, 0.0, ""
	for _, m := range rows {
		row := draw.HeatRow{Style: draw.Style{Name: m.name}, Fields: slices.Repeat([]draw.Field{{Value: math.NaN()}}, len(sizes))}
		for _, c := range m.cells {
			best, usual := c.Fastest(), c.Row(answer.Default)
			to := c.Deciding(usual, best)
			if !to.OK() {
				continue
			}
			f := draw.Field{Value: to.Center, Cell: cellName(c), Title: fmt.Sprintf("%s among %s timers, %s: %s × %s, %s",
				answer.Default, show.Grouped(c.N), m.says, show.Times(to.Center), best.Structure, show.Duration(c.Cost(usual).Center))}
			if all++; c.Ties(usual) {
				ties++
			} else {
				f.Name = best.Structure
				if to.Center > worst {
					worst, where = to.Center, fmt.Sprintf("%s (%s, N = %s)", best.Structure, m.name, short(c.N))
				}
			}
			row.Fields[slices.Index(sizes, c.N)] = f
		}
		h.Rows = append(h.Rows, row)
	}
	if all == 0 {
		return nil
	}
	f := h.Figure()
	f.Name, f.Title = "map", fmt.Sprintf("%s is the fastest exact structure, or ties with it, in %d of %d cells", answer.Default, ties, all)
	if where != "" {
		f.Title += fmt.Sprintf("; at worst it takes %s times as long as %s", show.Times(worst), where)
	}
	f.Subtitle = fmt.Sprintf("The time of %s as a multiple of the fastest exact structure's, without the loop around the calls, by the number of timers and the share cancelled or moved.", answer.Default)
	f.Caption = "A name: that structure is faster, and no tie."
	if all < len(sizes)*len(rows) {
		f.Caption += " Blank: not measured."
	}
	return f
}

func scale(v *View) Section {
	return Section{
		Title:  "How does the cost grow with the number of timers?",
		Absent: "cost against N",
		Charts: []*draw.Figure{v.scaleChart()},
		Open:   true,
	}
}

// scaleChart shows the cost over the number of timers, a panel for each mix, or else for each of a few synthetic workloads. Nil: nothing was
// measured at two sizes.
func (v *View) scaleChart() *draw.Figure {
	const most = 4 // panels
	var panels []mix
	for _, m := range v.mixes() {
		if len(sizesOf(m.cells)) > 1 {
			panels = append(panels, m)
		}
	}
	if len(panels) < 2 {
		panels = nil
		for _, w := range v.Scaled() {
			if cells := v.CellsOf(w); len(panels) < most && len(sizesOf(cells)) > 1 {
				panels = append(panels, mix{w, w, cells})
			}
		}
	}
	if len(panels) == 0 {
		return nil
	}
	var cells []*stats.Costs
	for _, m := range panels {
		cells = append(cells, m.cells...)
	}
	sizes, rows := sizesOf(cells), v.Curves(v.Measured(cells...))
	if !slices.ContainsFunc(rows, answer.RowName.IsStructure) {
		return nil
	}
	f := &draw.Figure{
		Name: "scale", Title: v.scaleFinding(panels[min(1, len(panels)-1)], rows),
		Subtitle: "The time of a timer from its schedule until it fires or is cancelled, or of what a panel names, by the number of pending timers.",
		Caption: "Both axes are logarithmic. A bar is the 95 % interval of " + answer.Default + " where it is wider than its mark. The tables have those of all. " +
			v.ChoiceNote(v.Measured(cells...)),
		X:      draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: roomForNames(sizes, 0.27)},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 7}, Low: 1.15, High: 1.15},
		Height: 235, Columns: min(2, len(panels)),
	}
	left := "" // what names the vertical axis in this row of panels
	for i, m := range panels {
		p := &draw.Panel{Title: m.name + perUnit(m.cells[0]), XLabel: "pending timers (N)"}
		if label := "time per " + string(m.cells[0].Unit); i%f.Columns == 0 || label != left {
			p.YLabel, left = label, label
		}
		for _, who := range slices.Backward(rows) { // the first one ends up on top
			if curve := v.costCurve(m.cells, who.Name); len(curve.Marks) > 0 {
				p.Marks = append(p.Marks, curve)
			}
		}
		p.Marks = append(p.Marks, endsOf(p.Marks))
		f.Panels = append(f.Panels, p)
	}
	return f
}

// scaleFinding says how the cost of the default and of the structure that is the slowest in the end grow in a panel.
func (v *View) scaleFinding(m mix, rows []answer.RowName) string {
	first, last := m.cells[0], m.cells[len(m.cells)-1]
	grows := func(name string) string {
		a, b := first.Cost(first.Row(name)), last.Cost(last.Row(name))
		if !a.OK() || !b.OK() {
			return ""
		}
		return fmt.Sprintf("from %s to %s in %s", show.Duration(a.Center), show.Duration(b.Center), name)
	}
	slowest := slices.MaxFunc(rows, func(a, b answer.RowName) int {
		cost := func(who answer.RowName) float64 { return last.Cost(last.Row(who.Name)).Center }
		return int(math.Copysign(1, cost(a)-cost(b)))
	})
	return fmt.Sprintf("From %s to %s timers, %s, the cost goes ", show.Grouped(first.N), show.Grouped(last.N), m.says) +
		show.Joined(" and ", grows(answer.Default), when(slowest.Name != answer.Default, grows(slowest.Name)))
}

// costCurve is the cost of a contender in cells of one workload.
func (v *View) costCurve(cells []*stats.Costs, name string) draw.Series {
	out := draw.Series{Style: v.Styles[name], Radius: 2.2, Joined: true, Thick: name == answer.Default}
	for _, c := range cells {
		if s := c.Cost(c.Row(name)); s.OK() {
			m := draw.Mark{X: float64(c.N), Y: s.Center, Title: show.Short(s.Center) + " ns at " + short(c.N)}
			if name == answer.Default && s.OK() && show.Narrow(s.Lo, s.Hi) {
				m.Lo, m.Hi = s.Lo, s.Hi
			}
			out.Marks = append(out.Marks, m)
		}
	}
	return out
}

// sizesOf returns the distinct sizes of cells in ascending order.
func sizesOf(cells []*stats.Costs) []int {
	sizes := distinct(mapped(cells, func(c *stats.Costs) int { return c.N }))
	return slices.DeleteFunc(sizes, func(n int) bool { return n <= 0 })
}

func grid(v *View) Section {
	return Section{
		Title:  "Does it matter how deadlines are spread?",
		Absent: "the grid of distributions",
		Charts: []*draw.Figure{v.gridChart()},
	}
}

// gridChart compares the distributions of the delays at one share cancelled, a panel for each N with two distributions or more. Nil: there
// is none.
func (v *View) gridChart() *draw.Figure {
	grid := slices.DeleteFunc(slices.Clone(v.Cells), func(c *stats.Costs) bool { return c.Grid == nil || c.N <= 0 || len(c.Exact) == 0 })
	var cells []*stats.Costs // of the share with the most of them
	delays, shares := gridOf(grid)
	for _, share := range shares {
		of := slices.DeleteFunc(slices.Clone(grid), func(c *stats.Costs) bool {
			return c.Grid.CancelPercent != share || !slices.ContainsFunc(grid, func(d *stats.Costs) bool {
				return d.N == c.N && d.Grid.CancelPercent == share && d.Grid.Delays != c.Grid.Delays
			})
		})
		if len(of) >= len(cells) {
			cells = of
		}
	}
	if len(cells) == 0 {
		return nil
	}
	measured, sizes := v.Measured(cells...), sizesOf(cells)
	rows, columns := v.Leaders(measured), min(len(sizes), 3)
	f := &draw.Figure{
		Name: "grid", Title: gridFinding(cells, rows),
		Subtitle: fmt.Sprintf("The time per %s with %s delays, %d %% of the timers cancelled. Further left is better.",
			cells[0].Unit, show.And(delays), cells[0].Grid.CancelPercent),
		Caption: "A line joins the marks of one structure: the same operations with other delays. The tables have the intervals. " +
			"The axis is logarithmic. " + v.ChoiceNote(measured),
		X:      draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 16 / columns}, Low: 1.25, High: 1.25},
		Height: draw.RowsHeight(len(rows)), Columns: columns,
	}
	for _, n := range sizes {
		p := &draw.Panel{Title: "N = " + short(n), XLabel: "time per " + string(cells[0].Unit), Rows: v.stylesOf(rows)}
		for i, who := range rows {
			line := draw.Series{Style: v.Styles[who.Name], Rows: true, Joined: true}
			var points []draw.Marks
			for _, c := range cells {
				cost := c.Cost(c.Row(who.Name))
				if c.N != n || !cost.OK() {
					continue
				}
				m := draw.Mark{X: cost.Center, Y: float64(i)}
				line.Marks = append(line.Marks, m)
				m.Title = c.Grid.Delays + " " + show.Duration(cost.Center)
				point := distributionMark(v.Styles[who.Name], slices.Index(delays, c.Grid.Delays))
				point.Marks = []draw.Mark{m}
				points = append(points, point)
			}
			slices.SortFunc(line.Marks, func(a, b draw.Mark) int { return int(math.Copysign(1, a.X-b.X)) })
			p.Marks = append(append(p.Marks, line), points...)
		}
		f.Panels = append(f.Panels, p)
	}
	for i, d := range delays {
		of := distributionMark(draw.Style{Color: draw.Faded}, i)
		f.Legend = append(f.Legend, draw.Key{Text: d, Style: of.Style, Radius: of.Radius})
	}
	return f
}

// gridFinding says which structure depends the most on the spread of the delays at one N, and which the least.
func gridFinding(cells []*stats.Costs, rows []answer.RowName) string {
	type factor struct {
		name string
		n    int
		by   float64
	}
	var all []factor // the largest of each structure
	for _, who := range rows {
		most := factor{name: who.Name}
		for _, a := range cells {
			for _, b := range cells {
				x, y := a.Cost(a.Row(who.Name)), b.Cost(b.Row(who.Name))
				if a.N == b.N && x.OK() && y.OK() && x.Center/y.Center > most.by {
					most.n, most.by = a.N, x.Center/y.Center
				}
			}
		}
		if most.by > 0 {
			all = append(all, most)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b factor) int { return int(math.Copysign(1, b.by-a.by)) })
	out := fmt.Sprintf("Other delays change the cost of %s by up to %s times (N = %s)", all[0].name, show.Times(all[0].by), short(all[0].n))
	if least := all[len(all)-1]; len(all) > 1 {
		out += fmt.Sprintf(", and that of %s by %s times at most", least.name, show.Times(least.by))
	}
	return out
}

// gridOf returns the shapes of delays and the shares cancelled, in percent, of cells of the grid.
func gridOf(cells []*stats.Costs) (delays []string, shares []int) {
	for _, c := range cells {
		if !slices.Contains(delays, c.Grid.Delays) {
			delays = append(delays, c.Grid.Delays)
		}
	}
	return delays, distinct(mapped(cells, func(c *stats.Costs) int { return c.Grid.CancelPercent }))
}

// distributionMark returns the marker of a distribution, by its index, in the color of a style.
func distributionMark(l draw.Style, distribution int) draw.Series {
	shape, radius := draw.Markers[(distribution+1)%len(draw.Markers)], draw.Length(2.8)
	switch distribution {
	case 0:
		shape, radius = draw.Circle, 3.2
	case 1:
		shape, radius = draw.Diamond.AsHollow(), 3
	}
	l.Marker = shape
	return draw.Series{Style: l, Radius: radius, Rows: true}
}
