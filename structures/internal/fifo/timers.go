package fifo

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// MaxCapacity is the most timers that may be pending: a place has 28 bits.
const MaxCapacity = records.MaxTimers

// Node is the record of a timer, without its value, which follows in memory. So an operation loads one cache line
// for the timer itself. Links are indexes of records, which are called slots. Invariants:
//
//   - The generation is odd exactly while the timer is pending. A pending timer is in one list, in another part of
//     its queue, or the last one.
//   - The links are valid only while the timer is in a list. Each timer of a list points back to the one before it.
//   - The tag of Where is records.Nowhere at all times. The bits above, Place, are for the queue.
//   - Slot 0 has no timer, and its links are 0.
type Node struct {
	records.Record
	next, prev uint32
}

// payload is what records.Valued adds to the record of a timer.
type payload[T any] struct {
	next, prev uint32
	value      T // zero unless the timer is pending, so that nothing is kept alive
}

// Next returns the slot that follows in the list, or 0 at its end.
func (n *Node) Next() uint32 { return n.next }

// Place returns the number that SetPlace has set, such as that of a list.
func (n *Node) Place() int { return int(n.Where >> records.TagBits) }

// SetPlace sets the number of a place, which is less than 2^28.
func (n *Node) SetPlace(place int) { n.Where = records.Where(place)<<records.TagBits | records.Nowhere }

// Timers holds the records of all timers, each of which is in one list at most, and their clock. A queue has it,
// and NewScheduler prepares it. Methods cost O(1) unless they say otherwise.
type Timers struct {
	records.Set

	// Quiet is a tick before which no timer is due and the queue has nothing to do.
	Quiet structures.Tick

	count int    // timers
	last  uint32 // the timer that was scheduled last, if it is not in the queue yet
}

// At returns the record of a slot.
func (ts *Timers) At(slot uint32) *Node { return (*Node)(unsafe.Pointer(ts.Set.At(slot))) }

// Len returns the number of timers.
func (ts *Timers) Len() int { return ts.count }

// Deadline returns the deadline of the timer in slot.
func (ts *Timers) Deadline(slot uint32) structures.Tick { return ts.At(slot).Deadline }

// pending reports whether the timer of an ID is pending. Then At returns its record.
func (ts *Timers) pending(id structures.ID) bool {
	// An even generation was never issued: without that test a forged ID could name a free record.
	return uint32(id) < ts.Fresh && ts.Set.At(uint32(id)).Is(id) && id>>32&1 == 1
}

// end takes the timer out of its record.
func (ts *Timers) end(n *Node) {
	n.End()
	ts.count--
}

// makeFree returns a free slot when none is at hand.
func (ts *Timers) makeFree() uint32 {
	if ts.HasFree() {
		return ts.Free()
	}
	if ts.Fresh > MaxCapacity {
		panic(fmt.Sprintf("fifo: more than %d timers pending", MaxCapacity))
	}
	slot := ts.Take()
	ts.At(slot).SetPlace(0)
	return slot
}

// PushBack adds a timer, which is in no list, at the end of l.
func (ts *Timers) PushBack(l *List, slot uint32, n *Node) {
	last := l.tail
	n.next, n.prev = none, last
	l.tail = slot
	if last == none {
		l.head = slot
	} else {
		ts.At(last).next = slot
	}
}

// Remove removes a timer from l, and reports whether l is empty now. It does not read l, which saves a cache miss.
func (ts *Timers) Remove(l *List, n *Node) (empty bool) {
	next, prev := n.next, n.prev
	if prev == none {
		l.head = next
	} else {
		ts.At(prev).next = next
	}
	if next == none {
		l.tail = prev
	} else {
		ts.At(next).prev = prev
	}
	return prev|next == none
}

// PopFront removes the first timer of l and returns it, or 0 when l is empty.
func (ts *Timers) PopFront(l *List) (slot uint32, n *Node) {
	slot = l.head
	if slot == none {
		return none, nil
	}
	n = ts.At(slot)
	l.head = n.next
	if n.next == none {
		l.tail = none
	} else {
		ts.At(n.next).prev = none
	}
	return slot, n
}

