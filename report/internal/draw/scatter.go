package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter shows each contender at a place, next to its name.
type Scatter struct{ Places []Place }

// Place is where one contender stands.
type Place struct {
	Style Style
	X, Y  float64
	Label string
	Bold  bool
	Title string // its figures, in words
}

const placeRadius = 3.4 * Length(1)

func (s Scatter) reach(x, y *span) {
	for _, at := range s.Places {
		x.add(at.X)
		y.add(at.Y)
	}
}

// Plot implements plot.Plotter.
func (s Scatter) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, at := range s.Places {
		x, y := trX(at.X), trY(at.Y)
		taken = append(taken, around(x, y, placeRadius))
	}
	for _, at := range s.Places {
		sty := sans(smallSize, ink)
		if at.Bold {
			sty = bold(smallSize, ink)
		}
		x, y := trX(at.X), trY(at.Y)
		place := freePlace(x, y, sty.Width(at.Label), taken, c.Rectangle)
		taken = append(taken, place)
		grouped(c, at.Style, at.Title, func() {
			at.Style.Marker.draw(&c, at.Style.Color, placeRadius, vg.Point{X: x, Y: y})
			write(&c, sty, place.Min.X, place.Min.Y+smallSize*0.2, 0, at.Label)
		})
	}
}

func around(x, y, r Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x - r, Y: y - r}, Max: vg.Point{X: x + r, Y: y + r}}
}

// freePlace finds room for a label near a mark: the first place within the panel that covers nothing,
// or else the place to the right of the mark.
func freePlace(x, y, width Length, taken []vg.Rectangle, panel vg.Rectangle) vg.Rectangle {
	const gap = placeRadius + 2
	at := func(x, y Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x, Y: y - smallSize/2}, Max: vg.Point{X: x + width, Y: y + smallSize/2}}
	}
	first := at(x+gap, y)
	for _, r := range []vg.Rectangle{
		first, at(x-gap-width, y), at(x-width/2, y+gap+3), at(x-width/2, y-gap-3),
		at(x+gap-2, y+gap), at(x+gap-2, y-gap), at(x-gap+2-width, y+gap), at(x-gap+2-width, y-gap),
		at(x+gap, y+2*gap), at(x+gap, y-2*gap), at(x-gap-width, y+2*gap), at(x-gap-width, y-2*gap),
	} {
		if r.Min.X >= panel.Min.X && r.Max.X <= panel.Max.X+margin && r.Min.Y >= panel.Min.Y && r.Max.Y <= panel.Max.Y && !overlaps(r, taken) {
			return r
		}
	}
	return first
}

func overlaps(r vg.Rectangle, taken []vg.Rectangle) bool {
	for _, t := range taken {
		if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
			return true
		}
	}
	return false
}
