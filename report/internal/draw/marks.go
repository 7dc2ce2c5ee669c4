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
	Label  string  // beside the mark
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

// whisker is the extent of the interval on the canvas; it is drawn where it
// shows beside the mark.
func (m Mark) whisker(tr func(float64) vg.Length) (lo, hi vg.Length) {
	if m.Lo >= m.Hi {
		return 0, 0
	}
	return tr(m.Lo), tr(m.Hi)
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
	grouped(c, d.Look, titles(d.Marks), func() { d.plot(c, p) })
}

func (d Dots) plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	if d.Joined && len(d.Marks) > 1 {
		sty := draw.LineStyle{Color: Pale(d.Look.Color, 0.45), Width: 1}
		first, last := d.Marks[0], d.Marks[len(d.Marks)-1]
		c.StrokeLine2(sty, trX(first.X), trY(first.Y), trX(last.X), trY(last.Y))
	}
	for _, m := range d.Marks {
		end := trX(m.X) + d.Radius
		y := trY(m.Y)
		if lo, hi := m.whisker(trX); hi-lo > 2*d.Radius+1 {
			sty := draw.LineStyle{Color: d.Look.Color, Width: 1}
			c.StrokeLine2(sty, lo, y, hi, y)
			c.StrokeLine2(sty, lo, y-2.5, lo, y+2.5)
			c.StrokeLine2(sty, hi, y-2.5, hi, y+2.5)
			end = max(end, hi)
		}
		if d.Radius > 0 {
			d.Look.Marker.draw(&c, d.Look.Color, d.Radius, vg.Point{X: trX(m.X), Y: y})
		}
		write(&c, sans(smallSize, ink), end+4, y-smallSize*0.35, 0, m.Label)
	}
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
	if s.OnDemand {
		onDemand(c, s.Look, titles(s.Marks), func() { s.plot(c, p) })
		return
	}
	grouped(c, s.Look, titles(s.Marks), func() { s.plot(c, p) })
}

func (s Series) plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	pts := make([]vg.Point, len(s.Marks))
	for i, m := range s.Marks {
		pts[i] = vg.Point{X: trX(m.X), Y: trY(m.Y)}
	}
	if len(pts) > 1 {
		c.StrokeLines(s.Look.line(1.3), pts)
	}
	for i, m := range s.Marks {
		if lo, hi := m.whisker(trY); hi-lo > 2*s.Radius+1 {
			sty := draw.LineStyle{Color: s.Look.Color, Width: 0.8}
			x := pts[i].X
			c.StrokeLine2(sty, x, lo, x, hi)
			c.StrokeLine2(sty, x-2.5, lo, x+2.5, lo)
			c.StrokeLine2(sty, x-2.5, hi, x+2.5, hi)
		}
		if s.Radius > 0 {
			s.Look.Marker.draw(&c, s.Look.Color, s.Radius, pts[i])
		}
	}
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
