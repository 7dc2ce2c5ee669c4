package script

import "math"

// WarmUp decides from a script when a structure is in the steady state: when the population was replaced, and dead
// entries come due at the rate at which they are made (see [Steady]). It sees the script alone, so the warm-up of
// all structures is the same, on any machine.
type WarmUp struct {
	n, most int
	moments []Moment // the end of the fill, and of each block after it
}

// NewWarmUp returns the warm-up of n timers. A script that is not steady after most operations stays as it is.
func NewWarmUp(n, most int) *WarmUp { return &WarmUp{n: n, most: most} }

// Note takes a block: the fill first, then each further block of the script.
func (w *WarmUp) Note(b *Block) { w.moments = append(w.moments, b.End) }

// Operations returns the number of operations since the fill.
func (w *WarmUp) Operations() int { return w.moments[len(w.moments)-1].Operations }

// Size returns the number of operations of the next block, of at most the given size. With few timers blocks are long
// enough to decide.
func (w *WarmUp) Size(most int) int { return min(max(leastWarmUp, w.n/8), most) }

// A script replaces the population in replaced operations a timer: each timer is scheduled once and ends once. The rates are those of the
// last n/ofRate operations, or more if fewer than leastMade dead entries were made in them (chosen).
const (
	replaced    = 2
	leastWarmUp = 1_000
	leastMade   = 1_000
	ofRate      = 2

	// The rates in the warm-up are samples, and so is the share of the timed region. With this margin, and the standard error
	// of the rate halved, the share is above Steady (chosen).
	margin = 0.02
)

// Done reports whether the warm-up ends.
func (w *WarmUp) Done() bool {
	if len(w.moments) == 0 {
		return false
	}
	last := w.moments[len(w.moments)-1]
	switch {
	case last.Operations < replaced*w.n:
		return false
	case last.Operations >= w.most:
		return true
	}
	since := w.moments[0]
	for _, m := range w.moments {
		if last.Operations-m.Operations < w.n/ofRate || last.Made-m.Made < leastMade {
			break
		}
		since = m
	}
	rate := last.Since(since.Passage)
	return rate.Made == 0 || rate.Share() >= Steady+margin+0.5/math.Sqrt(float64(rate.Made))
}
