package report

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// grid says what the distribution of delays and the share cancelled change.
func grid(v *view) section {
	return section{
		title:  "Does it matter how deadlines are spread?",
		absent: "the grid of distributions",
		charts: []*draw.Figure{v.gridChart()},
	}
}

// gridChart sets the distributions of the delays beside one another, a panel for
// each share that is cancelled. Nil: there is no grid.
func (v *view) gridChart() *draw.Figure {
	at := make(map[results.Grid]results.Cell)
	var cells []results.Cell
	var distributions []string
	var shares []int
	for _, w := range v.ofClass(ofGrid) {
		c, _ := v.largest(w)
		place, ok := v.gridPlace(c)
		if !ok {
			continue
		}
		at[place] = c
		cells = append(cells, c)
		if !slices.Contains(distributions, place.Delays) {
			distributions = append(distributions, place.Delays)
		}
		if !slices.Contains(shares, place.CancelPercent) {
			shares = append(shares, place.CancelPercent)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	slices.Sort(shares)
	rows := v.curves(v.measured(cells))
	costs := v.costSpan(cells, rows).Around(1.25, 1.25)
	columns := min(len(shares), 3)
	var panels []*draw.Panel
	for col, share := range shares {
		p := draw.NewPanel(fmt.Sprintf("%d %% cancelled", share))
		p.LogX("time per "+units(cells), costs, draw.LogTicks{Label: show.Duration, Most: 16 / columns})
		p.Rows(v.looksOf(rows))
		if col%columns > 0 {
			p.UnnamedY()
		}
		for i, who := range rows {
			line := draw.Dots{Look: v.looks[who.name], Joined: true}
			var points []draw.Dots
			for d, distribution := range distributions {
				c := at[results.Grid{Delays: distribution, CancelPercent: share}]
				row, ok := rowOf(c, who.name)
				if s := v.cost(c, row); ok && s.ok() {
					m := markOf(s, draw.RowAt(i, len(rows)))
					line.Marks = append(line.Marks, draw.Mark{X: m.X, Y: m.Y})
					dots := distributionDots(v.looks[who.name], d)
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
		Subtitle: fmt.Sprintf("What it says: the time per %s where delays are %s, by share of the timers cancelled before they fire. N = %s resident timers. "+
			"Lower (further left) is better.", units(cells), show.And(distributions), shortList(sizesOf(cells))),
		Caption: "What it does not say: the cost at another N; the map of the winners does. Logarithmic time axis. Median with its 95 % confidence interval, where that is wider than the mark. " +
			"The line joins the same structure on the same operations with differently spread deadlines. " + v.choiceNote(v.measured(cells)),
		Height: draw.Lines(len(shares), columns) * draw.RowsHeight(len(rows)),
		Panels: draw.Arrange(panels, columns),
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

// shortList joins numbers as a sentence does.
func shortList(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, show.Short(float64(n)))
	}
	return show.And(out)
}
