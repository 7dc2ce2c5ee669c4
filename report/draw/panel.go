package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is two axes with marks between them.
type Panel struct {
	Title          string
	XLabel, YLabel string
	Rows           []Style // on the vertical axis, from the top; empty: the axis is a scale
	Marks          []Marks // the last ones on top
	Y              *Axis   // of this panel alone; nil: that of the figure

	columns []Style          // named below a table of fields
	finish  func(*plot.Plot) // further setup of a table or a drawing; nil: none
}

// Marks are what a panel shows.
type Marks interface {
	plot.Plotter
	reach(x, y *span) // widens the ranges of the axes to include the marks
}

func (p *Panel) reach(x, y *span) {
	for _, m := range p.Marks {
		m.reach(x, y)
	}
}

// plot makes the panel. first reports whether it is the first of its row.
func (p *Panel) plot(x, y Axis, first bool) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	for _, a := range []*plot.Axis{&out.X, &out.Y} {
		restyle(&a.Label.TextStyle, sans(labelSize, Faded))
		a.Label.Padding = 3
		restyle(&a.Tick.Label, sans(smallSize, Ink))
		a.Tick.LineStyle = draw.LineStyle{Color: frame, Width: 0.5}
		a.Tick.Length = 3
		a.LineStyle = draw.LineStyle{Color: frame, Width: 0.5}
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: rule, Width: 0.5}
	grid.Horizontal = grid.Vertical
	out.Add(grid)
	if p.Title != "" {
		out.Title.Text = " " // keeps the room that heading fills
		out.Title.TextStyle = bold(headingSize, Ink)
		out.Title.Padding = headingGap
		out.Add(heading(p.Title))
	}
	x.set(&out.X)
	y.set(&out.Y)
	out.X.Label.Text, out.Y.Label.Text = p.XLabel, p.YLabel
	if len(p.Rows) > 0 {
		p.nameRows(&out.Y)
	}
	if !first && p.Y == nil { // the panel to the left has named the axis
		out.Y.Tick.Marker = unnamed{out.Y.Tick.Marker}
	}
	if p.finish != nil {
		p.finish(out)
	}
	for _, m := range p.Marks {
		out.Add(m)
	}
	return out
}

// restyle changes a text style except for its alignment.
func restyle(of *text.Style, to text.Style) {
	to.XAlign, to.YAlign = of.XAlign, of.YAlign
	*of = to
}

const (
	headingSize = 10
	headingGap  = 4
)

// heading is the title of a panel, above the left edge of the data. gonum/plot would center it
// over the axis labels too.
type heading string

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	write(&c, bold(headingSize, Ink), c.Min.X, c.Max.Y+headingGap+2, 0, string(h))
}

func (p *Panel) nameRows(y *plot.Axis) {
	y.Min, y.Max = -0.6, float64(len(p.Rows))-0.4
	y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	y.Tick.Length = 0
	y.Tick.Label = sans(labelSize, Ink)
	y.Tick.Label.XAlign, y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	y.Tick.Marker = namesOf(p.Rows)
}

// namesOf returns ticks at 0, 1 and so on with the names of styles.
func namesOf(styles []Style) (ticks plot.ConstantTicks) {
	for i, l := range styles {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: l.Name})
	}
	return ticks
}

// RowsHeight returns the height of a panel with that many rows, including its heading and its axis.
// Many rows are closer together.
func RowsHeight(rows int) Length {
	each := 15.0
	if rows > 12 {
		each = 12.5
	}
	return Length(rows)*Length(each) + 50
}
