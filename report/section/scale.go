// The map, and cost over the number of timers: both show the same four mixes of operations, so that a cell of one is a point of the other.

package section

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
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
	rows, h := v.mixes(), draw.Heat{XLabel: "pending timers (N)"}
	var cells []*stats.Costs
	for _, m := range rows {
		cells = append(cells, m.cells...)
	}
	sizes := sizesOf(cells)
	for _, n := range sizes {
		h.Columns = append(h.Columns, draw.Style{Name: short(n)})
	}
	all, ties := 0, 0
	for _, m := range rows {
		row := draw.HeatRow{Name: m.name, Fields: slices.Repeat([]draw.Field{{Value: math.NaN()}}, len(sizes))}
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
	f.Subtitle = fmt.Sprintf("The time of %s as a multiple of the fastest exact structure's, without the loop around the calls, by the number of timers and the share cancelled or moved.", answer.Default)
	f.Caption = "A field names the fastest structure where " + answer.Default + " does not tie with it."
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

// scaleChart shows the cost over the number of timers, a panel for each mix. Its title says how the cost of the default grows, or that of
// the first structure. Nil: nothing was measured at two sizes.
func (v *View) scaleChart() *draw.Figure {
	panels := slices.DeleteFunc(v.mixes(), func(m mix) bool { return len(sizesOf(m.cells)) < 2 })
	if len(panels) == 0 {
		return nil
	}
	var cells []*stats.Costs
	for _, m := range panels {
		cells = append(cells, m.cells...)
	}
	sizes, measured, finding := sizesOf(cells), v.Measured(cells...), ""
	rows := append(v.Leaders(measured), slices.DeleteFunc(slices.Clone(measured), func(who answer.RowName) bool { // and the floor of structures by ID
		return who.Role != results.RoleFloor || v.Program(who.Name) != nil || who.Name == results.IntrusiveFloor
	})...)
	of, name := panels[min(1, len(panels)-1)], rows[mainOf(rows)].Name
	if curve := v.costCurve(of.cells, name).Marks; len(curve) > 0 {
		first, last := curve[0], curve[len(curve)-1]
		finding = fmt.Sprintf("With %s, %s takes %s among %s timers and %s among %s", of.says, name,
			show.Duration(first.Y), show.Grouped(int(first.X)), show.Duration(last.Y), show.Grouped(int(last.X)))
	}
	f := &draw.Figure{
		Name: "scale", Title: finding,
		Subtitle: "The time of a timer from its schedule until it fires or is cancelled, or of what a panel names, by the number of pending timers.",
		Caption: "Both axes are logarithmic. A bar is the 95 % interval of " + answer.Default + " where it is wider than its mark. " +
			v.ChoiceNote(measured),
		X:      draw.Axis{Ticks: draw.TicksAt(sizes, show.Short), Low: 1.25, High: roomForNames(sizes, 0.27)},
		Y:      draw.Axis{Ticks: draw.LogTicks{Label: show.Duration, Most: 7}, Low: 1.15, High: 1.15},
		Height: 235, Columns: min(2, len(panels)),
	}
	for _, m := range panels {
		p := &draw.Panel{Title: m.name + show.When(m.cells[0].Unit != script.PerLifecycle, " (per "+string(m.cells[0].Unit)+")"), XLabel: "pending timers (N)", YLabel: "time per " + string(m.cells[0].Unit)}
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

// costCurve is the cost of a contender in cells of one workload.
func (v *View) costCurve(cells []*stats.Costs, name string) draw.Series {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c *stats.Costs) bool { return !c.Cost(c.Row(name)).OK() })
	out := line(v.Styles[name], cells, func(c *stats.Costs) (int, float64) { return c.N, c.Cost(c.Row(name)).Center }, show.Duration)
	for i, c := range cells {
		if e := c.Cost(c.Row(name)); name == answer.Default && show.Narrow(e.Lo, e.Hi) {
			out.Marks[i].Lo, out.Marks[i].Hi = e.Lo, e.Hi
		}
	}
	return out
}

// sizesOf returns the distinct sizes of cells in ascending order.
func sizesOf(cells []*stats.Costs) []int {
	sizes := distinct(mapped(cells, func(c *stats.Costs) int { return c.N }))
	return slices.DeleteFunc(sizes, func(n int) bool { return n <= 0 })
}

var dashes = []draw.Length{4, 2.5}

// line is a line of a chart over N. value returns a number of timers and the value among them; NaN: not known.
func line[T any](style draw.Style, of []T, value func(T) (n int, y float64), write func(float64) string) draw.Series {
	out := draw.Series{Style: style, Radius: 2.2, Joined: true, Thick: style.Structure == answer.Default}
	if style.Marker == (draw.Marker{}) {
		out.Radius = 0
	}
	for _, x := range of {
		if n, y := value(x); !math.IsNaN(y) {
			out.Marks = append(out.Marks, draw.Mark{X: float64(n), Y: y, Title: write(y) + " at " + short(n)})
		}
	}
	return out
}

// endsOf names the lines.
func endsOf(lines []draw.Marks) (out draw.Ends) {
	for _, m := range lines {
		if line := m.(draw.Series); len(line.Marks) > 0 {
			last := line.Marks[len(line.Marks)-1]
			out = append(out, draw.End{Style: line.Style, X: last.X, Y: last.Y})
		}
	}
	return out
}

// roomForNames is the room at the end of an axis of sizes for the names of lines, as a factor: a share of its decades.
func roomForNames(sizes []int, share float64) float64 {
	decades := math.Log10(float64(slices.Max(sizes)) / float64(slices.Min(sizes)))
	return math.Pow(10, share*max(1, decades))
}

// mainOf returns the index of the default, or else of the best.
func mainOf(rows []answer.RowName) int {
	return max(0, slices.IndexFunc(rows, func(who answer.RowName) bool { return who.Name == answer.Default }))
}
