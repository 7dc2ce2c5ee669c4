package workload

import (
	"math"

	"github.com/timerbench/timerbench/bench/internal/eventqueue"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// flow is the process of a Flow.
type flow struct {
	everyTick   bool
	startsEmpty bool            // starts without timers and runs for warmUp
	warmUp      structures.Tick //
	rate        float64         // arrivals per tick, of all streams
	streams     []stream

	arrival       float64 // when the next timer arrives
	interruptions eventqueue.Queue[interruption]
	periodOf      []structures.Tick // by key: period of a periodic timer; 0: not periodic
	periods       []structures.Tick // buffer of restartPeriodic
}

// stream is a class of timers, with its times in ticks.
type stream struct {
	outcomes
	rate       float64 // arrivals per tick
	population float64 // 0: it follows from the rate
}

// interruption is a planned cancel or move. It is ignored if its timer is no longer
// pending.
type interruption struct {
	key    uint32
	value  uint64
	moveBy float64
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

// startSteady schedules timers of a stream in the steady state, until n timers of all
// streams are pending.
func (f *flow) startSteady(w *script.Writer, r *script.Rand, s *stream, n int) {
	for range int(float64(s.population*s.periodic) + 0.5) {
		period := ticks(s.delay.Draw(r))
		f.setPeriod(w.Schedule(ticks(float64(r.Float64()*float64(period)))), period)
	}
	for w.Pending() < n {
		f.schedule(w, 0, s.drawPending(r))
	}
}

// Step advances to the tick of the next event. It pops the timers that are due there,
// then schedules the arrivals, then makes the planned cancels and moves.
func (f *flow) Step(w *script.Writer, r *script.Rand) {
	if f.arrival == 0 { // with a rate of 0 the first arrival is at +Inf
		f.arrival = float64(w.Now()) + r.Exp()/f.rate
	}
	now := f.nextTick(w)
	f.restartPeriodic(w, w.Advance(now))
	for ; f.arrival <= float64(now); f.arrival += r.Exp() / f.rate {
		f.schedule(w, f.arrival, f.drawStream(r).drawArrival(r))
	}
	f.interrupt(w, now)
}

// drawStream draws the stream of a timer that arrives, in proportion to the rates.
func (f *flow) drawStream(r *script.Rand) *stream {
	last := len(f.streams) - 1
	if last == 0 {
		return &f.streams[0]
	}
	at := float64(r.Float64() * f.rate)
	for i := range f.streams[:last] {
		if at -= f.streams[i].rate; at < 0 {
			return &f.streams[i]
		}
	}
	return &f.streams[last]
}

// interrupt makes the cancels and moves that are planned for ticks up to now.
func (f *flow) interrupt(w *script.Writer, now structures.Tick) {
	for f.interruptions.Len() > 0 {
		at, p := f.interruptions.First()
		if at > now {
			break
		}
		f.interruptions.Pop()
		if !w.PendingAs(p.key, p.value) {
			continue
		}
		if p.moveBy > 0 {
			w.Reschedule(p.key, now+ticks(p.moveBy))
		} else {
			w.Cancel(p.key)
		}
	}
}

// restartPeriodic schedules the periodic timers among those that have fired. It looks up
// all periods before it schedules, because scheduling reuses the keys.
func (f *flow) restartPeriodic(w *script.Writer, fired []uint32) {
	f.periods = f.periods[:0]
	for _, key := range fired {
		if period := f.period(key); period > 0 {
			f.periods = append(f.periods, period)
		}
	}
	for _, period := range f.periods {
		f.setPeriod(w.Schedule(w.Now()+period), period)
	}
}

func (f *flow) nextTick(w *script.Writer) structures.Tick {
	if f.everyTick {
		return w.Now() + 1
	}
	next := structures.Tick(math.Ceil(math.Min(f.arrival, math.MaxInt64/2)))
	if at, ok := w.NextDeadline(); ok {
		next = min(next, at)
	}
	if f.interruptions.Len() > 0 {
		at, _ := f.interruptions.First()
		next = min(next, at)
	}
	return max(next, w.Now())
}

// schedule schedules a timer that arrived within the tick that ends now. Arrivals and
// ends are both rounded up to ticks, which does not change the mean time between them.
func (f *flow) schedule(w *script.Writer, moment float64, l timerPlan) {
	now := w.Now()
	key := w.Schedule(now + ticks(l.delay))
	f.setPeriod(key, 0)
	if l.endsAt < l.delay {
		at := max(now, structures.Tick(math.Ceil(moment+l.endsAt)))
		f.interruptions.Push(at, interruption{key, w.ValueOf(key), l.moveBy})
	}
}

func (f *flow) period(key uint32) structures.Tick {
	if int(key) < len(f.periodOf) {
		return f.periodOf[key]
	}
	return 0
}

func (f *flow) setPeriod(key uint32, period structures.Tick) {
	for int(key) >= len(f.periodOf) {
		f.periodOf = append(f.periodOf, 0)
	}
	f.periodOf[key] = period
}
