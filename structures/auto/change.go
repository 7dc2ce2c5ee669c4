package auto

import (
	"math"
	"math/bits"
)

// mode is where the timers are.
type mode uint8

const (
	few      mode = iota // in lists
	changing             // in lists and in the wheel: those of the lists move to the wheel
	many                 // in the wheel
)

// movesPerCall is how many timers move from the lists to the wheel in a call, the next ones
// first. So no call takes long. Those that may be due move before the wheel looks for them.
const movesPerCall = 16

// beginWheel begins to move the timers from the lists to the wheel, which is empty.
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
	p.relist(&t.records)
	t.nextWork = min(t.nextWork, t.aheadAt)
	t.mode = changing
	for position := range uint32(bufferLen) {
		t.prepare(position)
	}
}

// change moves some timers from the lists to the wheel.
func (t *Timers[T]) change() {
	p := &t.lists
	for range movesPerCall {
		if p.levels == 0 {
			t.mode = many
			break
		}
		t.moveFromList()
	}
}

// moveFromList moves the first timer of the first list to the wheel.
func (t *Timers[T]) moveFromList() {
	index, r := t.lists.head(&t.records)
	if r.generation&1 == 1 {
		t.moveToWheel(index, r)
	} else {
		t.lists.unlink(r)
	}
}

// moveToWheel moves a timer from its list to the wheel.
func (t *Timers[T]) moveToWheel(index uint32, r *record[T]) {
	t.lists.unlink(r)
	r.where = t.add(index, r.deadline)
	t.lists.work.Moved++
	t.nextWork = min(t.nextWork, t.aheadAt)
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
	t.clearAll()
	t.settleAll()
	for _, id := range t.buffers.ids {
		index := uint32(id)
		r := t.records.At(index)
		r.generation++
		r.where = nowhere
		t.records.release(index, r)
	}
	p := &t.lists
	if t.mode == many {
		p.base, p.front.limit = t.cursor, t.cursor
	}
	t.mode = few
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
