package ffsqueue

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the buckets and the heap.
func (c *core) Check(nodes *fifo.Lists, clock structures.Tick, size int, mayBeLinked func(timer uint32) bool) error {
	if c.cursor < 0 || c.cursor > clock {
		return fmt.Errorf("ffsqueue: cursor %d, clock %d", c.cursor, clock)
	}
	if err := c.occupied.Check(); err != nil {
		return fmt.Errorf("ffsqueue: %w", err)
	}
	if err := c.far.Check(clock, c.far.Len(), mayBeLinked); err != nil {
		return fmt.Errorf("ffsqueue: %w", err)
	}
	for timer, deadline := range c.far.All() {
		if deadline < max(c.cursor, c.next) || nodes.Deadline(timer) != deadline {
			return fmt.Errorf("ffsqueue: timer %d, deadline %d, is in the heap for %d; the cursor is %d, next %d",
				timer, nodes.Deadline(timer), deadline, c.cursor, c.next)
		}
	}
	total := c.far.Len()
	// A timer in a bucket that is not marked as occupied is missing in the sum.
	for i := c.occupied.Next(0); i >= 0; i = c.occupied.Next(i + 1) {
		length, err := nodes.Check(c.buckets[i])
		if err != nil || length == 0 {
			return fmt.Errorf("ffsqueue: bucket %d is marked as occupied and holds %d timers: %w", i, length, err)
		}
		for timer, deadline := range nodes.All(c.buckets[i]) {
			if deadline < max(c.cursor, c.next) || uint64(deadline-c.cursor) > c.mask || c.bucket(deadline) != i || !mayBeLinked(timer) {
				return fmt.Errorf("ffsqueue: timer %d, deadline %d, is in bucket %d, or not pending; the cursor is %d, next %d",
					timer, deadline, i, c.cursor, c.next)
			}
		}
		total += length
	}
	if total != size {
		return fmt.Errorf("ffsqueue: %d timers in occupied buckets and in the heap, want %d", total, size)
	}
	return nil
}

// Show adds the occupied buckets, and the heap if it holds a timer.
func (c *core) Show(nodes *fifo.Lists, b *snapshot.Builder) {
	b.Begin(shape.Part{
		Name: "buckets", Kind: shape.Slots, Size: len(c.buckets), Width: 1, Now: c.bucket(b.Clock),
	})
	for i := c.occupied.First(); i >= 0; i = c.occupied.Next(i + 1) {
		tick := c.cursor + structures.Tick((uint64(i)-uint64(c.cursor))&c.mask)
		b.Cell(shape.Cell{Index: i, From: tick, To: tick}, nodes.All(c.buckets[i]))
	}
	c.far.ShowIfAny(b)
}
