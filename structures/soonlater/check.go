package soonlater

import (
	"cmp"
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the wheels, the timers that are moving, and the heap.
func (c *core) Check(nodes *fifo.Lists, clock structures.Tick, size int, mayBeLinked func(timer uint32) bool) error {
	if c.cursor < 0 || c.cursor > clock {
		return fmt.Errorf("soonlater: cursor %d, clock %d", c.cursor, clock)
	}
	if err := cmp.Or(c.soon.occupied.Check(), c.later.occupied.Check(), c.far.Check(clock, c.far.Len(), mayBeLinked)); err != nil {
		return fmt.Errorf("soonlater: %w", err)
	}
	for timer, deadline := range c.far.All() {
		if deadline < max(c.cursor, c.next) || nodes.Deadline(timer) != deadline {
			return fmt.Errorf("soonlater: timer %d, deadline %d, is in the heap for %d; the cursor is %d, next %d",
				timer, nodes.Deadline(timer), deadline, c.cursor, c.next)
		}
	}
	now := c.half(c.cursor)
	soon, err := c.checkSoon(nodes, mayBeLinked)
	if err != nil {
		return err
	}
	later, err := c.checkLater(nodes, mayBeLinked)
	if err != nil {
		return err
	}
	moving, err := nodes.Check(c.moving)
	if err != nil || uint64(moving) > c.left || moving > 0 && c.next > c.start(now+1) {
		return fmt.Errorf("soonlater: %d timers are moving, %d are left, next %d: %w", moving, c.left, c.next, err)
	}
	for timer, deadline := range nodes.All(c.moving) {
		if c.half(deadline) != now+1 || !mayBeLinked(timer) {
			return fmt.Errorf("soonlater: timer %d, deadline %d, moves in half %d, or is not pending", timer, deadline, now)
		}
	}
	if total := soon + moving + later + c.far.Len(); total != size {
		return fmt.Errorf("soonlater: %d timers in occupied slots and in the heap, want %d", total, size)
	}
	return nil
}

func (c *core) checkSoon(nodes *fifo.Lists, mayBeLinked func(timer uint32) bool) (total int, err error) {
	// A timer in a slot that is not marked as occupied is missing in the sum.
	for i := c.soon.occupied.Next(0); i >= 0; i = c.soon.occupied.Next(i + 1) {
		length, err := nodes.Check(c.soon.lists[i])
		if err != nil || length == 0 {
			return 0, fmt.Errorf("soonlater: soon slot %d is marked as occupied and holds %d timers: %w", i, length, err)
		}
		for timer, deadline := range nodes.All(c.soon.lists[i]) {
			if deadline < max(c.cursor, c.next) || !c.isSoon(c.half(deadline)) || c.soon.index(deadline) != i || !mayBeLinked(timer) {
				return 0, fmt.Errorf("soonlater: timer %d, deadline %d, is in soon slot %d, or not pending; the cursor is %d, next %d",
					timer, deadline, i, c.cursor, c.next)
			}
		}
		total += length
	}
	return total, nil
}

func (c *core) checkLater(nodes *fifo.Lists, mayBeLinked func(timer uint32) bool) (total int, err error) {
	now := c.half(c.cursor)
	for i, l := range c.later.lists {
		length, err := nodes.Check(l)
		if err != nil || length != int(c.counts[i]) || c.later.occupied.Has(i) != (length > 0) {
			return 0, fmt.Errorf("soonlater: later slot %d holds %d timers, counted are %d, occupied is %t: %w",
				i, length, c.counts[i], c.later.occupied.Has(i), err)
		}
		for timer, deadline := range nodes.All(l) {
			half := c.half(deadline)
			if half < now+2 || half > now+structures.Tick(c.later.mask) || c.later.index(half) != i || c.next > c.start(half) || !mayBeLinked(timer) {
				return 0, fmt.Errorf("soonlater: timer %d, deadline %d of half %d, is in later slot %d, or not pending; the half is %d, next %d",
					timer, deadline, half, i, now, c.next)
			}
		}
		total += length
	}
	return total, nil
}

// Show adds both wheels, the timers that are moving if there are any, and the heap if it
// holds a timer.
func (c *core) Show(nodes *fifo.Lists, b *snapshot.Builder) {
	c.soon.show(nodes, b, "soon", 0, c.cursor)
	c.later.show(nodes, b, "later", c.width, c.cursor)
	b.List("moving to the soon wheel", nodes.All(c.moving))
	c.far.ShowIfAny(b)
}

// show adds the occupied slots of a wheel whose slots have 2^width ticks. None is before
// that of the cursor.
func (w *wheel) show(nodes *fifo.Lists, b *snapshot.Builder, name string, width uint, cursor structures.Tick) {
	ticks := structures.Tick(1) << width
	b.Begin(shape.Part{
		Name: name, Kind: shape.Slots, Size: len(w.lists), Width: ticks, Now: w.index(b.Clock >> width),
	})
	from := cursor >> width
	for i := w.occupied.First(); i >= 0; i = w.occupied.Next(i + 1) {
		first := (from + structures.Tick((uint64(i)-uint64(from))&w.mask)) << width
		b.Cell(shape.Cell{Index: i, From: first, To: first + ticks - 1}, nodes.All(w.lists[i]))
	}
}