// Append moves all timers of from to the end of l, in their order, and leaves from empty.
func (ts *Timers) Append(l, from *List) {
	if from.head == none {
		return
	}
	if l.tail == none {
		*l = *from
	} else {
		ts.At(l.tail).next = from.head
		ts.At(from.head).prev = l.tail
		l.tail = from.tail
	}
	*from = List{}
}

// Meet is a step of a walk from the end of a list that another walk, at slot, follows from the start. It returns 0
// when both have met. Each step of a walk waits for the record that the step before names. So the walk from the end
// loads the second half of the list while the first one moves to other lists.
func (ts *Timers) Meet(ahead, slot, following uint32) uint32 {
	if ahead == slot || ahead == following {
		return none
	}
	return ts.At(ahead).prev // none again for slot none
}

// All returns an iterator over the slots of l and their deadlines, which checks the links.
func (ts *Timers) All(l List) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		before := none
		for slot := l.head; slot != none; {
			n := ts.Checked(slot)
			mustFollow(slot, n.prev, before)
			if !yield(slot, n.Deadline) {
				return
			}
			slot, before = n.next, slot
		}
		mustEnd(l, before)
	}
}

// Walk is Lists.Walk.
func (ts *Timers) Walk(b *snapshot.Builder, c shape.Cell, l List) (earliest structures.Tick) {
	earliest = math.MaxInt64
	if l == (List{}) {
		return earliest // as most lists of a wheel
	}
	for _, deadline := range ts.All(l) {
		earliest = min(earliest, deadline)
	}
	b.Cell(c, ts.All(l))
	return earliest
}

// Checked is At for a slot that a walk has found.
func (ts *Timers) Checked(slot uint32) *Node {
	rules.Must(slot < ts.Fresh, "slot %d never had a timer", slot)
	return ts.At(slot)
}

// Queue orders timers by deadline, which is after the clock, or the last tick. It has Timers, whose Quiet it sets:
// Pop is not called before that tick.
type Queue interface {
	Add(slot uint32, n *Node)    // a timer that is not in the queue
	Remove(slot uint32, n *Node) // a timer of the queue
	Next() structures.Tick       // the tick for Scheduler.Next; the queue is not empty
	Work() structures.Work       // the counters of the work done so far

	// Pop removes a timer that is due at the clock, the earliest first, and returns it, or 0 after it has set Quiet.
	Pop() (slot uint32, n *Node)

	// Walk adds each slot to the builder, with the deadline under which it is filed.
	snapshot.Walker
}

// Scheduler keeps the contract of structures.Scheduler on a queue. A method costs as much as the method of the queue,
// and a Pop costs O(1) until Quiet.
type Scheduler[T any] struct{ core }

// core is a Scheduler without the type of its values. So its methods carry no dictionary.
type core struct {
	timers *Timers
	queue  Queue
}

