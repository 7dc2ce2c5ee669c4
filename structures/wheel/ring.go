package wheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// ring orders slots of the slab by deadline. As the word slot stands for both, a
// slot of the ring is called a bucket in here.
//
// A timer due at or before the cursor is in the due list. Any other is in the
// bucket of its deadline, modulo the number of buckets, however many revolutions
// away it is. The cursor is at the clock, unless timers are left in the due
// list.
type ring struct {
	buckets  []bucket
	occupied fifo.Occupancy
	mask     uint64 // number of buckets less one, when a power of two; else 0
	lists    fifo.Lists
	due      fifo.List       // in the order in which they fire
	cursor   structures.Tick // all timers up to here are in due or have fired
	next     structures.Tick // at most the bound of every occupied bucket
	touched  uint32          // what touch has read: kept, or the compiler would drop it
	work     structures.Work
}

// bucket holds the timers of one slot of the wheel, in the order in which they
// came.
type bucket struct {
	list fifo.List
	// bound is the earliest deadline in the list, or that of a timer since
	// cancelled which was earlier. It is after the cursor, and means nothing
	// while the list is empty.
	bound structures.Tick
}

func newRing(buckets, capacity int) ring {
	r := ring{
		buckets:  make([]bucket, buckets),
		occupied: fifo.NewOccupancy(buckets),
		lists:    fifo.New(capacity),
		next:     math.MaxInt64,
	}
	if buckets&(buckets-1) == 0 {
		r.mask = uint64(buckets) - 1
	}
	return r
}

// index returns the bucket of a tick, which is not negative.
func (r *ring) index(tick structures.Tick) int {
	if r.mask != 0 {
		return int(uint64(tick) & r.mask)
	}
	return int(uint64(tick) % uint64(len(r.buckets)))
}

// link puts slots into their lists; none of them is in one, and a 0 among them is
// no slot. Their deadlines are after the clock, or the last tick.
//
// A first pass reads what the second one writes, the buckets and the last timers
// in them: the misses of a batch then overlap, as in fifo.Deferred.
func (r *ring) link(slots []uint32) {
	if len(slots) > 1 {
		for _, slot := range slots {
			r.touch(slot)
		}
	}
	for _, slot := range slots {
		if slot != 0 {
			r.add(slot, r.lists.Deadline(slot))
		}
	}
}

// touch brings what add needs for a slot into the cache.
func (r *ring) touch(slot uint32) {
	b := &r.buckets[r.index(r.lists.Deadline(slot))]
	r.touched += r.lists.Next(b.list.Back())
}

// add appends a slot to the list of its deadline.
func (r *ring) add(slot uint32, deadline structures.Tick) {
	if deadline <= r.cursor { // the last tick, and the clock is there
		r.lists.PushBack(&r.due, slot)
		return
	}
	i := r.index(deadline)
	b := &r.buckets[i]
	if b.list.Empty() {
		r.occupied.Set(i)
		b.bound = deadline
	} else {
		b.bound = min(b.bound, deadline)
	}
	r.next = min(r.next, deadline)
	r.lists.PushBack(&b.list, slot)
}

// remove unlinks a slot.
func (r *ring) remove(slot uint32) {
	deadline := r.lists.Deadline(slot)
	if deadline <= r.cursor {
		r.lists.Remove(&r.due, slot)
		return
	}
	i := r.index(deadline)
	if r.lists.Remove(&r.buckets[i].list, slot) {
		r.occupied.Clear(i)
	}
}

// pop takes out the earliest slot that is due, or returns 0 when none is.
func (r *ring) pop(clock structures.Tick) uint32 {
	r.settle(clock)
	return r.lists.PopFront(&r.due)
}

// settle sees to it that the earliest timer is in the due list if it is due.
func (r *ring) settle(clock structures.Tick) {
	if !r.due.Empty() {
		return
	}
	if clock >= r.next && clock > r.cursor {
		r.collect(clock)
	}
	r.cursor = clock
}

// collect moves all timers that are due from their buckets to the due list,
// which is empty, in order. It passes each occupied bucket at most once, and
// only those that the cursor has to pass.
func (r *ring) collect(clock structures.Tick) {
	from := max(r.cursor, r.next-1) // nothing is due up to here
	latest := from
	first, second := r.ahead(from, clock)
	for _, part := range [...]span{first, second} {
		for i := r.occupied.Next(part.from); i >= 0 && i < part.to; i = r.occupied.Next(i + 1) {
			r.work.SlotsVisited++
			if r.buckets[i].bound <= clock {
				latest = max(latest, r.split(i, clock))
			}
		}
	}
	if latest-from > structures.Tick(len(r.buckets)) {
		r.sortDue(from+1, latest)
	}
	r.next = r.occupiedAfter(clock)
}

