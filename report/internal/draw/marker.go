package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Marker is a regular polygon or a circle with a white rim, so that marks that
// overlap stay apart. It tells structures apart whose colours are alike.
type Marker struct {
	corners int     // 0: a circle
	turn    float64 // in radians, from a corner at the top
	size    float64 // relative to a circle of the same radius, so that areas match
	hollow  bool
}

// The markers.
var (
	Circle   = Marker{size: 1}
	Square   = Marker{corners: 4, turn: math.Pi / 4, size: 1.22}
	Diamond  = Marker{corners: 4, size: 1.28}
	Triangle = Marker{corners: 3, size: 1.38}
	nabla    = Marker{corners: 3, turn: math.Pi, size: 1.38}
	hexagon  = Marker{corners: 6, size: 1.12}
	pentagon = Marker{corners: 5, turn: math.Pi, size: 1.16}
)

// Markers lists the markers, those first that are told apart best.
var Markers = []Marker{Circle, Square, Triangle, Diamond, nabla, pentagon, hexagon}

// AsHollow returns the marker with its outline only.
func (m Marker) AsHollow() Marker {
	m.hollow = true
	return m
}

func (m Marker) path(r Length, at vg.Point) vg.Path {
	r *= Length(m.size)
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i := range m.corners {
		sin, cos := math.Sincos(math.Pi/2 + m.turn + 2*math.Pi*float64(i)/float64(m.corners))
		pt := vg.Point{X: at.X + r*Length(cos), Y: at.Y + r*Length(sin)}
		if i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
	}
	p.Close()
	return p
}

func (m Marker) draw(c *draw.Canvas, col color.Color, r Length, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Width: 1})
	if m.hollow {
		p := m.path(r-0.3, at)
		c.SetColor(paper)
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
	c.SetColor(paper)
	c.Stroke(p)
}
