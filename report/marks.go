package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mark is one measured value on a panel, with its interval.
type mark struct {
	x, y   float64
	lo, hi float64 // the interval of the value; lo >= hi: none
	label  string  // beside the mark
}

// whisker is the extent of the interval on the canvas; it is drawn where it
// shows beside the mark.
func (m mark) whisker(tr func(float64) vg.Length) (lo, hi vg.Length) {
	if m.lo >= m.hi {
		return 0, 0
	}
	return tr(m.lo), tr(m.hi)
}

// dots draws the values of one contender on a panel with a row for each
// contender: values run along the horizontal axis.
type dots struct {
	look   look
	radius vg.Length
	marks  []mark
	joined bool // a thin line from the first to the last: they belong together
}

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	if d.joined && len(d.marks) > 1 {
		sty := draw.LineStyle{Color: mix(d.look.color, 0.45), Width: 1}
		first, last := d.marks[0], d.marks[len(d.marks)-1]
		c.StrokeLine2(sty, trX(first.x), trY(first.y), trX(last.x), trY(last.y))
	}
	for _, m := range d.marks {
		end := trX(m.x) + d.radius
		y := trY(m.y)
		if lo, hi := m.whisker(trX); hi-lo > 2*d.radius+1 {
			sty := draw.LineStyle{Color: d.look.color, Width: 1}
			c.StrokeLine2(sty, lo, y, hi, y)
			c.StrokeLine2(sty, lo, y-2.5, lo, y+2.5)
			c.StrokeLine2(sty, hi, y-2.5, hi, y+2.5)
			end = max(end, hi)
		}
		d.look.marker.draw(&c, d.look.color, d.radius, vg.Point{X: trX(m.x), Y: y})
		write(&c, sans(smallSize, ink), end+4, y-smallSize*0.35, 0, m.label)
	}
}

// series joins the measured values of one contender by straight lines: nothing
// is known between them.
type series struct {
	look   look
	radius vg.Length // 0: no marks
	marks  []mark
}

// Plot implements plot.Plotter.
func (s series) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	pts := make([]vg.Point, len(s.marks))
	for i, m := range s.marks {
		pts[i] = vg.Point{X: trX(m.x), Y: trY(m.y)}
	}
	if len(pts) > 1 {
		c.StrokeLines(s.look.line(1.3), pts)
	}
	for i, m := range s.marks {
		if lo, hi := m.whisker(trY); hi-lo > 2*s.radius+1 {
			sty := draw.LineStyle{Color: s.look.color, Width: 0.8}
			x := pts[i].X
			c.StrokeLine2(sty, x, lo, x, hi)
			c.StrokeLine2(sty, x-2.5, lo, x+2.5, lo)
			c.StrokeLine2(sty, x-2.5, hi, x+2.5, hi)
		}
		if s.radius > 0 {
			s.look.marker.draw(&c, s.look.color, s.radius, pts[i])
		}
	}
}

// markOf is the mark of a summary: the median, with its interval where there is
// one.
func markOf(s stat, y float64) mark {
	m := mark{x: s.median, y: y}
	if s.bounded() && s.lo > 0 {
		m.lo, m.hi = s.lo, s.hi
	}
	return m
}

// upline is a vertical line over the height of a panel, at a value that all rows
// share.
type upline struct {
	x   float64
	sty draw.LineStyle
}

// Plot implements plot.Plotter.
func (u upline) Plot(c draw.Canvas, p *plot.Plot) {
	trX, _ := p.Transforms(&c)
	if x := trX(u.x); x >= c.Min.X && x <= c.Max.X {
		c.StrokeLine2(u.sty, x, c.Min.Y, x, c.Max.Y)
	}
}
