package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/draw"
)

func grid(v *View) Section {
	return Section{
		Title:  "Does it matter how deadlines are spread?",
		Absent: "the grid of distributions",
		Charts: []*draw.Figure{v.gridChart()},
	}
}

// gridChart compares the distributions of the delays, with a panel for each share
// cancelled. Nil: there is no grid.
func (v *View) gridChart() *draw.Figure {
	cells := slices.DeleteFunc(v.InClass(workload.Grid), func(c *stats.Costs) bool { return c.Grid == nil })
	if len(cells) == 0 {
		return nil
	}
	at := make(map[results.Grid]*stats.Costs)
	for _, c := range cells {
		at[*c.Grid] = c
	}
	distributions, shares := gridOf(cells)
	measured := v.Measured(cells...)
	rows, columns := v.Leaders(measured), min(len(shares), 3)
	f := &draw.Figure{
		Name: "grid",
		Subtitle: fmt.Sprintf("The time per %s with %s delays, by the share of timers cancelled before they fire. N = %s resident timers. "+
			"The time is relative to that of the empty loop in the same rounds, so that a change of the machine between the workloads cancels out. "+
			"Further left is better.",
			units(cells), show.And(distributions), shortList(sizesOf(cells))),
		Caption: "A line joins the marks of one structure: the same operations with other delays. A bar is a 95 % " +
			"confidence interval that is wider than its mark. The axis is logarithmic. " + v.ChoiceNote(measured),
		X:      draw.Axis{Ticks: draw.LogTicks{Label: ratioTick, Most: 16 / columns}, Low: 1.25, High: 1.25},
		Height: draw.RowsHeight(len(rows)), Columns: columns,
	}
	for _, share := range shares {
		p := &draw.Panel{
			Title: fmt.Sprintf("%d %% cancelled", share), XLabel: "time / time of the empty loop", Rows: v.stylesOf(rows),
		}
		for i, who := range rows {
			line := draw.Series{Style: v.Styles[who.Name], Rows: true, Joined: true}
			var points []draw.Marks
			for d, distribution := range distributions {
				c := at[results.Grid{Delays: distribution, CancelPercent: share}]
				if c == nil {
					continue
				}
				r := c.Ratio(c.Row(who.Name), c.Of(results.RoleFloor))
				if r.Pairs == 0 {
					continue
				}
				m := draw.Mark{X: r.Center, Y: float64(i)}
				line.Marks = append(line.Marks, m)
				if r.Bounded() {
					m.Lo, m.Hi = r.Lo, r.Hi
				}
				point := distributionMark(v.Styles[who.Name], d)
				point.Marks = []draw.Mark{m}
				points = append(points, point)
			}
			p.Marks = append(append(p.Marks, line), points...)
		}
		f.Panels = append(f.Panels, p)
	}
	for i, d := range distributions {
		of := distributionMark(draw.Style{Color: draw.Faded}, i)
		f.Legend = append(f.Legend, draw.Key{Text: d, Style: of.Style, Radius: of.Radius})
	}
	return f
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

// distributionMark returns the marker of a distribution, by its index, in the color
// of a style.
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

func ratioTick(r float64) string {
	if r < 1 {
		return "1/" + show.Figure(1/r)
	}
	return show.Figure(r)
}
