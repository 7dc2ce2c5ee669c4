package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// advance moves the cursor to the next tick with a due timer and returns true. If no timer is due up to the clock, it moves the
// cursor to the clock and returns false. No timer may be due at the cursor before.
func (w *Wheel) advance(rs *records.Set) bool {
	// Flushing half a buffer here is better than flushing a full one in Schedule.
	if w.buffersDue <= rs.Clock || w.arrived >= bufferLen/2 {
		w.flush(rs)
	}
	for {
		at, ok := w.firstOf(0)
		limit := min(at, rs.Clock)
		if w.cascadeAt <= limit {
			start, levels := w.firstAbove()
			w.cascadeAt = start
			if levels != 0 && start <= limit {
				w.cursor = start
				for ; levels != 0; levels &= levels - 1 {
					level := uint(bits.TrailingZeros(levels))
					w.moveTimers(rs, level, slotOf(level, start), math.MaxInt)
				}
				continue
			}
		}
		if ok && at <= rs.Clock {
			w.cursor, w.slotsDue = at, at
			w.work.SlotsVisited++
			w.prefetchFiring(rs)
			return true
		}
		break
	}
	w.cursor = rs.Clock
	if rs.Clock >= w.stepAt {
		w.emptyAhead(rs)
	}
	at, _ := w.firstOf(0)
	w.slotsDue = min(at, w.cascadeAt, w.stepAt)
	return false
}

// prefetchFiring prefetches the records of the chunk two after the firing chunk, and the chunk after that.
func (w *Wheel) prefetchFiring(rs *records.Set) {
	n, tick := w.firing().chunk(), w.cursor
	for range 2 {
		if n, tick = w.firesAfter(n, tick); n == 0 {
			return
		}
	}
	if next, _ := w.firesAfter(n, tick); next != 0 {
		w.chunks.prefetch(&w.ahead, next)
	}
	w.prefetchTimers(rs, n)
}

// firesAfter returns the chunk that fires after chunk n, and its tick. That is the next chunk of the same tick, or the first
// chunk of the next tick.
func (w *hierarchy) firesAfter(n uint32, tick structures.Tick) (uint32, structures.Tick) {
	if next := w.chunks.chunk.At(n).next; next != 0 {
		return next, tick
	}
	return w.levels[0].lists[slotOf(0, tick+1)].chunk(), tick + 1
}

// prefetchTimers prefetches the records of a chunk. A place without a timer also names an existing record.
func (w *Wheel) prefetchTimers(rs *records.Set, n uint32) {
	rs.Prefetch(&w.ahead, w.chunks.chunk.At(n).timers[:])
}

// moveTimers moves the timers of at most limit chunks of a slot to the levels below, and returns the number of chunks. All timers
// of the slot must fit the levels below.
//
// While the timers of one chunk move, the records of the next chunk and the chunk after that are being loaded.
func (w *Wheel) moveTimers(rs *records.Set, level uint, slot uint32, limit int) (moved int) {
	w.clearAll(rs)
	w.work.SlotsVisited++
	g := w.ring(level)
	for ; moved < limit && g.lists[slot] != 0; moved++ {
		n := g.lists[slot].chunk()
		c := *w.chunks.chunk.At(n) // a copy, because add may move the first page
		if c.next != 0 {
			w.chunks.prefetch(&w.ahead, w.chunks.chunk.At(c.next).next)
			w.prefetchTimers(rs, c.next)
		}
		mask := w.chunks.mask.At(n)
		rest := *mask
		*mask = 0
		w.work.Moved += uint64(bits.OnesCount16(rest))
		for ; rest != 0; rest &= rest - 1 {
			index := c.timers[bits.TrailingZeros16(rest)&records.TagMask]
			r := rs.At(index)
			r.Where = w.add(index, r.Deadline)
		}
		w.unlink(n)
		g.added[slot]--
	}
	return moved
}
