package bench

import (
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/structures"
)

// idleName is the workload that the idle analysis goes with.
const idleName = "idle"

// idleSpan is how far the deadlines of the idle workload lie ahead at most: an
// hour at a tick of 1 ms.
const idleSpan structures.Tick = 3_600_000

// idle pops at every tick although hardly anything is ever due: few timers over
// a long time. A timer that fires is scheduled again.
type idle struct {
	n     int
	delay dist.Dist
}

func newIdle() Workload {
	return Workload{
		Name:         idleName,
		Summary:      "1000 timers within the hour, popped at every millisecond: almost nothing is due",
		Source:       "chosen",
		Distribution: "uniform",
		Tick:         millisecond,
		Resident:     1000,
		Unit:         PerTick,
		New:          func(n int) Process { return &idle{n, dist.Uniform{Low: 0, High: float64(idleSpan)}} },
	}
}

func (i *idle) Fill(w *Writer, r *Rand) { fillFromDelays(w, r, i.n, i.delay) }

func (i *idle) Step(w *Writer, r *Rand) {
	for range w.Advance(w.Now() + 1) {
		w.Schedule(w.Now() + ticks(i.delay.Draw(r)))
	}
}
