package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/timerbench/timerbench/bench/results"
)

// gridChart sets the distributions of the delays beside one another, a panel for
// each share that is cancelled. Nil: there is no grid.
func (v *view) gridChart() *figure {
	type at struct {
		distribution string
		cancel       int
	}
	cells := make(map[at]results.Cell)
	var distributions []string
	var shares []int
	var sizes []int
	for _, w := range v.ofClass(grid) {
		d, share, _ := gridName(w)
		c, _ := v.largest(w)
		cells[at{d, share}] = c
		if !slices.Contains(distributions, d) {
			distributions = append(distributions, d)
		}
		if !slices.Contains(shares, share) {
			shares = append(shares, share)
		}
		if !slices.Contains(sizes, c.N) {
			sizes = append(sizes, c.N)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	slices.Sort(shares)
	rows := v.present(func(who contender) bool {
		for _, c := range cells {
			if row, ok := rowOf(c, who.name); ok && cost(row).ok() {
				return true
			}
		}
		return false
	})
	f := &figure{
		name:  "grid",
		title: "Does it matter how deadlines are spread?",
		subtitle: fmt.Sprintf("Time per lifecycle where delays are %s, by share of the timers cancelled before they fire. %s. "+
			"Lower (further left) is better.", andList(distributions), sizeNote(sizes)),
		caption: "Logarithmic time axis. Median with its 95 % confidence interval, where that is wider than the mark. " +
			"The line joins the same structure on the same operations with differently spread deadlines.",
	}
	looksOf := func(l look, d int) (look, vg.Length) {
		switch d {
		case 0:
			return look{color: l.color, marker: circle}, 3.2
		case 1:
			return look{color: l.color, marker: diamond.asHollow()}, 3
		default:
			return look{color: l.color, marker: markers[(d+1)%len(markers)]}, 2.8
		}
	}
	for i, d := range distributions {
		l, r := looksOf(look{color: faded}, i)
		f.legend = append(f.legend, key{text: d, look: l, radius: r})
	}
	costs := newSpan()
	for _, c := range cells {
		for _, row := range c.Rows {
			m := markOf(cost(row), 0)
			costs.add(m.x, m.lo, m.hi)
		}
	}
	costs = costs.around(1.25, 1.25)
	columns := min(len(shares), 3)
	f.height = lines(len(shares), columns) * rowsHeight(len(rows))
	var panels []*plot.Plot
	for col, share := range shares {
		p := newPanel(fmt.Sprintf("%d %% cancelled", share))
		logAxis(&p.X, costs, logTicks{duration, 16 / columns})
		p.X.Label.Text = "time per lifecycle"
		rowsAxis(p, names(rows), col%columns == 0)
		for i, who := range rows {
			line := dots{look: v.looks[who.name], joined: true}
			var points []dots
			for d, distribution := range distributions {
				row, ok := rowOf(cells[at{distribution, share}], who.name)
				if s := cost(row); ok && s.ok() {
					m := markOf(s, rowAt(i, len(rows)))
					line.marks = append(line.marks, mark{x: m.x, y: m.y})
					l, r := looksOf(v.looks[who.name], d)
					points = append(points, dots{look: l, radius: r, marks: []mark{m}})
				}
			}
			p.Add(line)
			for _, d := range points {
				p.Add(d)
			}
		}
		panels = append(panels, p)
	}
	f.panels = arrange(panels, columns)
	return f
}

// sizeNote names the sizes of the cells of a chart.
func sizeNote(sizes []int) string {
	slices.Sort(sizes)
	var s []string
	for _, n := range sizes {
		s = append(s, short(float64(n)))
	}
	return "N = " + andList(s) + " resident timers"
}
