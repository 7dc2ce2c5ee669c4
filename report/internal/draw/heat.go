package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a table of numbers, coloured by steps.
type Heat struct {
	Rows    []string
	Columns []string // lines end with a newline; all have as many
	Value   [][]float64
	Bold    [][]bool
	Steps   []Step
	Groups  []Group
	Number  func(float64) string // as it stands in a field
}

// Step is a colour for values up to a bound; the last bound is infinite.
type Step struct {
	To    float64
	Name  string
	Color color.NRGBA
}

// Group is a run of columns under one heading.
type Group struct {
	Names []string // the first that fits stands there; none: a gap
	First int      // column
}

// notMeasured is the colour of a field without a number, which is NaN.
var notMeasured = Hex("f2f2f2")

// Height is what the panel of the table takes.
func (h Heat) Height() Length { return Length(len(h.Rows))*19 + 76 }

// Legend has a key for each step.
func (h Heat) Legend() []Key {
	var out []Key
	for _, s := range h.Steps {
		out = append(out, Key{Text: s.Name, Swatch: s.Color})
	}
	return out
}

// Panel draws the table.
func (h Heat) Panel() *Panel {
	p := NewPanel(" ")
	p.Rows(h.Rows)
	x, y := &p.plot.X, &p.plot.Y
	y.Min, y.Max = -0.5, float64(len(h.Rows))-0.5
	x.Min, x.Max = -0.5, float64(len(h.Columns))-0.5
	x.Tick.Length = 0
	x.Width, y.Width = 0, 0
	labels := make(plot.ConstantTicks, len(h.Columns))
	for i, c := range h.Columns {
		labels[i] = plot.Tick{Value: float64(i), Label: c}
	}
	x.Tick.Marker = labels
	widest := Length(0)
	for _, name := range h.Rows {
		widest = max(widest, y.Tick.Label.Width(name))
	}
	x.Tick.Label.Font.Size = sizeToFit(x.Tick.Label, h.Columns, (Width-2*margin-widest)/Length(len(h.Columns))-3)

	colours := plotter.NewHeatMap(heatGrid{h}, heatPalette(h.Steps))
	colours.Min, colours.Max = 0, float64(len(h.Steps)-1)
	colours.NaN = notMeasured
	p.Add(colours, heatNumbers{h})
	return p
}

// sizeToFit is the size of text, no larger than it is, at which labels are no wider
// than a column.
func sizeToFit(sty text.Style, labels []string, column Length) Length {
	var widest Length
	for _, l := range labels {
		widest = max(widest, sty.Width(l))
	}
	if widest <= column {
		return sty.Font.Size
	}
	return sty.Font.Size * column / widest
}

// step returns the index of the step of a value.
func (h Heat) step(value float64) int {
	return max(0, slices.IndexFunc(h.Steps, func(s Step) bool { return value <= s.To }))
}

// heatGrid is the table as gonum/plot wants it: rows from the bottom, and indices
// as coordinates, which puts the edges of each field midway.
type heatGrid struct{ Heat }

// Dims implements plotter.GridXYZ, as do the next three.
func (g heatGrid) Dims() (c, r int) { return len(g.Columns), len(g.Rows) }
func (g heatGrid) X(c int) float64  { return float64(c) }
func (g heatGrid) Y(r int) float64  { return float64(r) }
func (g heatGrid) Z(c, r int) float64 {
	v := g.Value[len(g.Rows)-1-r][c]
	if math.IsNaN(v) {
		return v
	}
	return float64(g.step(v))
}

type heatPalette []Step

// Colors implements palette.Palette.
func (p heatPalette) Colors() []color.Color {
	out := make([]color.Color, len(p))
	for i := range p {
		out[i] = p[i].Color
	}
	return out
}

// heatNumbers writes the numbers into their fields and sets the fields apart.
type heatNumbers struct{ Heat }

// Plot implements plot.Plotter.
func (h heatNumbers) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	gap := draw.LineStyle{Color: color.White, Width: 1.5}
	for i := range len(h.Columns) + 1 {
		x := trX(float64(i) - 0.5)
		c.StrokeLine2(gap, x, c.Min.Y, x, c.Max.Y)
	}
	h.headings(&c, trX)
	for i := range len(h.Rows) + 1 {
		y := trY(float64(i) - 0.5)
		c.StrokeLine2(gap, c.Min.X, y, c.Max.X, y)
	}
	for row, values := range h.Value {
		for col, v := range values {
			if math.IsNaN(v) {
				continue
			}
			sty := sans(labelSize, ink)
			if h.Bold[row][col] {
				sty = bold(labelSize, ink)
			}
			if dark(h.Steps[h.step(v)].Color) {
				sty.Color = color.White
			}
			write(&c, sty, trX(float64(col)), trY(RowAt(row, len(h.Rows)))-labelSize*0.35, 0.5, h.Number(v))
		}
	}
}

// headings sets the groups of columns apart and names them.
func (h heatNumbers) headings(c *draw.Canvas, trX func(float64) Length) {
	sty := bold(smallSize, Faded)
	for i, g := range h.Groups {
		x := trX(float64(g.First) - 0.5)
		if g.First > 0 {
			c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 7}, x, c.Min.Y, x, c.Max.Y)
		}
		end := c.Max.X
		if i+1 < len(h.Groups) {
			end = trX(float64(h.Groups[i+1].First) - 0.5)
		}
		for _, name := range g.Names {
			if sty.Width(name) < end-x-6 {
				write(c, sty, x+4, c.Max.Y+headingGap+1, 0, name)
				break
			}
		}
	}
}

// dark reports whether white text is read better than black on a colour.
func dark(c color.NRGBA) bool {
	return 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) < 128
}
