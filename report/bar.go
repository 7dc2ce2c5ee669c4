package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bar is one horizontal bar, its parts end to end, with a label at its end. It
// starts at 0, so its axis must be linear.
type bar struct {
	at      float64 // row, see rowAt
	parts   []part
	label   string
	labelAt float64 // where all labels end; 0: at the end of the bar
}

// part is one piece of a bar.
type part struct {
	length float64
	color  color.Color
}

// Plot implements plot.Plotter.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	y := trY(b.at)
	half := (trY(b.at+0.5) - trY(b.at-0.5)) * 0.34
	from := 0.0
	for _, s := range b.parts {
		if s.length <= 0 {
			continue
		}
		x0, x1 := trX(from), trX(from+s.length)
		c.FillPolygon(s.color, []vg.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half}, {X: x0, Y: y + half}})
		from += s.length
	}
	if b.labelAt > 0 {
		write(&c, sans(smallSize, ink), trX(b.labelAt), y-smallSize*0.35, 1, b.label)
		return
	}
	write(&c, sans(smallSize, ink), trX(from)+4, y-smallSize*0.35, 0, b.label)
}
