package draw

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Strips are rows of coloured fields over one axis, in groups under headings.
type Strips struct {
	From, To float64 // of the axis
	Steps    []Step  // the colours of values; the last bound is infinite
	Rows     []Strip
}

// Strip is a row of fields that share the axis evenly, or the heading of the rows below.
type Strip struct {
	Name   string
	Values []float64 // none: a heading
	Look   Look      // of the structure in a heading
}

const stripRow = 13 * Length(1)

// Height is what the panel of the strips takes.
func (s Strips) Height() Length { return Length(len(s.Rows))*stripRow + 46 }

// Legend has a key for each step.
func (s Strips) Legend() []Key { return Heat{Steps: s.Steps}.Legend() }

// Panel draws the strips above an axis.
func (s Strips) Panel(label string, ticks Ticks) *Panel {
	p := NewPanel("")
	names := make([]string, len(s.Rows))
	for i, r := range s.Rows {
		names[i] = " "
		if len(r.Values) > 0 {
			names[i] = r.Name
		}
	}
	p.rowNames(names)
	p.plot.X.Min, p.plot.X.Max = s.From, s.To
	p.plot.X.Label.Text = label
	p.plot.X.Tick.Marker = ticks
	p.plot.X.Tick.Label.Font.Size = labelSize
	p.Add(stripFields{s})
	return p
}

// stripFields draws the fields and the headings.
type stripFields struct{ Strips }

// Plot implements plot.Plotter.
func (s stripFields) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for i, r := range s.Rows {
		at := RowAt(i, len(s.Rows))
		if len(r.Values) == 0 {
			grouped(c, r.Look, "", func() { write(&c, bold(headingSize, ink), c.Min.X, trY(at)-headingSize*0.35, 0, r.Name) })
			continue
		}
		each := (s.To - s.From) / float64(len(r.Values))
		top, bottom := trY(at+0.45), trY(at-0.45)
		for from := 0; from < len(r.Values); {
			step, to := s.step(r.Values[from]), from+1
			for to < len(r.Values) && s.step(r.Values[to]) == step { // one field for a run of one colour
				to++
			}
			left, right := trX(s.From+float64(from)*each), trX(s.From+float64(to)*each)
			c.FillPolygon(s.Steps[step].Color, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
			from = to
		}
	}
}

// step returns the index of the step of a value.
func (s Strips) step(value float64) int {
	return max(0, slices.IndexFunc(s.Steps, func(step Step) bool { return value <= step.To }))
}
