package draw

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

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

	columns []Style // named below a map, which has no grid
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

// plot makes the panel. left is the panel to its left, which names the vertical axis of both; nil: there is none.
func (p *Panel) plot(x, y Axis, left *Panel) *plot.Plot {
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
	if p.columns == nil {
		grid := plotter.NewGrid()
		grid.Vertical = draw.LineStyle{Color: rule, Width: 0.5}
		grid.Horizontal = grid.Vertical
		out.Add(grid)
	}
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
		out.Y.Min, out.Y.Max = -0.6, float64(len(p.Rows))-0.4
		out.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
		out.Y.Tick.Length = 0
		out.Y.Tick.Label = sans(labelSize, Ink)
		out.Y.Tick.Label.XAlign, out.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
		out.Y.Tick.Marker = namesOf(p.Rows)
	}
	if left != nil && p.Y == nil {
		if out.Y.Tick.Marker = (unnamed{out.Y.Tick.Marker}); left.YLabel == p.YLabel {
			out.Y.Label.Text = ""
		}
	}
	if p.columns != nil {
		out.Y.Min, out.Y.Max = -0.5, float64(len(p.Rows))-0.5
		out.X.Min, out.X.Max = -0.5, float64(len(p.columns))-0.5
		out.X.Width, out.Y.Width, out.X.Tick.Length = 0, 0, 0
		out.X.Tick.Marker = namesOf(p.columns)
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

// Axis is the scale of all panels of a figure. It reaches from a little below the smallest value of
// the marks to a little above the largest. A logarithmic axis omits values of 0 and below, and is
// wide enough for some ticks.
type Axis struct {
	Ticks     plot.Ticker
	Low, High float64   // the room at the ends, as factors; 0: none
	Linear    bool      // linear from 0, not logarithmic
	Also      []float64 // further values in its range

	span span
}

// set configures an axis of a panel.
func (a Axis) set(of *plot.Axis) {
	a.span.add(a.Also...)
	switch {
	case a.Ticks == nil:
		return
	case a.Linear:
		of.Min, of.Max = 0, a.span.max*cmp.Or(a.High, 1)
	default:
		s := a.span.around(cmp.Or(a.Low, 1), cmp.Or(a.High, 1))
		of.Min, of.Max = s.min, s.max
		of.Scale = plot.LogScale{}
	}
	of.Tick.Marker = a.Ticks
}

// span is a range of values above 0. The zero span is empty.
type span struct{ min, max float64 }

func (s *span) add(values ...float64) {
	for _, v := range values {
		switch {
		case !(v > 0) || math.IsInf(v, 0):
		case s.max == 0:
			s.min, s.max = v, v
		default:
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
}

// around returns the range widened by factors at both ends.
func (s span) around(low, high float64) span {
	if s.max == 0 {
		return span{1, 10}
	}
	s.min, s.max = s.min/low, s.max*high
	if width := s.max / s.min; width < 3 {
		grow := math.Sqrt(3 / width)
		s.min, s.max = s.min/grow, s.max*grow
	}
	return s
}

// TicksAt returns ticks at values, labelled by label.
func TicksAt(values []int, label func(float64) string) plot.ConstantTicks {
	out := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		out[i] = plot.Tick{Value: float64(v), Label: label(float64(v))}
	}
	return out
}

// LinearTicks marks a linear axis, labelled by the function.
type LinearTicks func(float64) string

// Ticks implements plot.Ticker.
func (t LinearTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = t(ticks[i].Value)
		}
	}
	return ticks
}

// LogTicks marks a logarithmic axis at powers of ten, and at digits between them if the range is
// narrow. It has at most Most labels.
type LogTicks struct {
	Label func(float64) string
	Most  int
}

// Ticks implements plot.Ticker. It labels the first choice of digits that has few enough labels, or else powers of ten that are further apart.
func (t LogTicks) Ticks(lo, hi float64) []plot.Tick {
	if lo <= 0 || hi <= lo {
		return nil
	}
	digits := []string{"12357", "125", "13", "1"}
	for choice := 0; ; choice++ {
		every, named := max(1, choice-2), digits[min(choice, 3)]
		var ticks []plot.Tick
		labels := 0
		for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
			for digit := 1; digit < 10; digit++ {
				tick := plot.Tick{Value: float64(digit) * math.Pow10(e)}
				if tick.Value < lo || tick.Value > hi {
					continue
				}
				if e%every == 0 && strings.Contains(named, strconv.Itoa(digit)) {
					tick.Label = t.Label(tick.Value)
					labels++
				}
				if tick.Label != "" || every == 1 || digit == 1 {
					ticks = append(ticks, tick)
				}
			}
		}
		if labels <= t.Most {
			return ticks
		}
	}
}

// unnamed removes the labels of an axis and keeps its grid. The panel to the left has the labels.
type unnamed struct{ named plot.Ticker }

// Ticks implements plot.Ticker.
func (u unnamed) Ticks(lo, hi float64) []plot.Tick {
	ticks := slices.Clone(u.named.Ticks(lo, hi)) // an axis may share its list of ticks
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = " " // an empty label would make it a minor tick, without a grid line
		}
	}
	return ticks
}