// NewScheduler returns an empty scheduler on an empty queue that has the timers, with room for capacity timers.
func NewScheduler[T any](queue Queue, timers *Timers, capacity int) Scheduler[T] {
	huge := timers.Huge
	timers.Set = records.Of[payload[T]]()
	timers.Huge = huge
	timers.ReserveTimers(uint64(capacity) + 1)
	timers.At(timers.Take()).SetPlace(0) // slot none
	return Scheduler[T]{core{timers, queue}}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (s *Scheduler[T]) Schedule(deadline structures.Tick, value T) (id structures.ID) {
	id, place := s.schedule(deadline)
	*(*T)(place) = value
	return // without an operand it costs the inliner less, so that Schedule of the structure has one call
}

// schedule is Schedule without the value. It returns the place of the value.
func (c *core) schedule(deadline structures.Tick) (structures.ID, unsafe.Pointer) {
	ts := c.timers
	slot, ok := ts.TryFree()
	if !ok {
		slot = ts.makeFree()
	}
	n := ts.At(slot)
	n.Start(rules.Clamp(ts.Clock, deadline))
	ts.count++
	last := ts.last
	ts.last = slot
	if last != none {
		c.queue.Add(last, ts.At(last))
	}
	return records.IDOf(slot, n.Generation), unsafe.Add(unsafe.Pointer(n), unsafe.Sizeof(*n))
}

// link adds the last timer to the queue.
func (c *core) link() {
	last := c.timers.last
	c.timers.last = none
	c.queue.Add(last, c.timers.At(last))
}

// Reschedule moves a pending timer to deadline. It returns false when id is not pending.
func (c *core) Reschedule(id structures.ID, deadline structures.Tick) bool {
	ts := c.timers
	if !ts.pending(id) {
		return false
	}
	n := ts.At(uint32(id))
	deadline = rules.Clamp(ts.Clock, deadline)
	if uint32(id) == ts.last {
		n.Deadline = deadline
		return true
	}
	if ts.last != none {
		c.link()
	}
	c.queue.Remove(uint32(id), n)
	n.Deadline = deadline
	c.queue.Add(uint32(id), n)
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending.
func (c *core) Cancel(id structures.ID) bool {
	ts := c.timers
	if !ts.pending(id) {
		return false
	}
	n := ts.At(uint32(id))
	if uint32(id) == ts.last {
		ts.last = none
	} else {
		c.queue.Remove(uint32(id), n)
	}
	ts.ClearValue(&n.Record)
	if ts.end(n); !ts.TryRelease(uint32(id), &n.Record) {
		ts.Release(uint32(id), &n.Record)
	}
	return true
}

// Pop moves the clock to now, and removes and returns the earliest timer if it is due.
func (s *Scheduler[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	ts := s.timers
	if ts.last != none {
		s.link()
	}
	if now > ts.Clock {
		ts.Clock = now
	}
	if ts.Clock < ts.Quiet {
		return due, false
	}
	slot, n := s.queue.Pop()
	if slot == none {
		return due, false
	}
	p := &(*records.Valued[payload[T]])(unsafe.Pointer(n)).Value
	due = structures.Timer[T]{ID: records.IDOf(slot, n.Generation), Deadline: n.Deadline, Value: p.value}
	var none T
	p.value = none
	if ts.end(n); !ts.TryRelease(slot, &n.Record) {
		ts.Release(slot, &n.Record)
	}
	return due, true
}

// Next returns the tick at which Pop must be called again. ok is false when nothing is pending.
func (c *core) Next() (at structures.Tick, ok bool) {
	if c.timers.count == 0 {
		return 0, false
	}
	if c.timers.last != none {
		c.link()
	}
	return c.queue.Next(), true
}

// Len returns the number of pending timers.
func (c *core) Len() int { return c.timers.count }

// Work returns the counters of the work of the queue so far, after the last timer was added to it.
func (c *core) Work() structures.Work {
	if c.timers.last != none {
		c.link()
	}
	return c.queue.Work()
}

// CheckInvariants walks the structure and returns the first broken invariant. It costs O(n).
func (c *core) CheckInvariants() error { return c.timers.Set.Check((*holder)(c)) }

// Snapshot returns the shape of the queue. It costs O(n), and is not for hot paths.
func (c *core) Snapshot() shape.Snapshot {
	if c.timers.last != none {
		c.link()
	}
	return c.timers.Set.Snapshot((*holder)(c))
}

// holder is a core that records can check.
type holder core

// Walk adds all timers of the queue.
func (h *holder) Walk(w *records.Walk) {
	w.Clock = h.timers.Clock
	h.queue.Walk(&w.Builder)
	if last := h.timers.last; last != none {
		w.Begin(shape.Part{Name: "the last timer", Kind: shape.List})
		w.Timer(shape.Cell{}, last, h.timers.Checked(last).Deadline)
	}
	w.Held(h.timers.count)
}

// Parts returns the parts of a scheduler, for white-box tests.
func Parts[T any](s *Scheduler[T]) (*Timers, Queue) { return s.timers, s.queue }
