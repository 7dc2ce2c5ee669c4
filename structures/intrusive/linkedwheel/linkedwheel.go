// Package linkedwheel is the classical hierarchical timer wheel for timers that are fields of the
// caller's structs: one linked list per slot, with FIFO ties.
//
// A timer goes to the level and the slot that its deadline selects: level 0 has 256 slots of one tick, level 1 has
// 256 slots of 256 ticks, and so on for any int64. When the clock reaches a slot above level 0, its timers cascade to
// the levels below. A timer that is moved changes its slot at once.
//
// Pedigree. Scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987).
// [Linux] before 4.8, [tokio] and [ratas] (Juho Snellman 2016) link timers this way. Differences
// here: the levels cover every int64, and bitmaps lead to the next slot with timers.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop and Next are O(1) plus the cascades: a timer
// moves at most once a level. A slot cascades in one call, which moves all of its timers.
//
// Memory. A timer takes 32 bytes and its value, within the caller's struct. A wheel takes 33 KiB.
//
// Work counts SlotsVisited, slots that fired or cascaded; EmptySlots, those whose timers had all
// been cancelled; and Moved, timers that cascaded.
//
// Pick it if timers with equal deadlines must fire in order. Otherwise pick package hwheel.
//
// [Linux]: https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c
// [tokio]: https://github.com/tokio-rs/tokio/blob/4efe517d3e911f3e6e3682b5794cdc18052d53c3/tokio/src/runtime/time/wheel/mod.rs
// [ratas]: https://github.com/jsnell/ratas/blob/396a5ae84edacb0bcdf5d29f9979ceaad9f6c6a9/src/timer-wheel.h
package linkedwheel

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// Timer is a timer of a Wheel, usually a field of the struct that it belongs to. The zero Timer
// is ready for use. A pending Timer must not be copied: go vet reports such a copy, and methods of
// the wheel panic when they are given one.
type Timer[T any] struct {
	_     links.NoCopy
	node  links.Node
	Value T // for the caller, usually a pointer to the struct; the wheel never touches it
}

// Deadline returns the tick at which the timer is due, after the rule for past deadlines. For a
// timer that is not pending, it returns the last deadline that the timer had, at first 0.
func (t *Timer[T]) Deadline() structures.Tick { return t.node.Deadline }

// Wheel is a hierarchical timer wheel. Make it with New. It is for one goroutine at a time.
type Wheel[T any] struct{ core }

// New returns an empty wheel whose clock is at tick 0.
func New[T any]() *Wheel[T] {
	w := &Wheel[T]{core{key: links.NewKey()}}
	for l := range w.slots {
		for s := range w.slots[l] {
			w.slots[l][s].Clear()
		}
	}
	return w
}

// Schedule makes t pending, or moves it. A deadline at or before the clock counts as the tick after it. It costs
// O(1). Like Reschedule and Cancel, it panics if t is pending in another wheel or is a copy of a pending timer.
func (w *Wheel[T]) Schedule(t *Timer[T], deadline structures.Tick) {
	if !w.Reschedule(t, deadline) {
		w.schedule(&t.node, deadline)
	}
}

// Reschedule moves a pending timer. It returns false if t is not pending. It costs O(1).
func (w *Wheel[T]) Reschedule(t *Timer[T], deadline structures.Tick) bool {
	return w.mine(&t.node) && w.move(&t.node, deadline)
}

// Cancel removes a pending timer, which is then free for any use. It returns false if t is not pending. It costs O(1).
func (w *Wheel[T]) Cancel(t *Timer[T]) bool {
	return w.mine(&t.node) && w.remove(&t.node)
}

// Pop moves the clock to now, unless it is there or past it, and removes and returns one timer
// that is due, the earliest first and FIFO among equal deadlines. It returns nil if no timer is
// due. The timer is free for any use at once. Pop costs O(1) plus the cascades, O(levels) a
// timer over its life; a slot that starts moves all its timers.
func (w *Wheel[T]) Pop(now structures.Tick) *Timer[T] { return (*Timer[T])(unsafe.Pointer(w.pop(now))) }

// Len returns the number of pending timers, including those that are due. It costs O(1).
func (w *Wheel[T]) Len() int { return w.count }

// Work returns the counters of the work done so far: slots that fired or cascaded, and timers that cascaded.
func (w *Wheel[T]) Work() structures.Work { return w.work }

// core is a wheel without the type of its values, so its methods are compiled once. Invariants:
//
//   - Each timer is in the slot that links.Place names for its deadline and the cursor.
//   - The cursor is at or before the clock. Timers due at the cursor are in its slot of level 0.
//   - Timers of a slot are in the order of their last Schedule or Reschedule.
//   - A slot with timers is marked in occupied, except the cursor's.
type core struct {
	clock, cursor structures.Tick
	key           links.Key
	count         int
	slots         [links.Levels][links.Slots]links.Link // heads of circular lists
	occupied      [links.Levels]links.Marks
	work          structures.Work
}

