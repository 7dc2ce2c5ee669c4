package bench

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// costPasses is how often a script of the idle analysis is timed. A pass is short, and
// what interrupts it makes it longer, so the shortest counts.
const costPasses = 3

// cost returns the time in nanoseconds that a structure takes for all blocks under a
// driver, in passes that count nothing.
func (c idleCase) cost(e catalog.Entry, d results.Driver, blocks []*script.Block) float64 {
	shortest := c.pass(e, d, blocks)
	for range costPasses - 1 {
		shortest = min(shortest, c.pass(e, d, blocks))
	}
	return float64(shortest)
}

func (c idleCase) pass(e catalog.Entry, d results.Driver, blocks []*script.Block) time.Duration {
	r := &replayer{s: e.New()}
	r.reserve(blocks[len(blocks)-1])
	now := structures.Tick(0)
	start := time.Now()
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for _, op := range ops[:batch.Len] {
					drive(r.s, d, now, op.At)
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

// drive moves the clock of a structure from one tick to another. The last Pop is at
// that tick under either driver, as coarse structures round by their clock.
func drive(s structures.Scheduler[uint64], d results.Driver, from, to structures.Tick) {
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
