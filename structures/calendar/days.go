package calendar

import (
	"github.com/timerbench/timerbench/structures"
)

// none is the slot that is never issued, slab.None. It stands for the end of a list.
const none uint32 = 0

// node is the timer in one slot.
type node struct {
	deadline   structures.Tick
	next, prev uint32 // in the list of its bucket
}

// list is the timers of one bucket by deadline, equal ones in the order in which they came.
type list struct{ head, tail uint32 }

// days is the calendar: days of 2^shift ticks, and years of 2^width days, one for each
// bucket. A bucket holds the timers of one day of every year.
type days struct {
	nodes       []node // by slot
	buckets     []list
	shift       int
	width       int
	comparisons uint64
}

// day returns the day of a tick, which is not negative.
func (d *days) day(tick structures.Tick) uint64 { return uint64(tick) >> d.shift }

// bucket returns the bucket of a day. The days of a year have consecutive buckets, but
// each year begins at another one, which Fibonacci hashing chooses. If all years began
// at the same bucket, deadlines that are multiples of a long interval would share a few.
func (d *days) bucket(day uint64) *list {
	start := day >> d.width * 0x9e3779b97f4a7c15 >> (64 - d.width)
	return &d.buckets[(day+start)&uint64(len(d.buckets)-1)]
}

// insert puts slot, whose deadline is set, into its bucket, behind all timers up
// to its deadline. It returns how many steps it took to find the place, 0 for the end.
func (d *days) insert(slot uint32) (steps int) {
	nodes := d.nodes
	n := &nodes[slot]
	l := d.bucket(d.day(n.deadline))
	n.prev, n.next = l.tail, none
	if l.tail != none {
		d.comparisons++
		if n.deadline < nodes[l.tail].deadline {
			n.prev, n.next, steps = d.search(l, n.deadline)
		}
	}
	if n.prev == none {
		l.head = slot
	} else {
		nodes[n.prev].next = slot
	}
	if n.next == none {
		l.tail = slot
	} else {
		nodes[n.next].prev = slot
	}
	return steps
}

// search finds the place of a deadline before that of the tail. It goes from both ends
// in turn, so that it need not pass a crowd of timers of one deadline at either end.
func (d *days) search(l *list, deadline structures.Tick) (prev, next uint32, steps int) {
	nodes := d.nodes
	prev, next = l.tail, l.head
	for compared := uint64(0); ; {
		steps++
		compared++
		if nodes[next].deadline > deadline {
			d.comparisons += compared
			return nodes[next].prev, next, steps
		}
		prev = nodes[prev].prev // exists, as some timer is not after deadline
		compared++
		if nodes[prev].deadline <= deadline {
			d.comparisons += compared
			return prev, nodes[prev].next, steps
		}
		next = nodes[next].next
	}
}

// unlink takes slot out of its bucket.
func (d *days) unlink(slot uint32) {
	n := &d.nodes[slot]
	l := d.bucket(d.day(n.deadline))
	if n.prev == none {
		l.head = n.next
	} else {
		d.nodes[n.prev].next = n.next
	}
	if n.next == none {
		l.tail = n.prev
	} else {
		d.nodes[n.next].prev = n.prev
	}
}

// gather removes all timers from their buckets and chains them by next, equal
// deadlines in their order.
func (d *days) gather() (all list) {
	for i, l := range d.buckets {
		if l.head == none {
			continue
		}
		d.buckets[i] = list{}
		if all.head == none {
			all.head = l.head
		} else {
			d.nodes[all.tail].next = l.head
		}
		all.tail = l.tail
	}
	return all
}

// setWidth makes 2^width buckets. All buckets are empty. It keeps the array if that is
// large enough.
func (d *days) setWidth(width int) {
	d.width = width
	if n := 1 << width; n <= cap(d.buckets) {
		d.buckets = d.buckets[:n]
	} else {
		d.buckets = make([]list, n)
	}
}
