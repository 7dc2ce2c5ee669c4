package bench

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// timedPasses is how often a script of the idle analysis is timed. Interrupts only make
// a pass longer, so the shortest pass counts.
const timedPasses = 3

// shortestPass returns the time in nanoseconds that a structure takes for all blocks
// under a driver: the shortest of timedPasses passes, which do not count wake-ups.
func (c idleCase) shortestPass(e catalog.Entry, d results.Driver, blocks []*script.Block) float64 {
	shortest := c.timePass(e, d, blocks)
	for range timedPasses - 1 {
		shortest = min(shortest, c.timePass(e, d, blocks))
	}
	return float64(shortest)
}

func (c idleCase) timePass(e catalog.Entry, d results.Driver, blocks []*script.Block) time.Duration {
	r := &replayer{s: e.New()}
	r.reserve(blocks[len(blocks)-1])
	now := structures.Tick(0)
	start := time.Now()
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for _, op := range ops[:batch.Len] {
					advanceClock(r.s, d, now, op.At)
					now = op.At
				}
			} else {
				r.do(b.Batches[i:i+1], ops)
			}
			ops = ops[batch.Len:]
		}
	}
	return time.Since(start)
}

// advanceClock moves the clock of a structure from one tick to another. Under either
// driver the last Pop is at the second tick, because coarse structures round by their
// clock.
func advanceClock(s structures.Scheduler[uint64], d results.Driver, from, to structures.Tick) {
	if d == results.Tickless {
		for at, ok := s.Next(); ok && at < to; at, ok = s.Next() {
			popAll(s, at)
		}
		popAll(s, to)
		return
	}
	for now := from + 1; now <= to; now++ {
		popAll(s, now)
	}
}

func popAll(s structures.Scheduler[uint64], now structures.Tick) {
	for _, ok := s.Pop(now); ok; _, ok = s.Pop(now) {
	}
}
