package fifo

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Queue orders timers by deadline, which is after the clock, or the last tick. It has Timers, whose Quiet it sets:
// Pop is not called before that tick.
type Queue interface {
	Add(slot uint32, n *Node)    // a timer that is not in the queue
	Remove(slot uint32, n *Node) // a timer of the queue
	Next() structures.Tick       // the tick for Scheduler.Next; the queue is not empty
	Work() structures.Work       // the counters of the work done so far

	// Pop removes a timer that is due at the clock, the earliest first, and returns it, or 0 after it has set Quiet.
	Pop() (slot uint32, n *Node)

	// Walk adds each slot to the builder, with the deadline under which it is filed. It returns the
	// first broken invariant that the builder does not check.
	Walk(b *snapshot.Builder) error
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
	timers.Set = records.Of[payload[T]]()
	timers.ReserveTimers(uint64(capacity) + 1)
	timers.At(timers.Take()).SetPlace(0) // slot none
	return Scheduler[T]{core{timers, queue}}
}

// Schedule adds a pending timer that comes due at deadline and returns its ID.
func (s *Scheduler[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	id, n := s.schedule(deadline)
	(*records.Valued[payload[T]])(unsafe.Pointer(n)).Value.value = value
	return id
}

// schedule is Schedule without the value, which belongs into the record.
func (c *core) schedule(deadline structures.Tick) (structures.ID, *Node) {
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
	return records.IDOf(slot, n.Generation), n
}

// link adds the last timer to the queue.
func (c *core) link() {
	last := c.timers.last
	c.timers.last = none
	c.queue.Add(last, c.timers.At(last))
}

// Reschedule moves a pending timer to deadline. It returns false when id is not pending.
func (c *core) Reschedule(id structures.ID, deadline structures.Tick) bool {
	n, ok := c.timers.find(id)
	if !ok {
		return false
	}
	deadline = rules.Clamp(c.timers.Clock, deadline)
	if uint32(id) == c.timers.last {
		n.Deadline = deadline
		return true
	}
	if c.timers.last != none {
		c.link()
	}
	c.queue.Remove(uint32(id), n)
	n.Deadline = deadline
	c.queue.Add(uint32(id), n)
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending.
func (c *core) Cancel(id structures.ID) bool {
	n, ok := c.timers.find(id)
	if !ok {
		return false
	}
	if uint32(id) == c.timers.last {
		c.timers.last = none
	} else {
		c.queue.Remove(uint32(id), n)
	}
	c.timers.ClearValue(&n.Record)
	if c.timers.end(n); !c.timers.TryRelease(uint32(id), &n.Record) {
		c.timers.Release(uint32(id), &n.Record)
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
func (c *core) CheckInvariants() error { return c.timers.Set.Check("fifo", holder{c}) }

// Snapshot returns the shape of the queue. It costs O(n), and is not for hot paths.
func (c *core) Snapshot() shape.Snapshot {
	if c.timers.last != none {
		c.link()
	}
	return c.timers.Set.Snapshot(holder{c})
}

// holder is a core that records can check.
type holder struct{ c *core }

// Walk adds all timers of the queue.
func (h holder) Walk(w *records.Walk) error {
	w.Clock = h.c.timers.Clock
	if err := h.c.queue.Walk(&w.Builder); err != nil {
		return err
	}
	if last := h.c.timers.last; last != none {
		w.Begin(shape.Part{Name: "the last timer", Kind: shape.List})
		w.Timer(shape.Cell{}, last, h.c.timers.Deadline(last))
	}
	return w.Held(h.c.timers.count)
}

// Parts returns the parts of a scheduler, for white-box tests.
func Parts[T any](s *Scheduler[T]) (*Timers, Queue) { return s.timers, s.queue }
