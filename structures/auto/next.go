package auto

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// Next returns the tick at which Pop next fires a timer or cascades a slot with many timers, or
// one from which timers were moved to later. No timer is due before it. It is after the clock,
// unless a timer is due now. ok is false if no timer is pending. Next costs O(1), or the cost
// of a Pop that cascades slots, which the next Pop then saves.
func (t *Timers[T]) Next() (at structures.Tick, ok bool) {
	if t.Len() == 0 {
		return 0, false
	}
	if t.mode != many {
		if t.mode == few {
			return t.lists.nextDeadline(&t.records, t.clock), true
		}
		t.moveDue()
	}
	t.clearAll()
	t.settleAll()
	if t.firing() != 0 || t.advance() {
		return t.cursor, true
	}
	at, _ = t.firstOf(0)
	for level := uint(1); level < levelCount; level++ {
		if start, ok := t.firstOf(level); ok && start < at {
			at = min(at, t.earliestIn(level, start))
		}
	}
	return at, true
}

// earliestIn returns a tick before which no timer of a slot is due, nor any other one of
// its level: the first deadline in the slot, or its start if the slot has more than a
// chunk.
func (t *Timers[T]) earliestIn(level uint, start structures.Tick) structures.Tick {
	n := t.levels[level].lists[slotOf(level, start)].chunk()
	c := t.chunks.chunk.At(n)
	if c.next != 0 {
		return start
	}
	at := start | (1<<widthBits(level) - 1)
	for rest := *t.chunks.mask.At(n); rest != 0; rest &= rest - 1 {
		at = min(at, t.records.At(c.timers[bits.TrailingZeros16(rest)&placeMask]).deadline)
	}
	return at
}
