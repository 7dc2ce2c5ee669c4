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
	at      [handovers]time.Duration // when a batch was started
	started atomic.Int64             // batches started; written by the starting goroutine
	stopped atomic.Int64             // batches stopped; written by the stopping goroutine
	over    atomic.Bool              // no further batch will be started
}

// start starts a batch and returns its number of timers, or 0 if all batches are pending.
func (h *handover) start(now time.Duration, delays []time.Duration) int {
	n := h.started.Load()
	if n-h.stopped.Load() == handovers {
		return 0
	}
	h.at[n%handovers] = now
	for i, delay := range delays {
		h.batches[n%handovers].Start(i, delay)
	}
	h.started.Store(n + 1)
	return len(delays)
}

// stop stops a batch. It reports whether a batch was pending.
func (h *handover) stop(stop func(timers Timers, at time.Duration) error) (bool, error) {
	n := h.stopped.Load()
	if n == h.started.Load() {
		return false, nil
	}
	if err := stop(h.batches[n%handovers], h.at[n%handovers]); err != nil {
		return false, fmt.Errorf("started by another goroutine: %w", err)
	}
	h.stopped.Store(n + 1)
	return true, nil
}

// handOver starts batches until a time, at least one, and stops all timers that the
// next goroutine starts. It returns the number of timers that it started.
func (p *population) handOver(g, goroutines int, until time.Duration) (int, error) {
	w, other := p.workers[g], &p.workers[(g+1)%goroutines].handover
	defer w.handover.over.Store(true)
	stop := func(timers Timers, at time.Duration) error { return p.stopAll(w, timers, at, w.stopped.equal) }
	for n := 0; ; runtime.Gosched() {
		if !w.handover.over.Load() {
			now := p.now()
			n += w.handover.start(now, w.stopped.equal)
			w.handover.over.Store(n >= p.maxOps || now >= until)
		}
		last := other.over.Load()
		some, err := other.stop(stop)
		if err != nil || last && !some && w.handover.over.Load() {
			return n, err
		}
	}
}
