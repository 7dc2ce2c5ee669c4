package bench

import (
	"math"

	"github.com/timerbench/timerbench/bench/internal/agenda"
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/structures"
)

// flow is the process behind most workloads that model something: timers arrive
// at random (Poisson), each with a delay, and some are interrupted before they
// fire.
type flow struct {
	rate  float64 // arrivals per tick
	life  func(r *Rand) life
	start func(f *flow, w *Writer, r *Rand) // how the population comes to be
	poll  bool                              // pop at every tick, not only where something happens

	arrival float64 // when the next timer arrives
	plans   agenda.Queue[plan]
	again   []structures.Tick // by key: period of a periodic timer, or 0
	periods []structures.Tick // scratch of rearm
}

// life is what will become of a timer, in ticks from its arrival.
type life struct {
	delay     float64 // when it is due
	interrupt float64 // when it is cancelled or moved; +Inf: never
	move      float64 // by how much it is moved then; 0: it is cancelled
}

// uninterrupted is the life of a timer that fires.
func uninterrupted(delay float64) life { return life{delay: delay, interrupt: math.Inf(1)} }

// plan is an interruption to come; it is void if its timer is done with.
type plan struct {
	key   uint32
	value uint64
	move  float64
}

func (f *flow) Fill(w *Writer, r *Rand) { f.start(f, w, r) }

// Step goes to the next tick on which something happens, pops what is due there
// as an event loop does, and lets the rest happen.
func (f *flow) Step(w *Writer, r *Rand) {
	if f.arrival == 0 { // with a rate of 0 the first arrival is at +Inf
		f.arrival = float64(w.Now()) + r.Exp()/f.rate
	}
	now := f.nextTick(w)
	f.rearm(w, w.Advance(now))
	for ; f.arrival <= float64(now); f.arrival += r.Exp() / f.rate {
		f.admit(w, f.arrival, f.life(r))
	}
	f.interrupt(w, now)
}

// interrupt cancels and moves what the plans for ticks up to now name.
func (f *flow) interrupt(w *Writer, now structures.Tick) {
	for f.plans.Len() > 0 {
		at, p := f.plans.First()
		if at > now {
			break
		}
		f.plans.Pop()
		if !w.pendingAs(p.key, p.value) {
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
func (f *flow) rearm(w *Writer, fired []uint32) {
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

func (f *flow) nextTick(w *Writer) structures.Tick {
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
func (f *flow) admit(w *Writer, moment float64, l life) {
	now := w.Now()
	key := w.Schedule(now + ticks(l.delay))
	f.setPeriod(key, 0)
	if l.interrupt < l.delay {
		at := max(now, structures.Tick(math.Ceil(moment+l.interrupt)))
		f.plans.Push(at, plan{key, w.valueOf(key), l.move})
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

// startEmpty lets timers arrive for some ticks: the way in where lives are short.
func startEmpty(ticks structures.Tick) func(*flow, *Writer, *Rand) {
	return func(f *flow, w *Writer, r *Rand) {
		for w.Now() < ticks {
			f.Step(w, r)
		}
	}
}

// mix says what becomes of the timers of a synthetic workload. Shares are of the
// timers that arrive; Periodic is a share of the population.
type mix struct {
	Cancel     float64 // cancelled before they fire, at a uniformly random part of their delay
	Reschedule float64 // moved once, at such a moment, to a new delay from there
	Periodic   float64 // scheduled again with the same delay whenever they fire, for ever
}

// newMixFlow returns a flow whose population stays at n.
func newMixFlow(n int, delay dist.Dist, m mix) *flow {
	// Mean lives in units of the mean delay: 1/2 where cancelled, 1/2 + 1 where
	// moved, 1 otherwise. Little's law gives the rate.
	meanLife := 1 - m.Cancel/2 + m.Reschedule/2
	passing := float64(float64(n) * (1 - m.Periodic))
	return &flow{
		rate: passing / float64(meanLife*delay.Mean()),
		life: func(r *Rand) life {
			l, u := uninterrupted(delay.Draw(r)), r.Float64()
			if u < m.Cancel+m.Reschedule {
				l.interrupt = float64(r.Float64() * l.delay)
			}
			if u >= m.Cancel && u < m.Cancel+m.Reschedule {
				l.move = delay.Draw(r)
			}
			return l
		},
		start: func(f *flow, w *Writer, r *Rand) { f.startSteady(w, r, n, delay, m) },
	}
}

// startSteady schedules the population that the flow keeps up: each timer as one
// finds it at a random moment of its life.
func (f *flow) startSteady(w *Writer, r *Rand, n int, delay dist.Dist, m mix) {
	for range int(float64(float64(n)*m.Periodic) + 0.5) {
		period := ticks(delay.Draw(r))
		f.setPeriod(w.Schedule(ticks(float64(r.Float64()*float64(period)))), period)
	}
	// The time that lives spend before an interruption against the time that
	// they spend with nothing ahead but their deadline.
	before, after := (m.Cancel+m.Reschedule)/2, 1-m.Cancel
	for w.Pending() < n {
		if float64(r.Float64()*(before+after)) >= before {
			f.setPeriod(w.Schedule(ticks(dist.Residual(delay, r))), 0)
			continue
		}
		// Both the delay and the part of it at which the interruption comes are
		// length-biased; the density of that part is 2u.
		d := delay.DrawBiased(r)
		interrupt := float64(d * math.Sqrt(r.Float64()))
		age := float64(r.Float64() * interrupt)
		l := life{delay: d - age, interrupt: interrupt - age}
		if r.Float64()*(m.Cancel+m.Reschedule) >= m.Cancel {
			l.move = delay.Draw(r)
		}
		f.admit(w, 0, l)
	}
}
