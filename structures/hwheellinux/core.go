package hwheellinux

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// core keeps slots of the slab in the lists of the levels until they expire, and
// then in the due list until they are popped.
type core struct {
	cursor   structures.Tick // at the clock; every list that expired up to here is in due
	lists    fifo.Lists
	heads    [levels << slotBits]fifo.List
	occupied [levels]uint64 // a bit for each list that holds a timer
	inUse    uint32         // a bit for each level that has one
	due      fifo.List
	in       []int16 // by slot of the slab: its list, or inDue
	next     structures.Tick
	work     structures.Work
}

// inDue stands for the due list.
const inDue = -1

func newCore(capacity int) core {
	return core{lists: fifo.New(capacity), in: make([]int16, 1, capacity+1), next: math.MaxInt64}
}

// add takes a slot in. The deadline is after the clock, or the last tick.
func (c *core) add(slot uint32, deadline structures.Tick) {
	c.lists.SetDeadline(slot, deadline)
	if int(slot) == len(c.in) {
		c.in = append(c.in, 0)
	}
	if deadline <= c.cursor { // the last tick, and the clock is there
		c.in[slot] = inDue
		c.lists.PushBack(&c.due, slot)
		return
	}
	list, expiry := place(deadline, c.cursor)
	c.in[slot] = int16(list)
	c.lists.PushBack(&c.heads[list], slot)
	c.occupied[list>>slotBits] |= 1 << (list & (slots - 1))
	c.inUse |= 1 << (list >> slotBits)
	c.next = min(c.next, expiry)
}

// remove unlinks a slot.
func (c *core) remove(slot uint32) {
	if c.in[slot] == inDue {
		c.lists.Remove(&c.due, slot)
		return
	}
	list := int(c.in[slot])
	if c.lists.Remove(&c.heads[list], slot) {
		c.vacate(list)
		c.next = c.cursor // unknown, as this list may have been the first
	}
}

// vacate notes that a list has become empty.
func (c *core) vacate(list int) {
	level := list >> slotBits
	c.occupied[level] &^= 1 << (list & (slots - 1))
	if c.occupied[level] == 0 {
		c.inUse &^= 1 << level
	}
}

// advance moves the cursor to the clock. Whatever expires on the way goes to the due
// list, in the order in which it expires. It costs O(levels) for each tick at which
// something does, and O(timers) for what does.
func (c *core) advance(clock structures.Tick) {
	for c.next <= clock {
		if c.next = c.first(); c.next > clock {
			break
		}
		c.cursor = c.next - 1 // so that the lists that expire at next are still ahead
		for rest := c.inUse; rest != 0; rest &= rest - 1 {
			// No two lists of a level expire at one tick, not even at the last one.
			if list := c.nextOf(bits.TrailingZeros32(rest)); expiryOf(list, c.cursor) == c.next {
				c.expire(list)
			}
		}
		c.cursor = c.next
		if c.cursor == math.MaxInt64 {
			break // nothing is after it
		}
	}
	c.cursor = max(c.cursor, clock)
}

// expire moves the timers of a list to the due list.
func (c *core) expire(list int) {
	for slot := range c.lists.All(c.heads[list]) {
		c.in[slot] = inDue
	}
	c.lists.Append(&c.due, &c.heads[list])
	c.vacate(list)
	c.work.SlotsVisited++
}

// nextOf returns the list of a level in use that expires next.
func (c *core) nextOf(level int) int {
	from := int(uint64(c.cursor)>>(stepBits*level)+1) & (slots - 1)
	return level<<slotBits | (from+bits.TrailingZeros64(bits.RotateLeft64(c.occupied[level], -from)))&(slots-1)
}

// first returns the tick at which the next list expires, or the last tick when there
// is none.
func (c *core) first() structures.Tick {
	first := structures.Tick(math.MaxInt64)
	for rest := c.inUse; rest != 0; rest &= rest - 1 {
		first = min(first, expiryOf(c.nextOf(bits.TrailingZeros32(rest)), c.cursor))
	}
	return first
}

// earliest returns the tick at which something expires, or the deadline of what has
// expired first. There must be a timer.
func (c *core) earliest() structures.Tick {
	if !c.due.Empty() {
		return c.lists.Deadline(c.due.Front())
	}
	if c.next <= c.cursor {
		c.next = c.first()
	}
	return c.next
}

// check walks all lists and names the first broken invariant. live tells which slots
// hold a pending timer, of which there are size.
func (c *core) check(size int, live func(slot uint32) bool) error {
	total, err := c.checkList(c.due, inDue, live)
	if err != nil {
		return err
	}
	first := structures.Tick(math.MaxInt64)
	for list := range c.heads {
		level := list >> slotBits
		if occupied := c.occupied[level]>>(list&(slots-1))&1 == 1; occupied == c.heads[list].Empty() {
			return fmt.Errorf("hwheellinux: list %d is empty and marked as occupied, or neither", list)
		}
		n, err := c.checkList(c.heads[list], list, live)
		if err != nil {
			return err
		}
		if n > 0 {
			first = min(first, expiryOf(list, c.cursor))
		}
		total += n
	}
	for level, bitmap := range c.occupied {
		if used := c.inUse>>level&1 == 1; used != (bitmap != 0) {
			return fmt.Errorf("hwheellinux: level %d is marked as in use, %t, its bitmap is %#x", level, used, bitmap)
		}
	}
	if c.next > c.cursor && c.next != first {
		return fmt.Errorf("hwheellinux: next is %d, the first list expires at %d", c.next, first)
	}
	if total != size {
		return fmt.Errorf("hwheellinux: %d timers in the lists, %d pending", total, size)
	}
	return nil
}

func (c *core) checkList(l fifo.List, list int, live func(slot uint32) bool) (length int, err error) {
	if length, err = c.lists.Check(l); err != nil {
		return 0, fmt.Errorf("hwheellinux: list %d: %w", list, err)
	}
	for slot, deadline := range c.lists.All(l) {
		if !live(slot) || int(c.in[slot]) != list {
			return 0, fmt.Errorf("hwheellinux: slot %d in list %d holds no timer or one of list %d", slot, list, c.in[slot])
		}
		if list == inDue {
			if deadline > c.cursor {
				return 0, fmt.Errorf("hwheellinux: deadline %d is due at %d", deadline, c.cursor)
			}
			continue
		}
		expiry := expiryOf(list, c.cursor)
		if late := expiry - deadline; late < 0 || late >= 1<<(stepBits*(list>>slotBits)) {
			return 0, fmt.Errorf("hwheellinux: deadline %d in list %d, which expires at %d", deadline, list, expiry)
		}
	}
	return length, nil
}
