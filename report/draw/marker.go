package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Marker is a regular polygon, a star or a circle. Its rim separates overlapping marks. It distinguishes
// structures of similar colors.
type Marker struct {
	corners int     // 0: a circle
	turn    float64 // in radians, from a corner at the top
	size    float64 // relative to a circle of the same radius, so that areas match
	inner   float64 // of a star: the radius of the corners between its points, as a share of theirs
	hollow  bool
}

// The markers.
var (
	Circle   = Marker{size: 1}
	Square   = Marker{corners: 4, turn: math.Pi / 4, size: 1.22}
	Diamond  = Marker{corners: 4, size: 1.28}
	Triangle = Marker{corners: 3, size: 1.38}
	nabla    = Marker{corners: 3, turn: math.Pi, size: 1.38}
	left     = Marker{corners: 3, turn: math.Pi / 2, size: 1.38}
	right    = Marker{corners: 3, turn: -math.Pi / 2, size: 1.38}
	hexagon  = Marker{corners: 6, size: 1.12}
	pentagon = Marker{corners: 5, size: 1.16}
	star     = Marker{corners: 5, size: 1.6, inner: 0.45}
	plus     = Marker{corners: 4, size: 1.7, inner: 0.4}
	cross    = Marker{corners: 4, turn: math.Pi / 4, size: 1.7, inner: 0.4}
)

// Markers lists the markers, the most distinct ones first.
var Markers = []Marker{Circle, Square, Triangle, Diamond, nabla, star, cross, right, plus, left, pentagon, hexagon}

// AsHollow returns the outline of the marker.
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
	corner := func(i, r float64) vg.Point {
		sin, cos := math.Sincos(math.Pi/2 + m.turn + 2*math.Pi*i/float64(m.corners))
		return vg.Point{X: at.X + Length(r*cos), Y: at.Y + Length(r*sin)}
	}
	for i := range m.corners {
		pt := corner(float64(i), float64(r))
		if i == 0 {
			p.Move(pt)
		} else {
			p.Line(pt)
		}
		if m.inner > 0 {
			p.Line(corner(float64(i)+0.5, float64(r)*m.inner))
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