// split moves the timers of a bucket that are due to the due list, and returns
// the latest of their deadlines. It goes through all timers of the bucket, and
// so makes its bound exact.
func (r *ring) split(i int, clock structures.Tick) (latest structures.Tick) {
	b := &r.buckets[i]
	b.bound = math.MaxInt64
	staying := uint64(0)
	for slot := b.list.Front(); slot != 0; {
		following, deadline := r.lists.Next(slot), r.lists.Deadline(slot)
		if deadline <= clock {
			r.lists.Remove(&b.list, slot)
			r.lists.PushBack(&r.due, slot)
			latest = max(latest, deadline)
		} else {
			b.bound = min(b.bound, deadline)
			staying++
		}
		slot = following
	}
	if staying == 0 {
		r.occupied.Clear(i)
	}
	r.work.Moved += staying
	return latest
}

// sortDue puts the due list in order. The buckets were emptied one after the
// other, starting with that of tick from, so the list is in order as far as the
// place within a revolution goes; what is left is a radix sort by the number of
// the revolution, 6 bits at a time. It is stable, which keeps ties FIFO.
func (r *ring) sortDue(from, latest structures.Tick) {
	for shift := 0; r.revolution(from, latest)>>shift != 0; shift += 6 {
		var digits [64]fifo.List
		occupied := uint64(0)
		for slot := r.due.Front(); slot != 0; {
			following := r.lists.Next(slot)
			digit := r.revolution(from, r.lists.Deadline(slot)) >> shift & 63
			r.lists.PushBack(&digits[digit], slot)
			occupied |= 1 << digit
			slot = following
		}
		r.due = fifo.List{}
		for ; occupied != 0; occupied &= occupied - 1 {
			r.lists.Append(&r.due, &digits[bits.TrailingZeros64(occupied)])
		}
	}
}

// revolution returns how many whole revolutions lie between two ticks.
func (r *ring) revolution(from, to structures.Tick) uint64 {
	return uint64(to-from) / uint64(len(r.buckets))
}

// span is a range of buckets, to excluded.
type span struct{ from, to int }

// ahead returns the buckets of the ticks after from up to to, which is after
// from, in the order of time, each bucket once: a range up to the last bucket
// and one from the first on.
func (r *ring) ahead(from, to structures.Tick) (first, second span) {
	n := len(r.buckets)
	start := r.index(from + 1)
	end := start + int(min(to-from, structures.Tick(n)))
	return span{start, min(end, n)}, span{0, max(end-n, 0)}
}

// occupiedAfter returns the first tick after from whose bucket is occupied, or
// the last tick when none is. No timer is due between the two.
func (r *ring) occupiedAfter(from structures.Tick) structures.Tick {
	if r.occupied.First() < 0 {
		return math.MaxInt64
	}
	start := r.index(from + 1) // from is not the last tick, as a timer lies after it
	i := r.occupied.Next(start)
	if i < 0 {
		i = r.occupied.First() + len(r.buckets)
	}
	return from + 1 + structures.Tick(i-start)
}

// earliest returns a tick before which no timer is due, given that there is
// one: its deadline when it is due at the clock, or else the least bound.
func (r *ring) earliest(clock structures.Tick) structures.Tick {
	r.settle(clock)
	if !r.due.Empty() {
		return r.lists.Deadline(r.due.Front())
	}
	if b := &r.buckets[r.index(r.next)]; b.list.Empty() || b.bound != r.next {
		r.next = r.leastBound()
	}
	return r.next
}

// leastBound returns the least bound of the occupied buckets, of which there is
// one. It looks at them in the order of time, and stops at the first one whose
// bound lies in this revolution: all those after it have later ones.
func (r *ring) leastBound() structures.Tick {
	from := r.next - 1
	least := structures.Tick(math.MaxInt64)
	first, second := r.ahead(from, math.MaxInt64)
	for _, part := range [...]span{first, second} {
		for i := r.occupied.Next(part.from); i >= 0 && i < part.to; i = r.occupied.Next(i + 1) {
			r.work.SlotsVisited++
			least = min(least, r.buckets[i].bound)
			if r.buckets[i].bound-from <= structures.Tick(len(r.buckets)) {
				return least
			}
		}
	}
	return least
}
