package lawn

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Check walks the heap and the lists.
func (c *core) Check(nodes *fifo.Lists, clock structures.Tick, size int, mayBeLinked func(timer uint32) bool) error {
	if c.clock != clock {
		return fmt.Errorf("lawn: the clock is %d, want %d", c.clock, clock)
	}
	if err := c.heap.Check(clock, c.heap.Len(), mayBeLinked); err != nil {
		return fmt.Errorf("lawn: %w", err)
	}
	heads, total := 0, 0
	for timer, deadline := range c.heap.All() {
		if got := nodes.Deadline(timer); got != deadline {
			return fmt.Errorf("lawn: timer %d has the deadline %d, in the heap %d", timer, got, deadline)
		}
		switch i := int(c.in[timer]) - 1; {
		case i < 0:
			total++
		case c.lists[i].Front() != timer:
			return fmt.Errorf("lawn: timer %d is in the heap, but it is not the first of list %d", timer, i)
		default:
			heads++
		}
	}
	for i, l := range c.lists {
		length, err := c.checkList(nodes, i, mayBeLinked)
		if err != nil {
			return err
		}
		total += length
		if !l.Empty() {
			heads--
		}
	}
	if heads != 0 || total != size {
		return fmt.Errorf("lawn: %d lists too many in the heap; %d timers, want %d", heads, total, size)
	}
	return nil
}

func (c *core) checkList(nodes *fifo.Lists, i int, mayBeLinked func(timer uint32) bool) (length int, err error) {
	l := c.lists[i]
	if length, err = nodes.Check(l); err != nil || length == 0 {
		return length, err
	}
	if first := c.group(c.delays[i]); i < first || i >= first+ways {
		return 0, fmt.Errorf("lawn: list %d is for delay %d, whose lists are %d to %d", i, c.delays[i], first, first+ways-1)
	}
	last := structures.Tick(math.MinInt64)
	for timer, deadline := range nodes.All(l) {
		if deadline < last || int(c.in[timer]) != i+1 || !mayBeLinked(timer) {
			return 0, fmt.Errorf("lawn: timer %d, deadline %d after %d, of list %d counted from 1, is in list %d counted from 0, or not pending",
				timer, deadline, last, c.in[timer], i)
		}
		last = deadline
	}
	return length, nil
}

// Show adds the heap, with the whole list in the place of its first timer.
func (c *core) Show(nodes *fifo.Lists, b *snapshot.Builder) {
	c.heap.Show(b)
	heap := &b.Parts[len(b.Parts)-1]
	cells := heap.Cells
	heap.Cells = nil
	cell := 0
	for timer, deadline := range c.heap.All() {
		at := cells[cell]
		at.Entries = nil
		if i := int(c.in[timer]) - 1; i >= 0 {
			b.Cell(at, nodes.All(c.lists[i]))
		} else {
			b.Timer(at, timer, deadline)
		}
		cell++
	}
}
