package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// newPanel returns an empty panel in the style of all charts.
func newPanel(title string) *plot.Plot {
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
	return p
}

const (
	headingSize = 9.5
	headingGap  = 4
)

// heading is the title of a panel, above the left edge of the data: gonum/plot
// would centre it over the axis labels too.
type heading string

// Plot implements plot.Plotter.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	write(&c, bold(headingSize, ink), c.Min.X, c.Max.Y+headingGap+2, 0, string(h))
}

// unnamed drops the labels of an axis that the panel to the left has named, and
// keeps its grid.
type unnamed struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unnamed) Ticks(lo, hi float64) []plot.Tick {
	ticks := u.Ticker.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = " " // an empty label would make it a minor tick, without a grid line
		}
	}
	return ticks
}

// arrange lays panels out in rows of that many columns.
func arrange(panels []*plot.Plot, columns int) [][]*plot.Plot {
	var out [][]*plot.Plot
	for len(panels) > 0 {
		row := make([]*plot.Plot, columns)
		n := copy(row, panels)
		panels = panels[n:]
		out = append(out, row)
	}
	return out
}

// lines is the number of rows of panels.
func lines(panels, columns int) vg.Length { return vg.Length((panels + columns - 1) / columns) }

// rowsHeight is the height of a panel with a row for each contender, its heading
// and its axis included. Many rows stand closer.
func rowsHeight(rows int) vg.Length {
	each := 15.0
	if rows > 12 {
		each = 12.5
	}
	return vg.Length(rows)*vg.Length(each) + 50
}

// rowsAxis lays the contenders on the vertical axis, the first at the top. Only
// the leftmost panel of a row of panels names them.
func rowsAxis(p *plot.Plot, names []string, named bool) {
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.Y.Tick.Length = 0
	p.Y.Tick.Label = sans(labelSize, ink)
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: rowAt(i, len(names)), Label: name}
	}
	p.Y.Tick.Marker = ticks
	if !named {
		p.Y.Tick.Marker = unnamed{ticks}
	}
}

// rowAt is the place of row i of n on the axis of rowsAxis.
func rowAt(i, n int) float64 { return float64(n - 1 - i) }

// span is a range of values above 0, as a logarithmic axis needs.
type span struct{ min, max float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

// add widens the range; values that a logarithmic axis cannot show are left out.
func (s *span) add(values ...float64) {
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
}

func (s span) empty() bool { return s.min > s.max }

// around returns the range with room at both ends, by factors, and so wide that
// some ticks fall into it.
func (s span) around(low, high float64) span {
	if s.empty() {
		return span{1, 10}
	}
	s.min, s.max = s.min/low, s.max*high
	if width := s.max / s.min; width < 3 {
		grow := math.Sqrt(3 / width)
		s.min, s.max = s.min/grow, s.max*grow
	}
	return s
}

// roomRight widens the range at its upper end, for labels that take that share
// of the panel.
func (s span) roomRight(share float64) span {
	s.max *= math.Pow(s.max/s.min, share/(1-share))
	return s
}

// logAxis makes an axis logarithmic over a range.
func logAxis(a *plot.Axis, s span, ticks plot.Ticker) {
	a.Min, a.Max = s.min, s.max
	a.Scale = plot.LogScale{}
	a.Tick.Marker = ticks
}

// logTicks marks a logarithmic axis: powers of ten, and digits between them where
// the range is narrow; never more labels than asked for.
type logTicks struct {
	label  func(float64) string
	labels int
}

// Ticks implements plot.Ticker.
func (t logTicks) Ticks(lo, hi float64) []plot.Tick {
	if lo <= 0 || hi <= lo {
		return nil
	}
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	count := func(steps []float64, every int) int {
		n := 0
		for e := first; e <= last; e++ {
			for _, s := range steps {
				if v := s * math.Pow10(e); e%every == 0 && v >= lo && v <= hi {
					n++
				}
			}
		}
		return n
	}
	every := 1
	var steps []float64
	for _, steps = range [][]float64{{1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		if count(steps, every) <= t.labels {
			break
		}
	}
	for count(steps, every) > t.labels {
		every++
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(e)
			if v < lo || v > hi {
				continue
			}
			tick := plot.Tick{Value: v}
			for _, s := range steps {
				if s == digit && e%every == 0 {
					tick.Label = t.label(v)
				}
			}
			if tick.Label != "" || every == 1 || digit == 1 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}
