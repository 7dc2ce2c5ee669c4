package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Length is a length in points; a figure is [Width] points wide.
type Length = vg.Length

// Style identifies a contender and says how to draw it, the same in every figure.
type Style struct {
	Name      string // as shown
	Structure string // its name in the data; empty: no structure
	Family    string // of the structure; empty: none
	Cell      string // of the results, by workload and N; empty: none

	Color  color.Color
	Marker Marker
	Dashes []Length
}

func (l Style) line(width Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}
