package live

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// handovers is the maximum number of batches that one goroutine has started and the other has not stopped yet.
const handovers = 4

// batch holds timers that one goroutine starts and another one stops.
type batch struct {
	timers Timers
	at     time.Duration // when they were started
}

// handOver starts batches until a time, at least one, and stops all timers that the
// next goroutine starts. It returns the number of timers that it started.
func (p *population) handOver(g, goroutines int, until time.Duration) (n int, err error) {
	w, other := p.workers[g], p.workers[(g+1)%goroutines]
	end := sync.OnceFunc(func() { close(w.started) })
	defer end()
	for ; ; runtime.Gosched() {
		now := p.now()
		over := n >= p.maxOps || n > 0 && now >= until
		if over {
			end()
		} else {
			select {
			case timers := <-w.free:
				for i, delay := range w.stopped {
					timers.Start(i, delay)
				}
				n += len(w.stopped)
				w.started <- batch{timers, now}
			default: // all batches are pending
			}
		}
		select {
		case b, ok := <-other.started:
			switch {
			case ok:
				if err := p.stopAll(w, b.timers, b.at, w.stopped); err != nil {
					return n, fmt.Errorf("started by another goroutine: %w", err)
				}
				other.free <- b.timers
			case over:
				return n, nil
			}
		default:
		}
	}
}
