package workload

import (
	"math"

	"github.com/timerbench/timerbench/bench/script"
)

// outcomes says what happens to the timers of a class: whether and when they are
// cancelled or moved. Times are in ticks.
type outcomes struct {
	delay      script.Dist
	completion *script.Dist // nil: none

	byShares                     bool // the shares below apply
	cancel, reschedule, periodic float64
}

// timerPlan says what will happen to a timer, in ticks from now.
type timerPlan struct {
	delay  float64 // when it is due
	endsAt float64 // when it is cancelled or moved; +Inf: never
	moveBy float64 // by how much it is moved then; 0: it is cancelled
}

func (f *outcomes) drawArrival(r *script.Rand) timerPlan {
	l := timerPlan{delay: f.delay.Draw(r), endsAt: math.Inf(1)}
	switch {
	case f.completion != nil:
		l.endsAt = f.completion.Draw(r)
	case f.byShares:
		u := r.Float64()
		if u < f.cancel+f.reschedule {
			l.endsAt = float64(r.Float64() * l.delay)
		}
		if u >= f.cancel && u < f.cancel+f.reschedule {
			l.moveBy = f.delay.Draw(r)
		}
	}
	return l
}

// meanPending returns the mean time that a timer is pending. With shares it is, in units of the mean delay, 1/2 for a
// timer that is cancelled, 1/2 + 1 for one that is moved, and 1 otherwise.
func (f *outcomes) meanPending() float64 {
	if f.completion != nil {
		return meanFirstEnd(f.delay, *f.completion)
	}
	return float64((1 - f.cancel/2 + f.reschedule/2) * f.delay.Mean)
}

// meanFirstEnd estimates the mean of the earlier of two ends, which has no formula for most pairs of distributions. The
// estimate is deterministic and accurate to about 0.5 %.
func meanFirstEnd(a, b script.Dist) float64 {
	const draws = 100_000
	r, sum := script.NewRand(1, 1), 0.0
	for range draws {
		sum += math.Min(a.Draw(r), b.Draw(r))
	}
	return sum / draws
}

// drawPending draws the remaining plan of a timer that is pending at a random moment in the steady state.
func (f *outcomes) drawPending(r *script.Rand) timerPlan {
	if f.completion != nil {
		return f.drawPendingByRejection(r)
	}
	// Mean times, in units of the mean delay: before an interruption, and with no interruption to come.
	before, after := (f.cancel+f.reschedule)/2, 1-f.cancel
	if !f.byShares || float64(r.Float64()*(before+after)) >= before {
		return timerPlan{delay: script.Residual(f.delay, r), endsAt: math.Inf(1)}
	}
	// Both the delay and the part of it at which the interruption comes are
	// length-biased; the density of that part is 2u.
	d := f.delay.DrawBiased(r)
	interrupt := float64(d * math.Sqrt(r.Float64()))
	age := float64(r.Float64() * interrupt)
	l := timerPlan{delay: d - age, endsAt: interrupt - age}
	if r.Float64()*(f.cancel+f.reschedule) >= f.cancel {
		l.moveBy = f.delay.Draw(r)
	}
	return l
}

// drawPendingByRejection draws a pending timer of a class with completions. It draws
// the remainder of the end with the shorter mean, deadline or completion, and rejects
// timers whose other end has passed. This is exact, because the two are independent.
func (f *outcomes) drawPendingByRejection(r *script.Rand) timerPlan {
	short, long := f.delay, *f.completion
	swap := long.Mean < short.Mean
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
		l := timerPlan{delay: end - age, endsAt: other - age}
		if swap {
			l.delay, l.endsAt = l.endsAt, l.delay
		}
		return l
	}
}
