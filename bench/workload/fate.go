package workload

import (
	"math"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// fate is what becomes of the timers of a class. Times are in ticks.
type fate struct {
	delay      dist.Dist
	completion dist.Dist // nil: none

	drawn                        bool // by these shares
	cancel, reschedule, periodic float64
}

// life is what will become of a timer, in ticks from its arrival.
type life struct {
	delay     float64 // when it is due
	interrupt float64 // when it is cancelled or moved; +Inf: never
	move      float64 // by how much it is moved then; 0: it is cancelled
}

// draw draws the life of a timer that arrives.
func (f *fate) draw(r *script.Rand) life {
	l := life{delay: f.delay.Draw(r), interrupt: math.Inf(1)}
	switch {
	case f.completion != nil:
		l.interrupt = f.completion.Draw(r)
	case f.drawn:
		u := r.Float64()
		if u < f.cancel+f.reschedule {
			l.interrupt = float64(r.Float64() * l.delay)
		}
		if u >= f.cancel && u < f.cancel+f.reschedule {
			l.move = f.delay.Draw(r)
		}
	}
	return l
}

// meanLife is how long a timer is pending. Where shares are cancelled or moved it
// is, in units of the mean delay, 1/2 for those cancelled, 1/2 + 1 for those
// moved, and 1 otherwise.
func (f *fate) meanLife() float64 {
	if f.completion != nil {
		return f.meanEarlier()
	}
	return float64((1 - f.cancel/2 + f.reschedule/2) * f.delay.Mean())
}

// meanEarlier estimates the mean of the earlier of deadline and completion, which
// has no formula for most pairs: always the same estimate, good to about 0.5 %.
func (f *fate) meanEarlier() float64 {
	const draws = 100_000
	r, sum := dist.NewRand(1, 1), 0.0
	for range draws {
		sum += math.Min(f.delay.Draw(r), f.completion.Draw(r))
	}
	return sum / draws
}

// found draws the life of a timer as one finds it at a random moment of it: what
// is left from then on.
func (f *fate) found(r *script.Rand) life {
	if f.completion != nil {
		return f.foundUncompleted(r)
	}
	// The time that lives spend before an interruption against the time that they
	// spend with nothing ahead but their deadline.
	before, after := (f.cancel+f.reschedule)/2, 1-f.cancel
	if !f.drawn || float64(r.Float64()*(before+after)) >= before {
		return life{delay: dist.Residual(f.delay, r), interrupt: math.Inf(1)}
	}
	// Both the delay and the part of it at which the interruption comes are
	// length-biased; the density of that part is 2u.
	d := f.delay.DrawBiased(r)
	interrupt := float64(d * math.Sqrt(r.Float64()))
	age := float64(r.Float64() * interrupt)
	l := life{delay: d - age, interrupt: interrupt - age}
	if r.Float64()*(f.cancel+f.reschedule) >= f.cancel {
		l.move = f.delay.Draw(r)
	}
	return l
}

// foundUncompleted draws timers as if there was nothing but the shorter of
// deadline and completion, and keeps those whose other end is still ahead: exact,
// as the two are independent.
func (f *fate) foundUncompleted(r *script.Rand) life {
	short, long := f.delay, f.completion
	swap := long.Mean() < short.Mean()
	if swap {
		short, long = long, short
	}
	for {
		end := short.DrawBiased(r)
		age := float64(r.Float64() * end)
		other := long.Draw(r)
		if other <= age {
			continue
		}
		l := life{delay: end - age, interrupt: other - age}
		if swap {
			l.delay, l.interrupt = l.interrupt, l.delay
		}
		return l
	}
}
