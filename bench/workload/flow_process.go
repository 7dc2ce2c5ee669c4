package workload

import (
	"math"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

type flow struct {
	eventLoop   // when a timer fires, the tick of the event is its period; 0: it is not periodic
	everyTick   bool
	startsEmpty bool            // starts without timers and runs for warmUp
	warmUp      structures.Tick //
	rate        float64         // arrivals per tick, of all streams
	rates       script.Weights  // of the streams
	streams     []stream
}

func (f *flow) Fill(w *script.Writer, r *script.Rand) {
	if f.startsEmpty {
		for w.Now() < f.warmUp {
			f.Step(w, r)
		}
		return
	}
	sum := 0.0 // rounded once, so that the total is right
	for i := range f.streams {
		s := &f.streams[i]
		if s.population > 0 {
			sum += s.population
		} else {
			sum += float64(s.rate * s.meanPending())
		}
		f.startSteady(w, r, s, int(sum+1e-6))
	}
}

// startSteady schedules timers of a stream in the steady state, until n timers of all streams are pending.
func (f *flow) startSteady(w *script.Writer, r *script.Rand, s *stream, n int) {
	for range int(float64(s.population*s.periodic) + 0.5) {
		period := ticks(s.delay.Draw(r))
		f.schedule(w, ticks(float64(r.Float64()*float64(period))), event{tick: period})
	}
	for w.Pending() < n {
		f.arrive(w, 0, s.drawPending(r))
	}
}

// Step advances to the tick of the next event. It pops the timers that are due there,
// then schedules the arrivals, then makes the planned cancels and moves.
func (f *flow) Step(w *script.Writer, r *script.Rand) {
	now := f.nextOrArrival(w, r, f.rate)
	if f.everyTick {
		now = w.Now() + 1
	}
	for _, e := range f.advance(w, now) {
		if e.tick > 0 {
			f.schedule(w, now+e.tick, e)
		}
	}
	for ; f.arrival <= float64(now); f.arrival += r.Exp() / f.rate {
		s := 0
		if len(f.streams) > 1 {
			s = f.rates.Pick(r)
		}
		f.arrive(w, f.arrival, f.streams[s].drawArrival(r))
	}
	f.happen(now, func(e event) { f.interrupt(w, e) })
}

// arrive schedules a timer that arrived within the tick that ends now. Arrivals and
// ends are both rounded up to ticks, which does not change the mean time between them.
func (f *flow) arrive(w *script.Writer, moment float64, l timerPlan) {
	now := w.Now()
	key := f.schedule(w, now+ticks(l.delay), event{})
	if l.endsAt < l.delay {
		e := event{owner: int32(key), kind: int32(w.ValueOf(key))}
		if l.moveBy > 0 {
			e.tick = ticks(l.moveBy)
		}
		f.plan(max(now, structures.Tick(math.Ceil(moment+l.endsAt))), e)
	}
}

// interrupt cancels the timer whose key is the owner of an event, or moves it by its tick. Its
// kind is the value of the timer: the key may be that of a later timer by now, or of none.
func (f *flow) interrupt(w *script.Writer, e event) {
	key := uint32(e.owner)
	switch value := w.ValueOf(key); {
	case int32(value) != e.kind || !w.PendingAs(key, value):
	case e.tick > 0:
		w.Reschedule(key, w.Now()+e.tick)
	default:
		w.Cancel(key)
	}
}

// stream is a class of timers, and says whether and when they are cancelled or moved. Times are in ticks.
type stream struct {
	rate       float64 // arrivals per tick
	population float64 // 0: it follows from the rate
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

func (f *stream) drawArrival(r *script.Rand) timerPlan {
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
func (f *stream) meanPending() float64 {
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
func (f *stream) drawPending(r *script.Rand) timerPlan {
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
func (f *stream) drawPendingByRejection(r *script.Rand) timerPlan {
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
