package workload

import (
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

func newHold(delay Delay) Workload {
	return Workload{
		Name:     "hold",
		Category: Synthetic,
		Summary:  "a timer fires, the next is scheduled; the population stays",
		Source:   "hold model: Vaucher & Duval 1975, Jones 1986; mean delay of 30,000 ticks chosen",
		Tick:     millisecond,
		Model:    &Hold{Delay: delay},
	}
}

// HoldWith returns the hold model with delays of a kind, 30 s on average.
func HoldWith(kind string) Workload { return newHold(delayOf(kind)) }

// New returns the process.
func (h *Hold) New(n int, tick time.Duration) script.Process {
	return &hold{n: n, delay: h.Delay.dist(tick), poll: h.Poll}
}

type hold struct {
	n     int
	delay dist.Dist
	poll  bool
}

func (h *hold) Fill(w *script.Writer, r *script.Rand) { fillFromDelays(w, r, h.n, h.delay) }

func (h *hold) Step(w *script.Writer, r *script.Rand) {
	at := w.Now() + 1
	if !h.poll {
		at, _ = w.NextDeadline()
	}
	for range w.Advance(at) {
		w.Schedule(at + ticks(h.delay.Draw(r)))
	}
}
