package workload

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// Hold is the hold model (Vaucher & Duval 1975; Jones 1986): whenever a timer fires, a
// new one is scheduled, so the population is constant. It is the classic benchmark of a
// priority queue: half inserts, half removals of the minimum.
type Hold struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
	Poll  bool  `toml:"poll,omitempty" comment:"pop at every tick, not only where a timer is due"`
}

// CancelHold is the hold model with cancels. When a timer fires, random timers are
// cancelled, so that the given share is cancelled instead of firing. Each timer that
// fires or is cancelled is replaced by a new one, so the population is constant.
type CancelHold struct {
	Delay      Delay `toml:"delay,inline" comment:"of each timer"`
	Cancel     Share `toml:"cancel,omitempty" comment:"of the timers, instead of firing"`
	Reschedule Share `toml:"reschedule,omitempty" comment:"moves of a random timer, for each that fires or is cancelled"`
}

// StartStop schedules a timer and cancels it, again and again.
//
// Like [Churn] and [Reschedule] it never moves the clock. It measures calls among n
// resident timers, and Go's own timers can take part. It does not measure work that
// structures postpone until the clock moves, such as cascades. The grid does.
type StartStop struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
}

// Churn cancels a random timer and schedules another one, in bursts of each. It never moves the clock.
type Churn struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
	Burst Count `toml:"burst" comment:"operations of a kind that come together, but at most a tenth of the population"`
	Known bool  `toml:"known,omitempty" comment:"the program knows the timers of a burst before it cancels the first"`
}

// Reschedule moves random timers to a new deadline, later or earlier. It never moves the clock.
type Reschedule struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer, from now, when it is moved"`
	Burst Count `toml:"burst" comment:"moves that come together, but at most a tenth of the population"`
	Known bool  `toml:"known,omitempty" comment:"the program knows the timers of a burst before it moves the first"`
}

// FillDrain schedules n timers, then moves the clock from deadline to deadline
// until all have fired, and begins again.
type FillDrain struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
}

// synthetic is the process of these models: n timers, all with the same delays.
type synthetic struct {
	n     int
	delay dist.Dist
	step  func(p *synthetic, w *script.Writer, r *script.Rand)
	known bool // the program knows which timers it cancels and moves next
	fresh bool // Fill schedules whole delays, not the rest of delays as in the steady state
}

// Fill schedules n timers with the remaining delays of the steady state.
func (p *synthetic) Fill(w *script.Writer, r *script.Rand) {
	if p.known {
		w.KnowAhead()
	}
	for range p.n {
		if p.fresh {
			p.schedule(w, r)
		} else {
			w.Schedule(w.Now() + ticks(dist.Residual(p.delay, r)))
		}
	}
}

func (p *synthetic) Step(w *script.Writer, r *script.Rand) { p.step(p, w, r) }

func (p *synthetic) schedule(w *script.Writer, r *script.Rand) uint32 {
	return w.Schedule(w.Now() + ticks(p.delay.Draw(r)))
}

func (p *synthetic) moveAny(w *script.Writer, r *script.Rand) {
	w.Reschedule(w.AnyPending(r), w.Now()+ticks(p.delay.Draw(r)))
}

// replace schedules a timer, and moves any other in some of the cases.
func (p *synthetic) replace(w *script.Writer, r *script.Rand, move Share) {
	p.schedule(w, r)
	if r.Float64() < float64(move) {
		p.moveAny(w, r)
	}
}

// Kind returns the kind of model.
func (*Hold) Kind() Kind { return Kind{Name: "hold"} }

// New returns the process.
func (m *Hold) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, delay: m.Delay.dist(tick), step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		at := w.Now() + 1
		if !m.Poll {
			at, _ = w.NextDeadline()
		}
		for range w.Advance(at) {
			p.schedule(w, r)
		}
	}}
}

// Kind returns the kind of model.
func (*CancelHold) Kind() Kind { return Kind{Name: "cancel-hold", Mixed: true} }

// Check makes sure that some timers fire.
func (m *CancelHold) Check() []ParameterError {
	if m.Cancel < 1 {
		return nil
	}
	return []ParameterError{{"cancel", fmt.Sprint(m.Cancel), "a share below 1, as time goes on only when timers fire"}}
}

// New returns the process.
func (m *CancelHold) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, delay: m.Delay.dist(tick), step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		at, _ := w.NextDeadline()
		for range w.Advance(at) {
			p.replace(w, r, m.Reschedule)
			for r.Float64() < float64(m.Cancel) {
				w.Cancel(w.AnyPending(r))
				p.replace(w, r, m.Reschedule)
			}
		}
	}}
}

// Kind returns the kind of model.
func (*StartStop) Kind() Kind { return Kind{Name: "start-stop"} }

// New returns the process.
func (m *StartStop) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, delay: m.Delay.dist(tick), step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		w.Cancel(p.schedule(w, r))
	}}
}

// defaultBurst is how many operations of a kind come together where a workload is
// free to choose: enough for one reading of the clock to weigh little.
const defaultBurst = 32

// burst bounds bursts, so that they leave a population of n as it is.
func burst(n int, most Count) int { return max(1, min(int(most), n/10)) }

// Kind returns the kind of model.
func (*Churn) Kind() Kind { return Kind{Name: "churn"} }

// New returns the process.
func (m *Churn) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, known: m.Known, delay: m.Delay.dist(tick), step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		for range burst(n, m.Burst) {
			w.Cancel(w.AnyPending(r))
		}
		for range burst(n, m.Burst) {
			p.schedule(w, r)
		}
	}}
}

// Kind returns the kind of model.
func (*Reschedule) Kind() Kind {
	return Kind{Name: "reschedule", Unit: script.PerReschedule}
}

// New returns the process.
func (m *Reschedule) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, known: m.Known, delay: m.Delay.dist(tick), step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		for range burst(n, m.Burst) {
			p.moveAny(w, r)
		}
	}}
}

// Kind returns the kind of model.
func (*FillDrain) Kind() Kind { return Kind{Name: "fill-drain", Cyclic: true} }

// New returns the process. A step is one whole cycle.
func (m *FillDrain) New(n int, tick time.Duration) script.Process {
	return &synthetic{n: n, delay: m.Delay.dist(tick), fresh: true, step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		for w.Pending() > 0 {
			at, _ := w.NextDeadline()
			w.Advance(at)
		}
		p.Fill(w, r)
	}}
}
