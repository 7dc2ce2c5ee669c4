package draw

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is one measured value on a panel, with its interval.
type Mark struct {
	X, Y   float64
	Lo, Hi float64 // the interval of the value; Lo >= Hi: none
	Title  string  // what it shows, in words; it stands in the title of the series
}

// titles joins the titles of marks.
func titles(marks []Mark) string {
	var out []string
	for _, m := range marks {
		if m.Title != "" {
			out = append(out, m.Title)
		}
	}
	return strings.Join(out, "; ")
}

// whisker draws the interval along an axis, where it shows beside a mark of that radius.
func (m Mark) whisker(c *draw.Canvas, sty draw.LineStyle, tr func(float64) vg.Length, radius Length,
	point func(along, across Length) vg.Point,
) {
	if m.Lo >= m.Hi || tr(m.Hi)-tr(m.Lo) <= 2*radius+1 {
		return
	}
	const end = 2.5 // half the width of the ends
	line := func(from, to, across0, across1 Length) {
		a, b := point(from, across0), point(to, across1)
		c.StrokeLine2(sty, a.X, a.Y, b.X, b.Y)
	}
	lo, hi := tr(m.Lo), tr(m.Hi)
	line(lo, hi, 0, 0)
	line(lo, lo, -end, end)
	line(hi, hi, -end, end)
}

// Dots shows the values of one contender on a panel with a row for each
// contender: values run along the horizontal axis.
type Dots struct {
	Look   Look
	Radius Length
	Marks  []Mark
	Joined bool // a thin line from the first to the last: they belong together
}

// Plot implements plot.Plotter.
func (d Dots) Plot(c draw.Canvas, p *plot.Plot) {
	grouped(c, d.Look, titles(d.Marks), func() {
		trX, trY := p.Transforms(&c)
		if d.Joined && len(d.Marks) > 1 {
			sty := draw.LineStyle{Color: Pale(d.Look.Color, 0.45), Width: 1}
			first, last := d.Marks[0], d.Marks[len(d.Marks)-1]
			c.StrokeLine2(sty, trX(first.X), trY(first.Y), trX(last.X), trY(last.Y))
		}
		for _, m := range d.Marks {
			x, y := trX(m.X), trY(m.Y)
			m.whisker(&c, draw.LineStyle{Color: d.Look.Color, Width: 1}, trX, d.Radius,
				func(along, across Length) vg.Point { return vg.Point{X: along, Y: y + across} })
			if d.Radius > 0 {
				d.Look.Marker.draw(&c, d.Look.Color, d.Radius, vg.Point{X: x, Y: y})
			}
		}
	})
}

// Series joins the measured values of one contender by straight lines: nothing
// is known between them.
type Series struct {
	Look   Look
	Radius Length // 0: no marks
	Marks  []Mark

	OnDemand bool // an SVG holds it unseen, and a page may show it
}

// Plot implements plot.Plotter.
func (s Series) Plot(c draw.Canvas, p *plot.Plot) {
	if len(s.Marks) == 0 {
		return
	}
	group := grouped
	if s.OnDemand {
		group = onDemand
	}
	group(c, s.Look, titles(s.Marks), func() {
		trX, trY := p.Transforms(&c)
		pts := make([]vg.Point, len(s.Marks))
		for i, m := range s.Marks {
			pts[i] = vg.Point{X: trX(m.X), Y: trY(m.Y)}
		}
		if len(pts) > 1 {
			c.StrokeLines(s.Look.line(1.3), pts)
		}
		for i, m := range s.Marks {
			m.whisker(&c, draw.LineStyle{Color: s.Look.Color, Width: 0.8}, trY, s.Radius,
				func(along, across Length) vg.Point { return vg.Point{X: pts[i].X + across, Y: along} })
			if s.Radius > 0 {
				s.Look.Marker.draw(&c, s.Look.Color, s.Radius, pts[i])
			}
		}
	})
}

// VerticalLine is a vertical line over the height of a panel, at a value that all rows
// share.
type VerticalLine struct {
	X    float64
	Look Look
}

// Plot implements plot.Plotter.
func (u VerticalLine) Plot(c draw.Canvas, p *plot.Plot) {
	trX, _ := p.Transforms(&c)
	if x := trX(u.X); x >= c.Min.X && x <= c.Max.X {
		c.StrokeLine2(u.Look.line(1), x, c.Min.Y, x, c.Max.Y)
	}
}
