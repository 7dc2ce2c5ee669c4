package workload

import (
	"math"

	"github.com/timerbench/timerbench/bench/internal/eventqueue"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// flow is the process of a Flow.
type flow struct {
	poll    bool
	empty   bool            // starts so, and runs for warmUp
	warmUp  structures.Tick //
	rate    float64         // arrivals per tick, of all streams
	streams []stream

	arrival float64 // when the next timer arrives
	plans   eventqueue.Queue[plan]
	again   []structures.Tick // by key: period of a periodic timer, or 0
	periods []structures.Tick // scratch of rearm
}

// stream is a class of timers on a clock of ticks.
type stream struct {
	fate
	rate       float64 // arrivals per tick
	population float64 // where that is given; 0: it follows from the rate
}

// plan is an interruption to come; it is void if its timer is done with.
type plan struct {
	key   uint32
	value uint64
	move  float64
}

func (f *flow) Fill(w *script.Writer, r *script.Rand) {
	if f.empty {
		for w.Now() < f.warmUp {
			f.Step(w, r)
		}
		return
	}
	sum := 0.0 // the sum is rounded, not its parts, so that it comes out
	for i := range f.streams {
		s := &f.streams[i]
		if s.population > 0 {
			sum += s.population
		} else {
			sum += float64(s.rate * s.meanLife())
		}
		f.startSteady(w, r, s, int(sum+1e-6))
	}
}

// startSteady schedules timers of a stream, each as one finds it at a random
// moment of its life, until n are pending in all.
func (f *flow) startSteady(w *script.Writer, r *script.Rand, s *stream, n int) {
	for range int(float64(s.population*s.periodic) + 0.5) {
		period := ticks(s.delay.Draw(r))
		f.setPeriod(w.Schedule(ticks(float64(r.Float64()*float64(period)))), period)
	}
	for w.Pending() < n {
		f.admit(w, 0, s.found(r))
	}
}

// Step goes to the next tick on which something happens, pops what is due there
// as an event loop does, and lets the rest happen.
func (f *flow) Step(w *script.Writer, r *script.Rand) {
	if f.arrival == 0 { // with a rate of 0 the first arrival is at +Inf
		f.arrival = float64(w.Now()) + r.Exp()/f.rate
	}
	now := f.nextTick(w)
	f.rearm(w, w.Advance(now))
	for ; f.arrival <= float64(now); f.arrival += r.Exp() / f.rate {
		f.admit(w, f.arrival, f.arriving(r).draw(r))
	}
	f.interrupt(w, now)
}

// arriving chooses the stream of a timer that arrives, in proportion to their
// rates.
func (f *flow) arriving(r *script.Rand) *stream {
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

// interrupt cancels and moves what the plans for ticks up to now name.
func (f *flow) interrupt(w *script.Writer, now structures.Tick) {
	for f.plans.Len() > 0 {
		at, p := f.plans.First()
		if at > now {
			break
		}
		f.plans.Pop()
		if !w.PendingAs(p.key, p.value) {
			continue
		}
		if p.move > 0 {
			w.Reschedule(p.key, now+ticks(p.move))
		} else {
			w.Cancel(p.key)
		}
	}
}

// rearm schedules the periodic ones among the timers that have fired. Periods are
// looked up before anything is scheduled, as that uses the keys again.
func (f *flow) rearm(w *script.Writer, fired []uint32) {
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
	if f.poll {
		return w.Now() + 1
	}
	next := structures.Tick(math.Ceil(math.Min(f.arrival, math.MaxInt64/2)))
	if at, ok := w.NextDeadline(); ok {
		next = min(next, at)
	}
	if f.plans.Len() > 0 {
		at, _ := f.plans.First()
		next = min(next, at)
	}
	return max(next, w.Now())
}

// admit schedules a timer that arrived at a moment within the tick that ends
// now. Moments are rounded up to ticks, arrival and end alike, which leaves the
// mean time between them as it is.
func (f *flow) admit(w *script.Writer, moment float64, l life) {
	now := w.Now()
	key := w.Schedule(now + ticks(l.delay))
	f.setPeriod(key, 0)
	if l.interrupt < l.delay {
		at := max(now, structures.Tick(math.Ceil(moment+l.interrupt)))
		f.plans.Push(at, plan{key, w.ValueOf(key), l.move})
	}
}

func (f *flow) period(key uint32) structures.Tick {
	if int(key) < len(f.again) {
		return f.again[key]
	}
	return 0
}

func (f *flow) setPeriod(key uint32, period structures.Tick) {
	for int(key) >= len(f.again) {
		f.again = append(f.again, 0)
	}
	f.again[key] = period
}
