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

	arrival float64 // when the next timer arrives
}

// stream is a class of timers, with its times in ticks.
type stream struct {
	outcomes
	rate       float64 // arrivals per tick
	population float64 // 0: it follows from the rate
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
	if f.arrival == 0 { // with a rate of 0 the first arrival is at +Inf
		f.arrival = float64(w.Now()) + r.Exp()/f.rate
	}
	now := f.nextMoment(w)
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

func (f *flow) nextMoment(w *script.Writer) structures.Tick {
	if f.everyTick {
		return w.Now() + 1
	}
	next := structures.Tick(math.Ceil(math.Min(f.arrival, math.MaxInt64/2)))
	if at, ok := f.next(w); ok {
		next = min(next, at)
	}
	return max(next, w.Now())
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
