package fifo

import (
	"fmt"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
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

// find returns the record that an ID names. ok is false if its timer is not pending.
func (ts *Timers) find(id structures.ID) (n *Node, ok bool) {
	// An even generation was never issued: without that test a forged ID could name a free record.
	r, ok := ts.Find(id)
	return (*Node)(unsafe.Pointer(r)), ok && id>>32&1 == 1
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

// All is Lists.All.
func (ts *Timers) All(l List) snapshot.Timers { return all(ts, l) }

// Walk is Lists.Walk.
func (ts *Timers) Walk(b *snapshot.Builder, c shape.Cell, l List) (earliest structures.Tick, err error) {
	return walk(ts, b, c, l)
}

func (ts *Timers) timer(slot uint32) (deadline structures.Tick, next, prev uint32) {
	if slot >= ts.Fresh {
		return 0, none, slot
	}
	n := ts.At(slot)
	return n.Deadline, n.next, n.prev
}
