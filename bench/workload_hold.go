package bench

import "github.com/timerbench/timerbench/bench/internal/dist"

// hold is the hold model (Vaucher & Duval 1975; Jones 1986): a timer fires,
// another one is scheduled, and the population stays as it is. It is the classic
// measure of a priority queue: half inserts, half removals of the minimum.
type hold struct {
	n     int
	delay dist.Dist
}

func newHold(delay dist.Named) Workload {
	return Workload{
		Name:         "hold",
		Summary:      "a timer fires, the next is scheduled; the population stays",
		Source:       "hold model: Vaucher & Duval 1975, Jones 1986; mean delay of 30,000 ticks chosen",
		Distribution: delay.Name,
		Tick:         millisecond,
		New:          func(n int) Process { return &hold{n, delay.New(meanDelay)} },
	}
}

func (h *hold) Fill(w *Writer, r *Rand) { fillFromDelays(w, r, h.n, h.delay) }

func (h *hold) Step(w *Writer, r *Rand) {
	at, _ := w.NextDeadline()
	for range w.Advance(at) {
		w.Schedule(at + ticks(h.delay.Draw(r)))
	}
}
