package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// stretches are the times of the stretches of ticks on which nothing fires, each with a reading of the clock, and the number of
// these ticks.
type stretches struct {
	took  []time.Duration
	ticks int
}

// drive replays blocks as fast as possible. The wake-ups are those of a ticking or a tickless driver, not those
// of the script. If idle is not nil, it times the stretches of idle ticks. This is timed code without proof.
func (r *byID) drive(blocks []*script.Block, ticking bool, idle *stretches) {
	var o outcome
	now := structures.Tick(0)
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind != script.KindFire && batch.Kind != script.KindWake {
				r.do(b.Batches[i:i+1], ops, &o)
				ops = ops[batch.Len:]
				continue
			}
			for _, op := range ops[:batch.Len] {
				if idle != nil && now+1 < op.At {
					start := time.Now()
					r.driveTo(now, op.At-1, ticking)
					idle.took, idle.ticks = append(idle.took, time.Since(start)), idle.ticks+int(op.At-1-now)
					now = op.At - 1
				}
				r.driveTo(now, op.At, ticking)
				now = op.At
			}
			ops = ops[batch.Len:]
		}
	}
}

// driveTo moves the clock of the structure from one tick to another. With both drivers the last Pop is at the
// second tick, because coarse structures round by their clock.
func (r *byID) driveTo(from, to structures.Tick, ticking bool) {
	if ticking {
		for now := from + 1; now <= to; now++ {
			popAll(r.Scheduler, now)
		}
		return
	}
	for at, ok := r.Next(); ok && at < to; at, ok = r.Next() {
		popAll(r.Scheduler, at)
	}
	popAll(r.Scheduler, to)
}

func popAll(s structures.Scheduler[uint64], now structures.Tick) {
	for _, ok := s.Pop(now); ok; _, ok = s.Pop(now) {
	}
}
