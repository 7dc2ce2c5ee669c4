package hwheellinux

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// core orders slots by the tick at which they expire. A slot is in a list of a level until that
// list expires, and then in the due list. The cursor is at the clock, and all lists that expire up to
// it are in the due list.
type core struct {
	cursor   structures.Tick
	nodes    fifo.Lists
	heads    [levels << listBits]fifo.List
	occupied [levels]uint64 // a bit for each list that holds a timer
	inUse    uint32         // a bit for each level that holds a timer
	due      fifo.List
	list     []int16         // by slot: the number of its list, or inDue
	next     structures.Tick // the tick at which the next list expires; unknown if at most the cursor
	work     structures.Work
}

// inDue stands for the due list.
const inDue = -1

func newCore(capacity int) core {
	return core{nodes: fifo.New(capacity), list: make([]int16, 1, capacity+1), next: math.MaxInt64}
}

// add adds a slot to the list for its deadline, seen from the cursor.
func (c *core) add(slot uint32, deadline structures.Tick) {
	c.nodes.SetDeadline(slot, deadline)
	if int(slot) == len(c.list) {
		c.list = append(c.list, 0)
	}
	if deadline <= c.cursor { // the last tick, and the clock is there
		c.list[slot] = inDue
		c.nodes.PushBack(&c.due, slot)
		return
	}
	list, expiry := listFor(deadline, c.cursor)
	c.list[slot] = int16(list)
	c.nodes.PushBack(&c.heads[list], slot)
	c.occupied[list>>listBits] |= 1 << (list & (lists - 1))
	c.inUse |= 1 << (list >> listBits)
	c.next = min(c.next, expiry)
}

// remove unlinks a slot.
func (c *core) remove(slot uint32) {
	if c.list[slot] == inDue {
		c.nodes.Remove(&c.due, slot)
		return
	}
	list := int(c.list[slot])
	if c.nodes.Remove(&c.heads[list], slot) {
		c.setEmpty(list)
		c.next = c.cursor // unknown, as this list may have been the next
	}
}

// earliest returns the tick at which a list expires next, or the deadline of the first
// timer of the due list. There must be a timer.
func (c *core) earliest() structures.Tick {
	if !c.due.Empty() {
		return c.nodes.Deadline(c.due.Front())
	}
	if c.next <= c.cursor {
		c.next = c.first()
	}
	return c.next
}

// setEmpty clears the bit of a list that has become empty.
func (c *core) setEmpty(list int) {
	level := list >> listBits
	c.occupied[level] &^= 1 << (list & (lists - 1))
	if c.occupied[level] == 0 {
		c.inUse &^= 1 << level
	}
}

// advance moves the cursor to the clock, and the lists that expire on the way to the due
// list, in the order in which they expire. It costs O(levels) for each tick at which a
// list expires, and O(timers) for its timers.
func (c *core) advance(clock structures.Tick) {
	for c.next <= clock {
		if c.next = c.first(); c.next > clock {
			break
		}
		c.cursor = c.next - 1 // so that the lists that expire at next are still ahead of it
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

// expire appends a list to the due list.
func (c *core) expire(list int) {
	for slot := range c.nodes.All(c.heads[list]) {
		c.list[slot] = inDue
	}
	c.nodes.Append(&c.due, &c.heads[list])
	c.setEmpty(list)
	c.work.SlotsVisited++
}

// nextOf returns the list of a level in use that expires next.
func (c *core) nextOf(level int) int {
	from := int(uint64(c.cursor)>>(stepBits*level)+1) & (lists - 1)
	return level<<listBits | (from+bits.TrailingZeros64(bits.RotateLeft64(c.occupied[level], -from)))&(lists-1)
}

// first returns the tick at which the next list expires, or the last tick if there is
// none.
func (c *core) first() structures.Tick {
	first := structures.Tick(math.MaxInt64)
	for rest := c.inUse; rest != 0; rest &= rest - 1 {
		first = min(first, expiryOf(c.nextOf(bits.TrailingZeros32(rest)), c.cursor))
	}
	return first
}

// walk adds level 0, the other levels that hold a timer, and the due list. The
// span of a list is the deadlines that it takes, the last of which is when it expires.
func (c *core) walk(b *snapshot.Builder) error {
	if c.cursor != b.Clock {
		return fmt.Errorf("hwheellinux: cursor %d, clock %d", c.cursor, b.Clock)
	}
	first := structures.Tick(math.MaxInt64)
	for level := range levels {
		shift := stepBits * level
		width := structures.Tick(1) << shift
		b.Begin(shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: lists,
			Width: width, Now: int(uint64(c.cursor) >> shift & (lists - 1)),
		})
		if used := c.inUse>>level&1 == 1; used != (c.occupied[level] != 0) {
			return fmt.Errorf("hwheellinux: level %d is marked as in use, %t, its bitmap is %#x",
				level, used, c.occupied[level])
		}
		for i := range lists {
			list := level<<listBits | i
			l, to := c.heads[list], expiryOf(list, c.cursor)
			if occupied := c.occupied[level]>>i&1 == 1; occupied == l.Empty() {
				return fmt.Errorf("hwheellinux: list %d is empty and marked as occupied, or neither", list)
			}
			if !l.Empty() {
				first = min(first, to)
			}
			cell := shape.Cell{Index: i, From: (to-1)&^(width-1) + 1, To: to}
			if err := c.walkList(b, cell, l, list); err != nil {
				return err
			}
		}
		b.DropEmpty()
	}
	if c.next > c.cursor && c.next != first {
		return fmt.Errorf("hwheellinux: next is %d, the first list expires at %d", c.next, first)
	}
	b.Begin(shape.Part{Name: "due", Kind: shape.List})
	for slot, deadline := range c.nodes.All(c.due) {
		if deadline > c.cursor || c.list[slot] != inDue {
			return fmt.Errorf("hwheellinux: slot %d of list %d, deadline %d, is due at %d",
				slot, c.list[slot], deadline, c.cursor)
		}
		b.Timer(shape.Cell{}, slot, deadline)
	}
	b.DropEmpty()
	return nil
}

func (c *core) walkList(b *snapshot.Builder, cell shape.Cell, l fifo.List, list int) error {
	if _, err := c.nodes.Walk(b, cell, l); err != nil {
		return fmt.Errorf("hwheellinux: list %d: %w", list, err)
	}
	if l.Empty() {
		return nil
	}
	for slot := range c.nodes.All(l) {
		if int(c.list[slot]) != list {
			return fmt.Errorf("hwheellinux: slot %d of list %d is in list %d", slot, c.list[slot], list)
		}
	}
	return nil
}
