package auto

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// advance moves the cursor to the next tick at which a timer is due, and reports whether
// there is one up to the clock. If there is none, it moves the cursor to the clock. No
// timer may be due at the cursor.
func (t *Timers[T]) advance() bool {
	// Half of the buffer is enough here, rather than all of it in a Schedule.
	if t.soonest <= t.clock || t.buffers.arrived >= bufferLen/2 {
		t.settleAll()
	}
	for {
		at, ok := t.firstOf(0)
		limit := min(at, t.clock)
		if t.nextAbove <= limit {
			start, levels := t.firstAbove()
			t.nextAbove = start
			if levels != 0 && start <= limit {
				t.cursor = start
				for ; levels != 0; levels &= levels - 1 {
					level := uint(bits.TrailingZeros(levels))
					t.moveTimers(level, slotOf(level, start), math.MaxInt)
				}
				continue
			}
		}
		if ok && at <= t.clock {
			t.cursor, t.nextWork = at, at
			t.work.SlotsVisited++
			t.prefetchFiring()
			return true
		}
		break
	}
	t.cursor = t.clock
	if t.clock >= t.aheadAt {
		t.workAhead()
	}
	at, _ := t.firstOf(0)
	t.nextWork = min(at, t.nextAbove, t.aheadAt)
	if t.mode == changing {
		t.nextWork = min(t.nextWork, t.lists.quiet())
	}
	return false
}

// prefetchFiring prefetches the records of the chunk that fires second after the first one,
// and the chunk after that.
func (t *Timers[T]) prefetchFiring() {
	n, tick := t.firing().chunk(), t.cursor
	for range 2 {
		if n, tick = t.firesAfter(n, tick); n == 0 {
			return
		}
	}
	if next, _ := t.firesAfter(n, tick); next != 0 {
		t.chunks.prefetch(&t.buffers.ahead, next)
	}
	t.prefetchTimers(n)
}

// firesAfter returns the chunk that fires after a chunk of a tick, and its tick: the next one
// of this tick, or the first one of the next tick.
func (w *wheel) firesAfter(n uint32, tick structures.Tick) (uint32, structures.Tick) {
	if next := w.chunks.chunk.At(n).next; next != 0 {
		return next, tick
	}
	return w.levels[0].lists[slotOf(0, tick+1)].chunk(), tick + 1
}

// prefetchTimers prefetches the records of the timers in a chunk. A place without a timer
// names a record that exists, too.
func (t *Timers[T]) prefetchTimers(n uint32) {
	t.records.prefetch(&t.buffers.ahead, t.chunks.chunk.At(n).timers[:])
}

// moveTimers moves the timers of up to limit chunks of a slot to the levels below, and
// returns the number of chunks. All timers of the slot must fit the levels below.
//
// While the timers of one chunk move, the records of the next one are on their way, and
// so is the chunk after that.
func (t *Timers[T]) moveTimers(level uint, slot uint32, limit int) (moved int) {
	t.clearAll()
	t.work.SlotsVisited++
	g := t.ring(level)
	for ; moved < limit && g.lists[slot] != 0; moved++ {
		n := g.lists[slot].chunk()
		c := *t.chunks.chunk.At(n) // a copy, as the first page may move when a timer is added
		if c.next != 0 {
			t.chunks.prefetch(&t.buffers.ahead, t.chunks.chunk.At(c.next).next)
			t.prefetchTimers(c.next)
		}
		mask := t.chunks.mask.At(n)
		rest := *mask
		*mask = 0
		t.work.Moved += uint64(bits.OnesCount16(rest))
		for ; rest != 0; rest &= rest - 1 {
			index := c.timers[bits.TrailingZeros16(rest)&placeMask]
			r := t.records.At(index)
			r.where = t.add(index, r.deadline)
		}
		t.unlink(n)
		g.pushed[slot]--
	}
	return moved
}
