package section

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/analysis"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// grid says what the distribution of delays and the share cancelled change.
func grid(v *View) Section {
	return Section{
		Title:  "Does it matter how deadlines are spread?",
		Absent: "the grid of distributions",
		Charts: []*draw.Figure{v.gridChart()},
	}
}

// gridChart sets the distributions of the delays beside one another, a panel for
// each share that is cancelled. Nil: there is no grid.
func (v *View) gridChart() *draw.Figure {
	at := make(map[results.Grid]*analysis.Cell)
	var cells []*analysis.Cell
	var distributions []string
	var shares []int
	for _, c := range v.InClass(analysis.Grid) {
		if c.Grid == nil {
			continue
		}
		at[*c.Grid] = c
		cells = append(cells, c)
		if !slices.Contains(distributions, c.Grid.Delays) {
			distributions = append(distributions, c.Grid.Delays)
		}
		shares = append(shares, c.Grid.CancelPercent)
	}
	if len(cells) == 0 {
		return nil
	}
	slices.Sort(shares)
	shares = slices.Compact(shares)
	measured := v.Measured(cells...)
	rows := v.Curves(measured)
	costs := costSpan(cells, rows).Around(1.25, 1.25)
	columns := min(len(shares), 3)
	var panels []*draw.Panel
	for _, share := range shares {
		p := draw.NewPanel(fmt.Sprintf("%d %% cancelled", share))
		p.LogX("time per "+units(cells), costs, draw.LogTicks{Label: show.Duration, Most: 16 / columns})
		p.Rows(v.looksOf(rows))
		for i, who := range rows {
			line := draw.Dots{Look: v.Looks[who.Name], Joined: true}
			var points []draw.Dots
			for d, distribution := range distributions {
				c := at[results.Grid{Delays: distribution, CancelPercent: share}]
				if c == nil {
					continue
				}
				if s := c.Row(who.Name).Cost(); s.OK() {
					m := markOf(s, draw.RowAt(i, len(rows)))
					line.Marks = append(line.Marks, draw.Mark{X: m.X, Y: m.Y})
					dots := distributionDots(v.Looks[who.Name], d)
					dots.Marks = []draw.Mark{m}
					points = append(points, dots)
				}
			}
			p.Add(line)
			for _, d := range points {
				p.Add(d)
			}
		}
		panels = append(panels, p)
	}
	f := &draw.Figure{
		Name: "grid",
		Subtitle: fmt.Sprintf("What it says: the time per %s where delays are %s, by share of the timers cancelled "+
			"before they fire. N = %s resident timers. Lower (further left) is better.",
			units(cells), show.And(distributions), shortList(sizesOf(cells))),
		Caption: "What it does not say: the cost at another N; the map of the winners does. Logarithmic time axis. " +
			"Median with its 95 % confidence interval, where that is wider than the mark. The line joins the same " +
			"structure on the same operations with differently spread deadlines. " + v.ChoiceNote(measured),
		Height: draw.RowsHeight(len(rows)),
		Panels: panels, Columns: columns,
	}
	for i, d := range distributions {
		dots := distributionDots(draw.Look{Color: draw.Faded}, i)
		f.Legend = append(f.Legend, draw.Key{Text: d, Look: dots.Look, Radius: dots.Radius})
	}
	return f
}

// distributionDots has the marker of a distribution, by its index, in the colour
// of a look.
func distributionDots(l draw.Look, distribution int) draw.Dots {
	shape, radius := draw.Markers[(distribution+1)%len(draw.Markers)], draw.Length(2.8)
	switch distribution {
	case 0:
		shape, radius = draw.Circle, 3.2
	case 1:
		shape, radius = draw.Diamond.AsHollow(), 3
	}
	l.Marker = shape
	return draw.Dots{Look: l, Radius: radius}
}
