package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// drive replays blocks as fast as possible. The wake-ups are those of a ticking or a tickless driver, not those
// of the script. This is timed code without proof.
func (r *byID) drive(blocks []*script.Block, ticking bool) {
	var o outcome
	now := structures.Tick(0)
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for _, op := range ops[:batch.Len] {
					r.driveTo(now, op.At, ticking)
					now = op.At
				}
			} else {
				r.do(b.Batches[i:i+1], ops, &o)
			}
			ops = ops[batch.Len:]
		}
	}
}

// driveIdle is drive with a ticking driver that times each stretch of ticks on which nothing fires. A time includes a reading of
// the clock. It returns the number of the ticks too.
func (r *byID) driveIdle(blocks []*script.Block) (took []time.Duration, ticks int) {
	var o outcome
	now := structures.Tick(0)
	for _, b := range blocks {
		ops := b.Ops
		for i, batch := range b.Batches {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for _, op := range ops[:batch.Len] {
					if now+1 < op.At {
						start := time.Now()
						r.driveTo(now, op.At-1, true)
						took, ticks = append(took, time.Since(start)), ticks+int(op.At-1-now)
					}
					r.driveTo(op.At-1, op.At, true)
					now = op.At
				}
			} else {
				r.do(b.Batches[i:i+1], ops, &o)
			}
			ops = ops[batch.Len:]
		}
	}
	return took, ticks
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
