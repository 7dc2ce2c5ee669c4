package auto

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// While the timers are few, they are in pools. When there are more than fewLimit, all
// move to the wheel. When fewer than a part of it are left, they move back.
const (
	fewLimit = 12_000
	fewAgain = 8
)

// scheduleFew is Schedule while the timers are in pools. The deadline is after the clock.
func (t *Timers[T]) scheduleFew(deadline structures.Tick, value T) structures.ID {
	rs := &t.records
	var index uint32
	if rs.freeCount > 0 { // as take, which is not inlined
		rs.freeCount--
		index = *rs.free.At(rs.freeCount)
	} else {
		index = rs.Take()
	}
	r := rs.At(index)
	r.deadline, r.value = deadline, value
	r.generation++
	t.settled++
	id := idOf(index, r.generation)
	if !t.pools.settled(r.where, deadline) {
		t.pools.place(&t.records, index, t.settled)
	}
	return id
}

// rescheduleFew is Reschedule while the timers are in pools, for a record with the
// generation of the ID.
func (t *Timers[T]) rescheduleFew(index uint32, r *record[T], deadline structures.Tick) bool {
	if r.generation&1 == 0 {
		return false
	}
	if deadline <= t.clock {
		deadline = t.afterClock()
	}
	if deadline < t.nextWork {
		t.nextWork = deadline
	}
	if deadline != r.deadline {
		r.deadline = deadline
		if !t.pools.settled(r.where, deadline) {
			t.pools.place(&t.records, index, t.settled)
		}
	}
	return true
}

// cancelFew is Cancel while the timers are in pools, for a record with the generation of
// the ID.
func (t *Timers[T]) cancelFew(index uint32, r *record[T]) bool {
	if r.generation&1 == 0 {
		return false
	}
	var none T
	r.value = none
	r.generation++
	t.settled--
	if t.records.full() {
		t.records.makeRoom(1)
	}
	t.records.push(index, r)
	return true
}

// popFew is Pop while the timers are in pools.
func (t *Timers[T]) popFew() (due structures.Timer[T], ok bool) {
	e, ok := t.pools.first(&t.records, t.clock, t.settled)
	if !ok {
		t.nextWork = t.pools.quiet(t.settled)
		return due, false
	}
	t.pools.front = t.pools.front[:len(t.pools.front)-1]
	r := t.records.At(e.index)
	due = structures.Timer[T]{ID: idOf(e.index, e.generation), Deadline: e.deadline, Value: r.value}
	return due, t.cancelFew(e.index, r)
}

// nextFew returns the earliest deadline while the timers are in pools. There must be one.
func (t *Timers[T]) nextFew() structures.Tick {
	e, _ := t.pools.first(&t.records, math.MaxInt64, t.settled)
	return e.deadline
}

// beginWheel moves all timers from the pools to the wheel, which is empty. It costs
// O(timers).
func (t *Timers[T]) beginWheel() {
	t.ring(0)
	if t.buffers == nil {
		t.buffers = new(buffers[T])
	}
	moving := t.pools.takeAll(&t.records)
	t.cursor = t.clock
	for _, index := range moving {
		t.cursor = min(t.cursor, t.records.At(index).deadline)
	}
	for _, index := range moving {
		r := t.records.At(index)
		r.where = t.add(index, r.deadline)
	}
	t.nextWork = min(t.nextWork, t.aheadAt)
	t.many = true
	for position := range uint32(bufferLen) {
		t.prepare(position)
	}
}

// endWheel moves all timers from the wheel to the pools. It costs O(timers).
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
	t.many = false
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
				t.records.At(index).where = nowhere
				t.pools.list(&t.records, index, lastPool, t.settled)
			}
			*mask = 0
			t.unlink(n)
		}
	}
	t.nextAbove, t.aheadAt = math.MaxInt64, math.MaxInt64
}
