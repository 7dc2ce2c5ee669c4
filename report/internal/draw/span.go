package draw

import "math"

// Span is a range of values above 0, as a logarithmic axis needs. The zero Span is
// empty.
type Span struct{ min, max float64 }

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

// Point reports whether the range holds one value only.
func (s Span) Point() bool { return s.min == s.max }

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

// RoomForLabels widens the range at its upper end, so that labels there have that
// share of the panel.
func (s Span) RoomForLabels(share float64) Span {
	s.max *= math.Pow(s.max/s.min, share/(1-share))
	return s
}