// mine reports whether a timer is pending in this wheel, and panics if it is not and says that it is pending.
func (c *core) mine(n *links.Node) bool { return c.key.Owns(n) || links.Refuse("linkedwheel", n) }

// schedule adds a timer that is not pending.
func (c *core) schedule(n *links.Node, deadline structures.Tick) {
	c.key.Seal(n)
	c.count++
	n.Deadline = rules.Clamp(c.clock, deadline)
	c.file(n)
}

// move puts a timer into the slot of another deadline, and returns true.
func (c *core) move(n *links.Node, deadline structures.Tick) bool {
	n.Unlink()
	n.Deadline = rules.Clamp(c.clock, deadline)
	c.file(n)
	return true
}

// file puts a timer into the slot of its deadline.
func (c *core) file(n *links.Node) {
	l, s := links.Place(n.Deadline, c.cursor)
	c.occupied[l%links.Levels].Mark(s)
	c.slots[l][s].Append(&n.Link)
}

// remove takes out a timer, and returns true.
func (c *core) remove(n *links.Node) bool {
	c.count--
	n.Remove()
	return true
}

// pop is Pop, and returns nil if no timer is due.
func (c *core) pop(now structures.Tick) *links.Node {
	c.clock = max(c.clock, now)
	n := c.front()
	if n != nil {
		c.remove(n)
	}
	return n
}

// front moves the cursor on, at most to the clock, until a timer is due, and returns that timer.
// It returns nil if none is due; then the cursor is at the clock.
func (c *core) front() *links.Node {
	for {
		if due := &c.slots[0][uint8(c.cursor)]; !due.Empty() {
			return links.NodeOf(due.Next)
		}
		l, s, ok := c.first()
		start := links.Start(c.cursor, l, s)
		if !ok || start > c.clock {
			c.cursor = c.clock
			return nil
		}
		c.cursor = start
		c.open(l, s)
	}
}

// first returns the first marked slot after the cursor. Each slot of a level is before all slots of the levels above.
func (c *core) first() (l uint, s uint8, ok bool) {
	for l := range c.occupied {
		if s, ok := c.occupied[l].After(links.DigitOf(c.cursor, uint(l))); ok {
			return uint(l), s, true
		}
	}
	return 0, 0, false
}

// open cascades the timers of a slot that starts at the cursor, in their order. A slot of level 0 stays as it is.
func (c *core) open(l uint, s uint8) {
	c.occupied[l].Unmark(s)
	c.work.SlotsVisited++
	head := &c.slots[l][s]
	if head.Empty() {
		c.work.EmptySlots++
	}
	if l == 0 {
		return
	}
	t := head.Next
	head.Clear()
	for t != head {
		next := t.Next
		c.work.Moved++
		c.file(links.NodeOf(t))
		t = next
	}
}

// Next returns a tick before which no timer is due: the earliest deadline, if that is in a slot of one tick, or else
// the start of the first slot that cascades. ok is false if no timer is pending. The tick is after the clock unless a
// timer is due now. Next costs O(1) plus the cascades, which the next Pop then saves.
func (c *core) Next() (at structures.Tick, ok bool) {
	if c.count == 0 {
		return 0, false
	}
	if c.front() != nil {
		return c.cursor, true
	}
	for {
		l, s, _ := c.first()
		if !c.slots[l][s].Empty() {
			return links.Start(c.cursor, l, s), true
		}
		c.occupied[l].Unmark(s) // its timers were cancelled
	}
}

// CheckInvariants walks the wheel and returns the first broken invariant. It costs O(slots + n).
func (c *core) CheckInvariants() error { return rules.FirstBroken(c, c.check) }

func (c *core) check() {
	rules.Must(c.cursor <= c.clock, "the cursor %d is after the clock %d", c.cursor, c.clock)
	count := 0
	for l := range uint(links.Levels) {
		for s := range c.slots[l] {
			before := count
			links.Walk(&c.slots[l][s], &c.slots[l][s], c.key, func(t *links.Node) {
				count++
				level, slot := links.Place(t.Deadline, c.cursor)
				rules.Must(level == l && int(slot) == s, "a timer of level %d, slot %d is due at %d and belongs to level %d, slot %d",
					l, s, t.Deadline, level, slot)
			})
			rules.Must(count == before || c.occupied[l].Marked(uint8(s)) || l == 0 && uint8(s) == uint8(c.cursor),
				"level %d, slot %d has timers and is not marked", l, s)
		}
	}
	rules.Must(count == c.count, "%d timers in slots, %d pending", count, c.count)
}
