package live

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// handovers is how many batches a goroutine has started before it waits for another one to
// stop the first of them.
const handovers = 4

// handover is timers that one goroutine starts and another one stops.
type handover struct {
	batches [handovers]Timers
	started atomic.Int64 // batches; changed by who starts them
	stopped atomic.Int64 // of these; changed by who stops them
	over    atomic.Bool  // no more will be started
}

// start starts a batch and returns how many timers that are, none if all are pending.
func (h *handover) start(delays []time.Duration) int {
	n := h.started.Load()
	if n-h.stopped.Load() == handovers {
		return 0
	}
	for i, delay := range delays {
		h.batches[n%handovers].Start(i, delay)
	}
	h.started.Store(n + 1)
	return len(delays)
}

// stop stops a batch of so many timers. It reports whether there was one.
func (h *handover) stop(timers int) (bool, error) {
	n := h.stopped.Load()
	if n == h.started.Load() {
		return false, nil
	}
	for i := range timers {
		if !h.batches[n%handovers].Stop(i) {
			return false, fmt.Errorf("a timer that another goroutine had started was not pending")
		}
	}
	h.stopped.Store(n + 1)
	return true, nil
}

// handOver starts timers until so long after the start, and at least a batch, and stops those
// of the next goroutine, all of them. It returns how many it has started.
func (p *population) handOver(g, goroutines int, start time.Time,
	length time.Duration) (int, error) {
	w, other := p.workers[g], &p.workers[(g+1)%goroutines].handover
	defer w.handover.over.Store(true)
	for n := 0; ; runtime.Gosched() {
		if !w.handover.over.Load() {
			n += w.handover.start(w.timeouts)
			w.handover.over.Store(n >= p.maxOps || time.Since(start) >= length)
		}
		last := other.over.Load()
		some, err := other.stop(len(w.timeouts))
		if err != nil || last && !some && w.handover.over.Load() {
			return n, err
		}
	}
}
