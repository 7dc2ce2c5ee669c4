package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/script"
)

// FillDrain schedules n timers, then moves the clock from deadline to deadline
// until all have fired, and begins again.
type FillDrain struct {
	Delay Delay `toml:"delay,inline" comment:"of each timer"`
}

func newFillDrain(delay Delay) Workload {
	return Workload{
		Name:     "fill-drain",
		Category: Synthetic,
		Summary:  "schedule n timers, advance until all have fired, begin again",
		Source:   "wahern/timeout's benchmark; delays chosen",
		Tick:     millisecond,
		Model:    &FillDrain{Delay: delay},
	}
}

// New returns the process.
func (f *FillDrain) New(n int, tick time.Duration) script.Process {
	return &fillDrain{n, f.Delay.dist(tick)}
}

type fillDrain struct {
	n     int
	delay dist.Dist
}

// Fill schedules the first n timers.
func (f *fillDrain) Fill(w *script.Writer, r *script.Rand) { f.schedule(w, r) }

// Step is one whole cycle: all timers fire, then the next n are scheduled.
func (f *fillDrain) Step(w *script.Writer, r *script.Rand) {
	for w.Pending() > 0 {
		at, _ := w.NextDeadline()
		w.Advance(at)
	}
	f.schedule(w, r)
}

func (f *fillDrain) schedule(w *script.Writer, r *script.Rand) {
	for range f.n {
		w.Schedule(w.Now() + ticks(f.delay.Draw(r)))
	}
}
