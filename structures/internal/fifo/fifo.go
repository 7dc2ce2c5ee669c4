// Package fifo has first-in first-out lists of timers, a bitmap that finds the next list with a timer, and the
// scheduler of the structures that keep timers in buckets.
//
// A list is two slots, its first and its last. So adding a timer touches only the last one, and unlinking needs no
// search. These are the usual intrusive lists, with indexes instead of pointers. There are two kinds:
//
//   - Timers has one record for all that belongs to a timer, with its value. Among many timers, an operation waits
//     for one cache line instead of three.
//   - Lists has the deadline and the links in one array, indexed by the slot in the slab: 16 bytes a timer. calendar,
//     sortedlist, twolists, radixheap and package bucketed take many steps along their lists, which take half the time
//     in such an array.
package fifo

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// none is the slot that is never issued, slab.None. It stands for the end of a list.
const none uint32 = 0

// node is the timer in one slot. The links are valid only while it is in a list.
type node struct {
	deadline   structures.Tick
	next, prev uint32
}

// List is a list of timers, in the order in which they were added. Only one copy of a List may be changed.
type List struct{ head, tail uint32 }

// Empty reports whether no timer is in the list.
func (l List) Empty() bool { return l.head == none }

// Front returns the slot of the first timer, or 0 when the list is empty.
func (l List) Front() uint32 { return l.head }

// Back returns the slot of the last timer, or 0 when the list is empty.
func (l List) Back() uint32 { return l.tail }

// Lists holds the deadlines and the links of all timers; each is in one list at most. Make it
// with New. Methods cost O(1) unless they say otherwise.
type Lists struct{ nodes []node }

// New returns Lists with room for capacity timers.
func New(capacity int) Lists {
	return Lists{nodes: make([]node, 1, capacity+1)} // slot 0
}

// SetDeadline sets the deadline of slot, which is at most one more than the largest so far.
func (ls *Lists) SetDeadline(slot uint32, deadline structures.Tick) {
	if uint64(slot) == uint64(len(ls.nodes)) {
		ls.nodes = append(ls.nodes, node{})
	}
	ls.nodes[slot].deadline = deadline
}

// Deadline returns the deadline of the timer in slot.
func (ls *Lists) Deadline(slot uint32) structures.Tick { return ls.nodes[slot].deadline }

// Next returns the slot that follows in the list of slot, or 0 at its end.
func (ls *Lists) Next(slot uint32) uint32 { return ls.nodes[slot].next }

// Prev returns the slot before that in the list of slot, or 0 at its start.
func (ls *Lists) Prev(slot uint32) uint32 { return ls.nodes[slot].prev }

// PushBack adds slot, which is in no list, at the end of l.
func (ls *Lists) PushBack(l *List, slot uint32) {
	n := &ls.nodes[slot]
	n.next, n.prev = none, l.tail
	if l.tail == none {
		l.head = slot
	} else {
		ls.nodes[l.tail].next = slot
	}
	l.tail = slot
}

// InsertAfter adds slot, which is in no list, after another slot of l, or at the front if that is 0.
func (ls *Lists) InsertAfter(l *List, before, slot uint32) {
	nodes, next := ls.nodes, l.head
	if before == none {
		l.head = slot
	} else {
		next = nodes[before].next
		nodes[before].next = slot
	}
	if next == none {
		l.tail = slot
	} else {
		nodes[next].prev = slot
	}
	n := &nodes[slot]
	n.next, n.prev = next, before
}

// Remove removes slot from l, and reports whether l is empty now. It does not read l, which saves a cache miss.
func (ls *Lists) Remove(l *List, slot uint32) (empty bool) {
	n := &ls.nodes[slot]
	if n.prev == none {
		l.head = n.next
	} else {
		ls.nodes[n.prev].next = n.next
	}
	if n.next == none {
		l.tail = n.prev
	} else {
		ls.nodes[n.next].prev = n.prev
	}
	return n.prev|n.next == none
}

// PopFront removes the first slot of l and returns it, or 0 when l is empty.
func (ls *Lists) PopFront(l *List) uint32 {
	slot := l.head
	if slot != none {
		l.head = ls.nodes[slot].next
		if l.head == none {
			l.tail = none
		} else {
			ls.nodes[l.head].prev = none
		}
	}
	return slot
}

// Append moves all timers of from to the end of l, in their order, and leaves from empty.
func (ls *Lists) Append(l, from *List) {
	if from.head == none {
		return
	}
	if l.tail == none {
		*l = *from
	} else {
		ls.nodes[l.tail].next = from.head
		ls.nodes[from.head].prev = l.tail
		l.tail = from.tail
	}
	*from = List{}
}

// From returns the rest of l, after the slots before one of its slots have moved to other lists.
func (ls *Lists) From(slot uint32, l List) List {
	ls.nodes[slot].prev = none
	return List{slot, l.tail}
}

// All returns an iterator over the slots of l and their deadlines. Its body may move the slot.
func (ls *Lists) All(l List) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		for slot := l.head; slot != none; {
			next := ls.nodes[slot].next
			if !yield(slot, ls.nodes[slot].deadline) {
				return
			}
			slot = next
		}
	}
}

// Walk adds a cell with the timers of l, after a check of the links. It returns the earliest deadline, or the last tick if l is empty.
func (ls *Lists) Walk(b *snapshot.Builder, c shape.Cell, l List) (earliest structures.Tick) {
	earliest = ls.Check(l)
	b.Cell(c, ls.All(l))
	return earliest
}

// Check is Walk without a cell.
func (ls *Lists) Check(l List) (earliest structures.Tick) {
	earliest = math.MaxInt64
	before := none
	for slot := l.head; slot != none; {
		n := &ls.nodes[slot]
		mustFollow(slot, n.prev, before)
		earliest = min(earliest, n.deadline)
		slot, before = n.next, slot
	}
	mustEnd(l, before)
	return earliest
}

// mustFollow checks a link back, so that a walk along a list does not go in a circle.
func mustFollow(slot, prev, before uint32) {
	rules.Must(prev == before, "slot %d comes after %d and does not point back", slot, before)
}

// mustEnd checks that a list ends with its last slot.
func mustEnd(l List, last uint32) {
	rules.Must(l.tail == last, "the last slot is %d, the list says %d", last, l.tail)
}
