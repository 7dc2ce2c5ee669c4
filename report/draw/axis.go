package draw

import (
	"cmp"
	"math"

	"gonum.org/v1/plot"
)

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
