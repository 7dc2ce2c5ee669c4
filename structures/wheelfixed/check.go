package wheelfixed

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks all slots and the heap.
func (c *core) Check(clock structures.Tick, size int, inUse func(timer uint32) bool) error {
	if c.cursor < 0 || c.cursor > clock {
		return fmt.Errorf("wheelfixed: cursor %d, clock %d", c.cursor, clock)
	}
	if err := c.heap.Check(clock, c.heap.Len(), inUse); err != nil {
		return fmt.Errorf("wheelfixed: %w", err)
	}
	for timer, deadline := range c.heap.All() {
		if c.places[timer] != inHeap || c.deadlines[timer] != deadline {
			return fmt.Errorf("wheelfixed: timer %d with deadline %d and place %#x is in the heap for %d", timer, c.deadlines[timer], c.places[timer], deadline)
		}
	}
	total := c.heap.Len()
	for number := range c.levels {
		l := &c.levels[number]
		if err := l.occupied.Check(); err != nil {
			return fmt.Errorf("wheelfixed: level %d: %w", number, err)
		}
		if used := c.inUse>>number&1 == 1; used != (l.occupied.First() >= 0) {
			return fmt.Errorf("wheelfixed: level %d is marked as in use, %t, and holds timers, %t", number, used, !used)
		}
		for i, n := range l.counts {
			if n > c.perSlot || l.occupied.Has(i) != (n > 0) {
				return fmt.Errorf("wheelfixed: slot %d of level %d holds %d of %d timers, marked as occupied: %t", i, number, n, c.perSlot, l.occupied.Has(i))
			}
			if err := c.checkSlot(number, i, inUse); err != nil {
				return err
			}
			total += int(n)
		}
	}
	if total != size {
		return fmt.Errorf("wheelfixed: %d timers in slots and in the heap, want %d", total, size)
	}
	at, slot := c.first()
	if c.next > at || c.firing >= 0 && (c.next != at || c.expiry(c.firing) != at) {
		return fmt.Errorf("wheelfixed: next is %d, slot %d; the first slot to expire is %d, at %d", c.next, c.firing, slot, at)
	}
	return nil
}

// expiry returns the tick at which a slot expires.
func (c *core) expiry(slot int) structures.Tick {
	shift := stepBits * (slot >> slotBits)
	unit := uint64(c.cursor)>>shift + 1
	unit += (uint64(slot) - unit) % slots
	return structures.Tick(unit << shift)
}

func (c *core) checkSlot(number, i int, inUse func(timer uint32) bool) error {
	l := &c.levels[number]
	slot := number<<slotBits | i
	for index := range l.counts[i] {
		timer := l.timers[uint32(i)*c.perSlot+index]
		if !inUse(timer) || c.places[timer] != uint32(slot)<<indexBits|index {
			return fmt.Errorf("wheelfixed: timer %d, number %d of slot %d of level %d, has place %#x, or is not pending", timer, index, i, number, c.places[timer])
		}
		if late := c.expiry(slot) - c.deadlines[timer]; late < 0 || late >= (1+probes)<<(stepBits*number) {
			return fmt.Errorf("wheelfixed: deadline %d is in slot %d of level %d, which expires at %d", c.deadlines[timer], i, number, c.expiry(slot))
		}
	}
	return nil
}

// Show adds level 0, the other levels that hold a timer, and the heap if it holds one.
// The span of a slot is the deadlines that it takes, the last of which is when it expires;
// as a timer may be put into a later slot than its own, the spans overlap.
func (c *core) Show(b *snapshot.Builder) {
	for number := range c.levels {
		l, shift := &c.levels[number], stepBits*number
		b.Begin(shape.Part{
			Name: fmt.Sprintf("level %d", number), Kind: shape.Slots, Size: slots,
			Now: int(uint64(b.Clock) >> shift % slots),
		})
		for i := l.occupied.First(); i >= 0; i = l.occupied.Next(i + 1) {
			to := c.expiry(number<<slotBits | i)
			cell := shape.Cell{Index: i, From: to - (1+probes)<<shift + 1, To: to}
			b.Cell(cell, func(yield func(uint32, structures.Tick) bool) {
				for index := range l.counts[i] {
					timer := l.timers[uint32(i)*c.perSlot+index]
					if !yield(timer, c.deadlines[timer]) {
						return
					}
				}
			})
		}
		b.DropEmpty()
	}
	c.heap.ShowIfAny(b)
}
