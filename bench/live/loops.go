package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

const (
	loopBatch = 1024 // calls of a loop between two readings of the clock, and timers of its burst
	loopDelay = time.Minute
	loopSlice = 50 * time.Millisecond // the longest one: in short slices a contender puts off work and does not pay for it
	loopTurns = 4                     // in a round
)

// loops reports whether the loops are measured: with Go's own timers and drivers with the default tick.
func (e *member) loops() bool {
	return e.Role == results.RoleBaseline || e.Structure != "" && e.Name == results.OnDriver(e.Structure)
}

// loops is what a worker needs for the loops of users.
type loops struct {
	picks []uint32 // random, of timers
	next  int      // index into picks
	burst burst
}

func (l *loops) init(p *population, r *rand.Rand) {
	if p.system.WithTimeout == nil {
		return
	}
	l.picks = make([]uint32, 1<<16)
	for i := range l.picks {
		l.picks[i] = r.Uint32()
	}
	l.burst.init(p.system, results.FormAfterFunc, loopBatch, p.Early, r)
	for i := range l.burst.delays {
		l.burst.delays[i] = int64(time.Millisecond)
	}
}

// startStopOne starts and stops one timer again and again.
func startStopOne(op results.Op, timers Timers) func() (int, error) {
	return func() (int, error) {
		for range loopBatch {
			if timers.Start(0, loopDelay); !timers.Stop(0) {
				return 0, fmt.Errorf("%s: a timer of %v was not pending", op, loopDelay)
			}
		}
		return loopBatch, nil
	}
}

// contexts is a context as Timers: Stop cancels it.
type contexts struct {
	with   func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	ctx    context.Context
	cancel context.CancelFunc
}

func (c *contexts) Start(_ int, delay time.Duration) {
	c.ctx, c.cancel = c.with(context.Background(), delay)
}

func (c *contexts) Stop(int) bool {
	c.cancel()
	return c.ctx.Err() == context.Canceled
}

// loop returns a function that runs a part of a loop on goroutine g, or nil for another operation. All goroutines share
// the resident timers of all workers: each of them has a block of those that a worker has started.
func (p *population) loop(op results.Op, w *worker, g, goroutines int) func() (int, error) {
	l, block := &w.loops, p.each/goroutines
	random := func(of func(Mover, int, time.Duration) bool) func() (int, error) {
		return func() (int, error) {
			timers := p.workers[l.next/loopBatch%len(p.workers)].resident.(Mover)
			for i, pick := range l.picks[l.next:][:loopBatch] {
				if !of(timers, g*block+int(uint64(pick)*uint64(block)>>32), w.far[(l.next/4+i)%numbers]) {
					return 0, fmt.Errorf("%s: a timer of minutes was not pending", op)
				}
			}
			l.next = (l.next + loopBatch) % len(l.picks)
			return loopBatch, nil
		}
	}
	switch op {
	case results.LoopAfterFunc:
		return startStopOne(op, w.scratch[results.FormAfterFunc])
	case results.LoopNewTimer:
		return startStopOne(op, w.scratch[results.FormChannel])
	case results.LoopContext:
		return startStopOne(op, &contexts{with: p.system.WithTimeout})
	case results.LoopLater:
		return random(func(t Mover, i int, _ time.Duration) bool { return t.Reset(i, residentMin+residentSpan) })
	case results.LoopRandom:
		return random(Mover.Reset)
	case results.LoopReplace:
		return random(func(t Mover, i int, delay time.Duration) bool {
			ok := t.Stop(i)
			t.Start(i, delay)
			return ok
		})
	case results.LoopBurst:
		return func() (int, error) {
			_, err := l.burst.fire()
			return 1, err
		}
	}
	return nil
}
