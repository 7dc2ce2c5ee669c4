package calendar

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks all buckets.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if len(c.buckets) != 1<<c.width || c.width < minWidth || c.shift < 0 || c.shift > maxShift {
		return fmt.Errorf("calendar: %d buckets, years of 2^%d days of 2^%d ticks", len(c.buckets), c.width, c.shift)
	}
	if c.size != size || size > 2*len(c.buckets) || c.width > minWidth && size < len(c.buckets)/2 {
		return fmt.Errorf("calendar: a size of %d in %d buckets, want %d", c.size, len(c.buckets), size)
	}
	linked := 0
	earliest := none
	for i := range c.buckets {
		n, err := c.checkBucket(&c.buckets[i], inUse)
		if err != nil {
			return fmt.Errorf("calendar: bucket %d: %w", i, err)
		}
		linked += n
		head := c.buckets[i].head
		if head != none && (earliest == none || c.nodes[head].deadline < c.nodes[earliest].deadline) {
			earliest = head
		}
	}
	if linked != size {
		return fmt.Errorf("calendar: %d timers in buckets, want %d", linked, size)
	}
	return c.checkFirst(earliest)
}

// checkBucket walks a bucket and returns its length. As each timer must point
// back to the one before, the walk ends even where links form a circle.
func (c *core) checkBucket(l *list, inUse func(slot uint32) bool) (length int, err error) {
	prev := none
	for slot := l.head; slot != none; slot = c.nodes[slot].next {
		if int(slot) >= len(c.nodes) || !inUse(slot) {
			return 0, fmt.Errorf("slot %d is not in use", slot)
		}
		n := c.nodes[slot]
		switch {
		case n.prev != prev:
			return 0, fmt.Errorf("slot %d comes after %d but points back to %d", slot, prev, n.prev)
		case prev != none && n.deadline < c.nodes[prev].deadline:
			return 0, fmt.Errorf("deadline %d comes after %d", n.deadline, c.nodes[prev].deadline)
		case c.bucket(c.day(n.deadline)) != l:
			return 0, fmt.Errorf("deadline %d is in the bucket of another day", n.deadline)
		case c.day(n.deadline) < c.today:
			return 0, fmt.Errorf("deadline %d is on day %d, today is %d", n.deadline, c.day(n.deadline), c.today)
		}
		prev = slot
		length++
	}
	if l.tail != prev {
		return 0, fmt.Errorf("the last slot is %d, the bucket says %d", prev, l.tail)
	}
	return length, nil
}

// checkFirst checks first and today, given the earliest timer.
func (c *core) checkFirst(slot uint32) error {
	if c.first == none {
		return nil
	}
	if c.first != slot {
		return fmt.Errorf("calendar: the first timer is slot %d, want %d", c.first, slot)
	}
	if day := c.day(c.nodes[slot].deadline); day != c.today {
		return fmt.Errorf("calendar: the first timer is due on day %d, today is %d", day, c.today)
	}
	return nil
}

// Show adds the buckets that hold a timer. The span of a bucket is the day of its first
// timer; the others may be due on the day that has this bucket in another year.
func (c *core) Show(b *snapshot.Builder) {
	width := structures.Tick(1) << c.shift
	b.Begin(shape.Part{Name: "year", Kind: shape.Slots, Size: len(c.buckets), Width: width, Now: -1})
	now := c.bucket(c.day(b.Clock))
	for i := range c.buckets {
		l := &c.buckets[i]
		if l == now {
			b.Parts[0].Now = i
		}
		if l.head == none {
			continue
		}
		from := structures.Tick(c.day(c.nodes[l.head].deadline) << c.shift)
		cell := shape.Cell{Index: i, From: from, To: from + (width - 1)}
		b.Cell(cell, func(yield func(uint32, structures.Tick) bool) {
			for slot := l.head; slot != none && yield(slot, c.nodes[slot].deadline); {
				slot = c.nodes[slot].next
			}
		})
	}
}
