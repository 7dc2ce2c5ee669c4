// Package heap is a 4-ary heap of timers that are fields of the caller's structs.
//
// Pedigree. Johnson's d-ary heap, with the index of its entry in the timer and the deadline in the entry,
// as in [libev]. Sifting compares what it reads anyway, and touches only the timers that it moves.
//
// Costs, for n timers: Schedule O(log n), on average O(1); Pop, Cancel and Reschedule O(log n); Next O(1). Each entry
// that moves writes the index in its timer, which is a cache miss among many timers.
//
// Memory. A timer takes 16 bytes and its value, within the caller's struct, and an entry of 16
// bytes. The array of entries doubles when it grows, and does not shrink.
//
// Work counts Comparisons of two deadlines.
//
// Pick it for up to a few hundred timers, or where Next must be the earliest deadline. Otherwise pick package hwheel.
//
// [libev]: https://dist.schmorp.de/libev/Attic/libev-4.33.tar.gz
package heap

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// Timer is a timer of a Heap, usually a field of the struct that it belongs to. The zero Timer is
// ready for use. A pending Timer must not be copied: go vet reports such a copy, and methods of
// the heap panic when they are given one.
type Timer[T any] struct {
	_     links.NoCopy
	node  node
	Value T // for the caller, usually a pointer to the struct; the heap never touches it
}

// Deadline returns the tick at which the timer is due, after the rule for past deadlines. For a
// timer that is not pending, it returns the last deadline that the timer had, at first 0.
func (t *Timer[T]) Deadline() structures.Tick { return t.node.deadline }

// Heap is a 4-ary heap of timers. Make it with New. It is for one goroutine at a time.
type Heap[T any] struct{ core }

// New returns an empty heap whose clock is at tick 0.
func New[T any]() *Heap[T] { return &Heap[T]{} }

// Schedule makes t pending, or moves it. A deadline at or before the clock counts as the tick after it. It costs
// O(log n), on average O(1). Like Reschedule and Cancel, it panics if t is pending in another heap or is a copy of a
// pending timer.
func (h *Heap[T]) Schedule(t *Timer[T], deadline structures.Tick) {
	if !h.Reschedule(t, deadline) {
		h.add(&t.node, deadline)
	}
}

// Reschedule moves a pending timer. It returns false if t is not pending. It costs O(log n).
func (h *Heap[T]) Reschedule(t *Timer[T], deadline structures.Tick) bool {
	return h.mine(&t.node) && h.move(&t.node, deadline)
}

// Cancel removes a pending timer, which is then free for any use. It returns false if t is not pending. It costs O(log n).
func (h *Heap[T]) Cancel(t *Timer[T]) bool {
	return h.mine(&t.node) && h.remove(&t.node)
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns one timer
// that is due, the earliest first. Ties are unspecified. It returns nil if no timer is due. The timer
// is free for any use at once. Pop costs O(log n), and O(1) if no timer is due.
func (h *Heap[T]) Pop(now structures.Tick) *Timer[T] { return (*Timer[T])(unsafe.Pointer(h.pop(now))) }

// Next returns the earliest deadline. ok is false if no timer is pending. Next costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if len(h.entries) == 0 {
		return 0, false
	}
	return h.entries[0].deadline, true
}

// Len returns the number of pending timers, including those that are due. It costs O(1).
func (h *Heap[T]) Len() int { return len(h.entries) }

// Work returns the comparisons of two deadlines so far.
func (h *Heap[T]) Work() structures.Work { return structures.Work{Comparisons: h.comparisons} }

// node is the part of a timer that belongs to the heap.
type node struct {
	deadline structures.Tick // of a timer that is not pending: the last one that it had
	place    int             // of its entry, from 1 on; 0: not pending
}

// entry is a place of the heap. It has the deadline, so that sifting reads no timer but the one that moves.
type entry struct {
	deadline structures.Tick
	timer    *node
}

// arity is the number of children of an entry. Those of entry i begin at arity*i+1.
const arity = 4

