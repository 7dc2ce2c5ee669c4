package workload

import (
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
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

// StartStop schedules a timer and cancels it, again and again, among n resident timers that are scheduled
// [residentDelays] median delays ahead. One median delay passes per n operations.
type StartStop struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer that is cancelled"`
}

// residentDelays is how far ahead the residents of StartStop are scheduled, in median delays of the timers that are
// cancelled (chosen): an hour for a minute.
const residentDelays = 60

// Churn cancels a random timer and schedules another one, in bursts of each. One median delay passes per [livesPerDelay] n
// timers that are cancelled, and each timer that fires is replaced.
type Churn struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
	Burst Count `toml:"burst" comment:"operations of a kind that come together, but at most a tenth of the population"`
	Known bool  `toml:"known,omitempty" comment:"the program knows the timers of a burst before it cancels the first"`
}

// Reschedule moves random timers to a new deadline, later or earlier. One median delay passes per [livesPerDelay] n moves,
// and each timer that fires is replaced.
type Reschedule struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer, from now, when it is moved"`
	Burst Count `toml:"burst" comment:"moves that come together, but at most a tenth of the population"`
	Known bool  `toml:"known,omitempty" comment:"the program knows the timers of a burst before it moves the first"`
}

// livesPerDelay is how often a timer of Churn or Reschedule is cancelled or moved in a median delay (chosen). With the
// delays of the list 3 % of the timers fire.
const livesPerDelay = 4

// FillDrain schedules n timers, then moves the clock from deadline to deadline
// until all have fired, and begins again.
type FillDrain struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
}

// synthetic is the process of these models: n timers, all with the same delays.
type synthetic struct {
	n     int
	delay script.Dist
	step  func(p *synthetic, w *script.Writer, r *script.Rand)
	known bool // the program knows which timers it cancels and moves next
	fresh bool // Fill schedules whole delays, not the rest of delays as in the steady state

	resident script.Dist // delays of the timers that stay until they fire

	// In bursts one median delay passes per that number of operations.
	median     structures.Tick
	operations int64
	owed       int64 // ticks that are still to pass, times operations
}

// newBursts returns a process of bursts of operations among n timers. do makes the calls of a burst, of at most most
// operations and a tenth of the population, which so stays as it is. One median delay passes per perDelay operations.
func newBursts(n int, d *Delay, tick time.Duration, most Count, perDelay int, do func(p *synthetic, w *script.Writer, r *script.Rand, burst int)) *synthetic {
	delay, burst := d.dist(tick), max(1, min(int(most), n/10))
	return &synthetic{
		n: n, delay: delay, resident: delay, median: medianOf(delay), operations: int64(perDelay),
		step: func(p *synthetic, w *script.Writer, r *script.Rand) {
			do(p, w, r, burst)
			p.passTime(w, r, burst)
		},
	}
}

// medianOf estimates the median of a distribution. The estimate is deterministic and good to about a percent.
func medianOf(d script.Dist) structures.Tick {
	const draws = 10_001
	r, drawn := script.NewRand(1, 1), make([]float64, draws)
	for i := range drawn {
		drawn[i] = d.Draw(r)
	}
	slices.Sort(drawn)
	return ticks(drawn[draws/2])
}

// passTime moves the clock by the time of some operations. It wakes where a timer is due and at the end, as an event loop
// does after a batch, and replaces the timers that fire.
func (p *synthetic) passTime(w *script.Writer, r *script.Rand, operations int) {
	p.owed += int64(operations) * int64(p.median)
	to := w.Now() + structures.Tick(p.owed/p.operations)
	p.owed %= p.operations
	for w.Now() < to {
		at, ok := w.NextDeadline()
		if !ok || at > to {
			at = to
		}
		for range w.Advance(at) {
			w.Schedule(at + ticks(p.resident.Draw(r)))
		}
	}
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
			w.Schedule(w.Now() + ticks(script.Residual(p.resident, r)))
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

// New returns the process.
func (m *Hold) New(n int, tick time.Duration) script.Process {
	delay := m.Delay.dist(tick)
	return &synthetic{n: n, delay: delay, resident: delay, step: func(p *synthetic, w *script.Writer, r *script.Rand) {
		at := w.Now() + 1
		if !m.Poll {
			at, _ = w.NextDeadline()
		}
		for range w.Advance(at) {
			p.schedule(w, r)
		}
	}}
}

// Check makes sure that some timers fire.
func (m *CancelHold) Check() []ParameterError {
	if m.Cancel < 1 {
		return nil
	}
	return []ParameterError{{"cancel", fmt.Sprint(m.Cancel), "a share below 1, as time goes on only when timers fire"}}
}

// New returns the process.
func (m *CancelHold) New(n int, tick time.Duration) script.Process {
	delay := m.Delay.dist(tick)
	return &synthetic{n: n, delay: delay, resident: delay, step: func(p *synthetic, w *script.Writer, r *script.Rand) {
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

// New returns the process.
func (m *StartStop) New(n int, tick time.Duration) script.Process {
	p := newBursts(n, &m.Delay, tick, defaultBurst, n, func(p *synthetic, w *script.Writer, r *script.Rand, burst int) {
		for range burst {
			w.Cancel(p.schedule(w, r))
		}
	})
	p.resident = script.Constant(float64(residentDelays * p.median))
	return p
}

// defaultBurst is how many operations of a kind come together where a workload is
// free to choose: enough for one reading of the clock to weigh little.
const defaultBurst = 32

// New returns the process.
func (m *Churn) New(n int, tick time.Duration) script.Process {
	p := newBursts(n, &m.Delay, tick, m.Burst, livesPerDelay*n, func(p *synthetic, w *script.Writer, r *script.Rand, burst int) {
		for range burst {
			w.Cancel(w.AnyPending(r))
		}
		for range burst {
			p.schedule(w, r)
		}
	})
	p.known = m.Known
	return p
}

// New returns the process.
func (m *Reschedule) New(n int, tick time.Duration) script.Process {
	p := newBursts(n, &m.Delay, tick, m.Burst, livesPerDelay*n, func(p *synthetic, w *script.Writer, r *script.Rand, burst int) {
		for range burst {
			p.moveAny(w, r)
		}
	})
	p.known = m.Known
	return p
}

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
