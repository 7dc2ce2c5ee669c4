package hwheel

import (
	"iter"
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

// ChunksPerTick is the rate at which slots are emptied ahead of their start: up to 900 timers a tick, which takes 10 to 20 us
// among ten million timers. A slot that is too full for this rate is emptied faster. A slot with fewer chunks than one tick moves
// cascades when it starts.
const ChunksPerTick = 64

// windowSlots is the number of slots after the cursor's that can be emptied in a level. Their timers fit the level below, and no
// timer is added to them.
const windowSlots = ringLen/256 - 1

// windowStart returns the first tick at which the slot that starts at start can be emptied. It is after the cursor whenever a
// timer is added to the slot.
func windowStart(level uint, start structures.Tick) structures.Tick {
	return start - windowSlots<<widthBits(level)
}

// window returns the numbers of the occupied slots of a level that can be emptied now. It lowers stepAt to the tick at which the
// next slot can be emptied.
func (w *hierarchy) window(level uint) iter.Seq[uint64] {
	return func(yield func(number uint64) bool) {
		g, here := w.levels[level], uint64(w.cursor)>>widthBits(level)
		for number := here; !g.empty(); {
			number = g.next(number + 1)
			if number > here+ringLen {
				return // a revolution ahead: this slot was seen before
			}
			if opens := windowStart(level, structures.Tick(number<<widthBits(level))); opens > w.cursor {
				w.stepAt = min(w.stepAt, opens)
				return
			}
			if !yield(number) {
				return
			}
		}
	}
}

// emptyAhead empties slots above level 0 before they start, a part at each tick. So no call moves many timers while the clock
// goes tick by tick. It starts as late as ChunksPerTick allows, because timers that move early are spread over more slots.
func (w *Wheel) emptyAhead(rs *records.Set) {
	passed := rs.Clock - w.stepAt + 1
	w.stepAt = math.MaxInt64
	for level := uint(1); level < Levels; level++ {
		if g := w.levels[level]; g != nil && !g.empty() {
			w.moveAhead(rs, level, w.planAhead(level, passed))
		}
	}
}

// planAhead returns the number of chunks of a level to move now, after the passed ticks, so that each slot is empty when it
// starts. It lowers stepAt to the tick of the next move.
func (w *hierarchy) planAhead(level uint, passed structures.Tick) (due int) {
	g, sum := w.levels[level], 0
	for number := range w.window(level) {
		start := structures.Tick(number << widthBits(level))
		sum += int(g.added[uint32(number)&ringMask])
		left := start - w.cursor
		if begin := left - structures.Tick(sum/ChunksPerTick); begin > 0 {
			w.stepAt = min(w.stepAt, w.cursor+begin)
		} else {
			share := float64(passed) / (float64(left) + float64(passed) - 1)
			due = max(due, int(math.Ceil(float64(sum)*share)))
		}
	}
	if due > 0 {
		w.stepAt = w.cursor + 1
	}
	return due
}

// moveAhead moves the timers of n chunks of a level, earliest slots first.
func (w *Wheel) moveAhead(rs *records.Set, level uint, n int) {
	for number := range w.window(level) {
		if n <= 0 {
			return
		}
		n -= w.moveTimers(rs, level, uint32(number)&ringMask, n)
	}
}
