package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is two axes with marks between them.
type Panel struct {
	plot  *plot.Plot
	names map[string]Look // of its rows, by what stands there

	shared bool // its vertical axis is that of the panel to its left, if there is one
}

// NewPanel returns an empty panel in the style of all figures.
func NewPanel(title string) *Panel {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		xa, ya := a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = sans(labelSize, faded)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = xa, ya
		a.Label.Padding = 3
		xa, ya = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = sans(smallSize, ink)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = xa, ya
		a.Tick.LineStyle = draw.LineStyle{Color: frame, Width: 0.5}
		a.Tick.Length = 3
		a.LineStyle = draw.LineStyle{Color: frame, Width: 0.5}
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: rule, Width: 0.5}
	grid.Horizontal = grid.Vertical
	p.Add(grid)
	if title != "" {
		p.Title.Text = " " // keeps the room that heading fills
		p.Title.TextStyle = bold(headingSize, ink)
		p.Title.Padding = headingGap
		p.Add(heading(title))
	}
	return &Panel{plot: p}
}

const (
	headingSize = 10
	headingGap  = 4
)

// heading is the title of a panel, above the left edge of the data: gonum/plot
// would centre it over the axis labels too.
type heading string

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	write(&c, bold(headingSize, ink), c.Min.X, c.Max.Y+headingGap+2, 0, string(h))
}

// Add puts marks on the panel, the last ones on top.
func (p *Panel) Add(marks ...plot.Plotter) { p.plot.Add(marks...) }

// LogX makes the horizontal axis logarithmic over a range.
func (p *Panel) LogX(label string, s Span, ticks Ticks) { logarithmic(&p.plot.X, label, s, ticks) }

// LogY makes the vertical axis logarithmic over a range, which the panels of a row share.
func (p *Panel) LogY(label string, s Span, ticks Ticks) {
	p.shared = true
	logarithmic(&p.plot.Y, label, s, ticks)
}

func logarithmic(a *plot.Axis, label string, s Span, ticks Ticks) {
	a.Min, a.Max = s.min, s.max
	a.Scale = plot.LogScale{}
	a.Label.Text = label
	a.Tick.Marker = ticks
}

// LinearX makes the horizontal axis run from 0 to most.
func (p *Panel) LinearX(label string, most float64, ticks Ticks) {
	p.plot.X.Min, p.plot.X.Max = 0, most
	p.plot.X.Label.Text = label
	p.plot.X.Tick.Marker = ticks
}

// narrowTicks is how many labels a horizontal axis of a narrow figure has room for.
const narrowTicks = 5

// prepare readies the panel for drawing, as the first of its row or not, in a narrow figure or not,
// until undo is called.
func (p *Panel) prepare(first, narrow bool) (undo func()) {
	x, y := p.plot.X.Tick.Marker, p.plot.Y.Tick.Marker
	if p.shared && !first {
		p.plot.Y.Tick.Marker = unnamed{y}
	}
	if ticks, ok := x.(LogTicks); ok && narrow {
		ticks.Most = min(ticks.Most, narrowTicks)
		p.plot.X.Tick.Marker = ticks
	}
	return func() { p.plot.X.Tick.Marker, p.plot.Y.Tick.Marker = x, y }
}

// Rows lays contenders on the vertical axis, the first at the top. The panels of a row share them.
func (p *Panel) Rows(rows []Look) {
	p.shared = true
	names := make([]string, len(rows))
	p.names = make(map[string]Look)
	for i, l := range rows {
		names[i] = l.Name
		p.names[l.Name] = l
	}
	p.rowNames(names)
}

// rowNames lays rows on the vertical axis, the first at the top.
func (p *Panel) rowNames(names []string) {
	y := &p.plot.Y
	y.Min, y.Max = -0.6, float64(len(names))-0.4
	y.Tick.Length = 0
	y.Tick.Label = sans(labelSize, ink)
	y.Tick.Label.XAlign, y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: RowAt(i, len(names)), Label: name}
	}
	y.Tick.Marker = ticks
}

// fields makes room for a table of fields without axes, with the names of its columns.
func (p *Panel) fields(rows int, columns []string) {
	x, y := &p.plot.X, &p.plot.Y
	y.Min, y.Max = -0.5, float64(rows)-0.5
	x.Min, x.Max = -0.5, float64(len(columns))-0.5
	x.Width, y.Width = 0, 0
	ticks := make(plot.ConstantTicks, len(columns))
	for i, name := range columns {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	x.Tick.Marker = ticks
}

// RowAt is the place of row i of n on the axis of Rows.
func RowAt(i, n int) float64 { return float64(n - 1 - i) }

// RowsHeight is the height of a panel with so many rows, its heading and its axis
// included. Many rows stand closer.
func RowsHeight(rows int) Length {
	each := 15.0
	if rows > 12 {
		each = 12.5
	}
	return Length(rows)*Length(each) + 50
}
