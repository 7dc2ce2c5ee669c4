package auto

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// While there are many timers, the lists may still hold some: those that are moving to the wheel.
// Each call moves a few of them, the next ones first, so that no call takes long. All that may be due
// are in the wheel before it looks for them.

// movesPerCall is how many timers move from the lists to the wheel in each call.
const movesPerCall = 16

// beginWheel begins to move the timers from the lists to the wheel, which is empty. Those of the
// front move at once.
func (t *Timers[T]) beginWheel() {
	t.ring(0)
	if t.buffers == nil {
		t.buffers = new(buffers[T])
	}
	p := &t.lists
	t.cursor = t.clock
	if t.nextWork <= t.clock {
		t.cursor = p.base
	}
	for _, e := range p.front.entries {
		if r := t.records.At(e.index); stands(e, r) && r.where == nowhere { // otherwise there is another entry for it
			r.where = t.add(e.index, e.deadline)
		}
	}
	p.front.entries, p.front.limit = p.front.entries[:0], p.base
	t.nextWork = min(t.nextWork, t.aheadAt)
	t.changing = true
	for position := range uint32(bufferLen) {
		t.prepare(position)
	}
}

// change moves some timers from the lists to the wheel.
func (t *Timers[T]) change() {
	p := &t.lists
	for range movesPerCall {
		if p.levels == 0 {
			t.changing, t.many = false, true
			break
		}
		t.moveFromList()
	}
	t.nextWork = min(t.nextWork, t.aheadAt)
}

// moveFromList moves a timer from the first list to the wheel.
func (t *Timers[T]) moveFromList() {
	if index, r, ok := t.lists.take(&t.records); ok {
		r.where = t.add(index, r.deadline)
	}
}

// moveNow is Reschedule for a timer that is in a list while others are in the wheel.
func (t *Timers[T]) moveNow(index uint32, r *record[T], deadline structures.Tick) bool {
	if r.generation&1 == 0 {
		return false
	}
	r.deadline = max(deadline, t.afterClock())
	t.lists.unlink(r)
	r.where = t.add(index, r.deadline)
	t.nextWork = min(t.nextWork, r.deadline, t.aheadAt)
	return true
}

// moveDue moves all timers that may be due from the lists to the wheel.
func (t *Timers[T]) moveDue() {
	p := &t.lists
	for p.levels != 0 && p.startOf(p.next()) <= t.clock {
		t.moveFromList()
	}
	t.change()
}

// endWheel moves all timers from the wheel to the lists. It costs O(timers).
func (t *Timers[T]) endWheel() {
	t.clearDepartures()
	t.settle()
	for _, id := range t.buffers.ids {
		index := uint32(id)
		r := t.records.At(index)
		r.generation++
		r.where = nowhere
		t.records.release(index, r)
	}
	p := &t.lists
	if !t.changing {
		p.base, p.front.limit = t.cursor, t.cursor
	}
	t.changing, t.many = false, false
	for _, g := range t.levels {
		if g == nil {
			continue
		}
		for !g.empty() {
			slot := g.next(0)
			n := g.lists[slot].chunk()
			t.prefetchTimers(n)
			mask := t.chunks.mask.At(n)
			for rest := *mask; rest != 0; rest &= rest - 1 {
				index := t.chunks.chunk.At(n).timers[bits.TrailingZeros16(rest)&placeMask]
				r := t.records.At(index)
				r.where = nowhere
				p.link(index, r)
			}
			*mask = 0
			t.unlink(n)
		}
	}
	t.nextAbove, t.aheadAt = math.MaxInt64, math.MaxInt64
}
