// Package bucketed makes a scheduler of timers from an order of buckets, which is another structure. All
// timers of a tick are in one bucket. A bucket exists only while it holds a timer.
package bucketed

import (
	"cmp"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/internal/tickmap"
	"github.com/timerbench/timerbench/structures/shape"
)

// Order orders the buckets, by number.
type Order interface {
	structures.Scheduler[uint32]
	shape.Shown
	Work() structures.Work
	CheckInvariants() error
}

// Queue is a slotted.Queue of buckets. A bucket that holds a timer is open. An open bucket is in byTick and
// in order, unless it is firing.
type Queue struct {
	lists   fifo.Lists
	in      []uint32 // by slot: the number of its bucket
	buckets []bucket
	free    []uint32 // buckets that are not open
	byTick  tickmap.Map
	order   Order
	firing  uint32 // the bucket whose timers are being popped; 0: none
	fired   uint64 // buckets
}

// bucket holds the timers of one tick.
type bucket struct {
	tick structures.Tick
	list fifo.List
	id   structures.ID // in the order
}

// Scheduler keeps the contract of structures.Scheduler. A method costs O(1) expected, plus the cost of the
// order if it opens or closes a bucket. Ties are FIFO. Work counts the comparisons of the order, and
// SlotsVisited, the buckets that fired.
type Scheduler[T any] = slotted.Scheduler[T, Queue, *Queue]

// New returns an empty scheduler on an empty order, with room for capacity timers.
func New[T any](order Order, capacity int) Scheduler[T] {
	return slotted.New[T](Queue{
		lists: fifo.New(capacity), in: make([]uint32, 1, capacity+1), buckets: make([]bucket, 1), order: order,
	}, capacity)
}

// Pop removes the first timer of the earliest bucket if that bucket is due.
func (q *Queue) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if q.firing == 0 {
		first, ok := q.order.Pop(clock)
		if !ok {
			if at, ok = q.order.Next(); !ok {
				at = math.MaxInt64
			}
			return slab.None, at
		}
		q.firing = first.Value
		q.fired++
		q.byTick.Delete(q.buckets[q.firing].tick)
	}
	slot = q.buckets[q.firing].list.Front()
	q.Remove(slot)
	return slot, q.lists.Deadline(slot)
}

// Next returns the tick of the earliest bucket.
func (q *Queue) Next(structures.Tick) structures.Tick {
	if q.firing != 0 {
		return q.buckets[q.firing].tick
	}
	at, _ := q.order.Next()
	return at
}

// Work returns the counters of the work done so far.
func (q *Queue) Work() structures.Work {
	w := q.order.Work()
	w.SlotsVisited += q.fired
	return w
}

// Add appends a slot to the bucket of its deadline.
func (q *Queue) Add(slot uint32, deadline structures.Tick) {
	if int(slot) == len(q.in) {
		q.in = append(q.in, 0)
	}
	q.lists.SetDeadline(slot, deadline)
	number, ok := q.byTick.Get(deadline)
	if !ok {
		number = q.open(deadline)
	}
	q.in[slot] = number
	q.lists.PushBack(&q.buckets[number].list, slot)
}

// open makes a bucket for a tick without one.
func (q *Queue) open(tick structures.Tick) uint32 {
	var number uint32
	if n := len(q.free); n > 0 {
		number = q.free[n-1]
		q.free = q.free[:n-1]
	} else {
		number = uint32(len(q.buckets))
		q.buckets = append(q.buckets, bucket{})
	}
	q.buckets[number].tick = tick
	q.buckets[number].id = q.order.Schedule(tick, number)
	q.byTick.Put(tick, number)
	return number
}

// Remove unlinks a slot, and closes its bucket if the bucket is empty then.
func (q *Queue) Remove(slot uint32) {
	number := q.in[slot]
	b := &q.buckets[number]
	if !q.lists.Remove(&b.list, slot) {
		return
	}
	if number == q.firing {
		q.firing = 0 // it has left the order already
	} else {
		q.order.Cancel(b.id)
		q.byTick.Delete(b.tick)
	}
	q.free = append(q.free, number)
}

// Walk adds the order, each bucket with all its timers, and the bucket that is firing.
func (q *Queue) Walk(b *snapshot.Builder) {
	err := cmp.Or(q.byTick.CheckInvariants(), q.order.CheckInvariants())
	rules.Must(err == nil, "%s", fmt.Sprint(err))
	open := make(map[structures.ID]uint32) // by ID of the bucket in the order
	for number := uint32(1); int(number) < len(q.buckets); number++ {
		bucket := &q.buckets[number]
		if bucket.list.Empty() {
			continue
		}
		if number != q.firing {
			open[bucket.id] = number
			found, _ := q.byTick.Get(bucket.tick)
			rules.Must(found == number, "the bucket of tick %d is %d, but %d is found", bucket.tick, number, found)
		}
		q.lists.Check(bucket.list)
		for slot, deadline := range q.lists.All(bucket.list) {
			rules.Must(q.in[slot] == number && deadline == bucket.tick, "slot %d with deadline %d in bucket %d of tick %d",
				slot, deadline, number, bucket.tick)
		}
	}
	waiting := len(q.buckets) - 1 - len(q.free)
	if q.firing != 0 {
		waiting--
	}
	rules.Must(len(open) == waiting && q.order.Len() == waiting && q.byTick.Len() == waiting,
		"%d buckets wait, %d hold timers, %d are ordered and %d are found by tick", waiting, len(open), q.order.Len(), q.byTick.Len())
	for _, p := range q.order.Snapshot().Parts {
		cells := p.Cells
		p.Cells = nil
		b.Begin(p)
		for _, c := range cells {
			number := open[c.Entries[0].ID]
			c.Entries = nil
			q.lists.Walk(b, c, q.buckets[number].list)
		}
	}
	if q.firing != 0 {
		b.List("the bucket that fires", q.lists.All(q.buckets[q.firing].list))
	}
}
