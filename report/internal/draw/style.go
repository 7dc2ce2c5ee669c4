package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Length is a length in points; a figure is [Width] points wide.
type Length = vg.Length

// Style is who a contender is and how it is drawn, the same on every figure.
type Style struct {
	Name      string // as shown
	Structure string // as data name it; empty: it stands for no structure
	Family    string // of the structure; empty: none
	Cell      string // of the results, by workload and N; empty: it stands for none

	Color  color.Color
	Marker Marker
	Dashes []Length
}

func (l Style) line(width Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}
