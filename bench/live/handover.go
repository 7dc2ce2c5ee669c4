package live

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// handovers is the maximum number of batches that one goroutine has started and the other has not stopped yet.
const handovers = 4

// handover holds timers that one goroutine starts and another one stops.
type handover struct {
	batches [handovers]Timers
	started atomic.Int64 // batches started; written by the starting goroutine
	stopped atomic.Int64 // batches stopped; written by the stopping goroutine
	over    atomic.Bool  // no further batch will be started
}

// start starts a batch and returns its number of timers, or 0 if all batches are pending.
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

// stop stops a batch of the given number of timers. It reports whether a batch was pending.
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

// handOver starts batches for length after start, at least one, and stops all timers that the
// next goroutine starts. It returns the number of timers that it started.
func (p *population) handOver(g, goroutines int, start time.Time, length time.Duration) (int, error) {
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
