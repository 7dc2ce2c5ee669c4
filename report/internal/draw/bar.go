package draw

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is one horizontal bar, its parts end to end, with a label at its end. It
// starts at 0, so its axis must be linear.
type Bar struct {
	Look  Look
	Title string  // what it shows, in words
	At    float64 // row, see RowAt
	Parts []Part
	Label string
}

// Part is one piece of a bar.
type Part struct {
	Length float64
	Color  color.Color
}

// Plot implements plot.Plotter.
func (b Bar) Plot(c draw.Canvas, p *plot.Plot) {
	grouped(c, b.Look, b.Title, func() {
		trX, trY := p.Transforms(&c)
		y := trY(b.At)
		half := (trY(b.At+0.5) - trY(b.At-0.5)) * 0.34
		from := 0.0
		for _, s := range b.Parts {
			if s.Length > 0 {
				c.FillPolygon(s.Color, box(trX(from), y-half, trX(from+s.Length), y+half))
				from += s.Length
			}
		}
		write(&c, sans(smallSize, ink), trX(from)+4, y-smallSize*0.35, 0, b.Label)
	})
}

// box are the corners of a rectangle.
func box(x0, y0, x1, y1 Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