// core is a heap without the type of its values, so its methods are compiled once. No entry is
// due before its parent. Each timer has the place and the deadline of its entry.
type core struct {
	clock       structures.Tick
	entries     []entry
	comparisons uint64
}

// mine reports whether a timer is pending in this heap, and panics if it is not and says that it is pending.
func (c *core) mine(n *node) bool {
	if n.place == 0 {
		return false
	}
	if n.place > len(c.entries) || c.entries[n.place-1].timer != n {
		panic("intrusive/heap: the timer is pending in another heap, or is a copy of a pending timer")
	}
	return true
}

// add adds a timer that is not pending.
func (c *core) add(n *node, deadline structures.Tick) {
	n.deadline = rules.Clamp(c.clock, deadline)
	c.entries = append(c.entries, entry{})
	c.up(len(c.entries)-1, entry{n.deadline, n})
}

// move gives a timer another deadline, and returns true.
func (c *core) move(n *node, deadline structures.Tick) bool {
	n.deadline = rules.Clamp(c.clock, deadline)
	c.settle(n.place-1, entry{n.deadline, n})
	return true
}

// remove takes out a timer, and returns true. The last entry fills its place.
func (c *core) remove(n *node) bool {
	at, last := n.place-1, len(c.entries)-1
	e := c.entries[last]
	c.entries[last] = entry{}
	c.entries = c.entries[:last]
	if at < last {
		c.settle(at, e)
	}
	n.place = 0
	return true
}

// pop is Pop, and returns nil if no timer is due.
func (c *core) pop(now structures.Tick) *node {
	c.clock = max(c.clock, now)
	if len(c.entries) == 0 || c.entries[0].deadline > c.clock {
		return nil
	}
	n := c.entries[0].timer
	c.remove(n)
	return n
}

// settle puts an entry into the heap, from a vacant place on, up or down.
func (c *core) settle(at int, e entry) {
	if at > 0 && e.deadline < c.entries[(at-1)/arity].deadline {
		c.up(at, e)
	} else {
		c.down(at, e)
	}
}

// put puts an entry into a place.
func (c *core) put(at int, e entry) {
	c.entries[at] = e
	e.timer.place = at + 1
}

// up moves a vacant place up until the entry may be put there.
func (c *core) up(at int, e entry) {
	for at > 0 {
		parent := (at - 1) / arity
		c.comparisons++
		if c.entries[parent].deadline <= e.deadline {
			break
		}
		c.put(at, c.entries[parent])
		at = parent
	}
	c.put(at, e)
}

// down moves a vacant place down until the entry may be put there.
func (c *core) down(at int, e entry) {
	for {
		first := arity*at + 1
		if first >= len(c.entries) {
			break
		}
		children := c.entries[first:min(first+arity, len(c.entries))]
		least, deadline := 0, structures.Tick(math.MaxInt64)
		for i := range children {
			if children[i].deadline < deadline {
				least, deadline = i, children[i].deadline
			}
		}
		c.comparisons += uint64(len(children))
		if e.deadline <= deadline {
			break
		}
		c.put(at, children[least])
		at = first + least
	}
	c.put(at, e)
}

// CheckInvariants walks the heap and returns the first broken invariant. It costs O(n).
func (c *core) CheckInvariants() error {
	return rules.FirstBroken(c, func() {
		for at, e := range c.entries {
			rules.Must(at == 0 || e.deadline >= c.entries[(at-1)/arity].deadline,
				"entry %d is due at %d, before its parent", at, e.deadline)
			rules.Must(e.timer.place == at+1 && e.timer.deadline == e.deadline,
				"the timer of entry %d, due at %d, says place %d and deadline %d", at, e.deadline, e.timer.place-1, e.timer.deadline)
		}
		for at, e := range c.entries[len(c.entries):cap(c.entries)] {
			rules.Must(e.timer == nil, "vacant entry %d keeps a timer alive", len(c.entries)+at)
		}
	})
}
