package draw

import "math"

// Span is a range of values above 0, as a logarithmic axis needs. The zero Span is
// empty.
type Span struct{ min, max float64 }

// SpanOf is the range of values.
func SpanOf[V int | float64](values ...V) (s Span) {
	for _, v := range values {
		s.Add(float64(v))
	}
	return s
}

// Add widens the range; values that a logarithmic axis cannot show are left out.
func (s *Span) Add(values ...float64) {
	for _, v := range values {
		switch {
		case !(v > 0) || math.IsInf(v, 0):
		case s.Empty():
			s.min, s.max = v, v
		default:
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
}

// Empty reports whether nothing was added.
func (s Span) Empty() bool { return s.max == 0 }

// Around returns the range with room at both ends, by factors, and so wide that
// some ticks fall into it.
func (s Span) Around(low, high float64) Span {
	if s.Empty() {
		return Span{1, 10}
	}
	s.min, s.max = s.min/low, s.max*high
	if width := s.max / s.min; width < 3 {
		grow := math.Sqrt(3 / width)
		s.min, s.max = s.min/grow, s.max*grow
	}
	return s
}
