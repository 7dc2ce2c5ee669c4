package bench

import "github.com/timerbench/timerbench/bench/internal/dist"

// fillDrain schedules n timers, then moves the clock from deadline to deadline
// until all have fired, and begins again.
type fillDrain struct {
	n     int
	delay dist.Dist
}

func newFillDrain(delay dist.Named) Workload {
	return Workload{
		Name:         "fill-drain",
		Summary:      "schedule n timers, advance until all have fired, begin again",
		Source:       "wahern/timeout's benchmark; delays chosen",
		Distribution: delay.Name,
		Tick:         millisecond,
		cyclic:       true,
		New:          func(n int) Process { return &fillDrain{n, delay.New(meanDelay)} },
	}
}

// Fill goes through one cycle, so that the memory is there; it ends full.
func (f *fillDrain) Fill(w *Writer, r *Rand) { f.schedule(w, r) }

// Step is one whole cycle: the drain of what the one before has scheduled, then
// the next fill.
func (f *fillDrain) Step(w *Writer, r *Rand) {
	for w.Pending() > 0 {
		at, _ := w.NextDeadline()
		w.Advance(at)
	}
	f.schedule(w, r)
}

func (f *fillDrain) schedule(w *Writer, r *Rand) {
	for range f.n {
		w.Schedule(w.Now() + ticks(f.delay.Draw(r)))
	}
}
