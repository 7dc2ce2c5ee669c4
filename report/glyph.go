package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marker draws a regular polygon or a circle with a white rim, so that marks
// that overlap stay apart. It stands for a structure where colour alone would
// not tell it from its family.
type marker struct {
	corners int     // 0: a circle
	turn    float64 // in radians, from a corner at the top
	size    float64 // relative to a circle of the same radius, so that areas match
	hollow  bool
}

var (
	circle   = marker{size: 1}
	square   = marker{corners: 4, turn: math.Pi / 4, size: 1.22}
	diamond  = marker{corners: 4, size: 1.28}
	triangle = marker{corners: 3, size: 1.38}
	nabla    = marker{corners: 3, turn: math.Pi, size: 1.38}
	hexagon  = marker{corners: 6, size: 1.12}
	pentagon = marker{corners: 5, turn: math.Pi, size: 1.16}
)

// markers is the order in which a family hands them out.
var markers = []marker{circle, square, triangle, diamond, nabla, pentagon, hexagon}

func (m marker) asHollow() marker {
	m.hollow = true
	return m
}

func (m marker) path(r vg.Length, at vg.Point) vg.Path {
	r *= vg.Length(m.size)
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i := range m.corners {
		sin, cos := math.Sincos(math.Pi/2 + m.turn + 2*math.Pi*float64(i)/float64(m.corners))
		pt := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
	}
	p.Close()
	return p
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	m.draw(c, sty.Color, sty.Radius, at)
}

func (m marker) draw(c *draw.Canvas, col color.Color, r vg.Length, at vg.Point) {
	solid := draw.LineStyle{Width: 1}
	c.SetLineStyle(solid)
	if m.hollow {
		p := m.path(r-0.3, at)
		c.SetColor(color.White)
		c.Fill(p)
		c.SetLineWidth(1.3)
		c.SetColor(col)
		c.Stroke(p)
		return
	}
	p := m.path(r, at)
	c.SetColor(col)
	c.Fill(p)
	c.SetLineWidth(0.5)
	c.SetColor(color.White)
	c.Stroke(p)
}
