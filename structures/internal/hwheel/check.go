package hwheel

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// Check names the first broken invariant. It notes the records of the timers, and of those that
// are to come or to go.
func (w *Wheel[T]) Check(rs *records.Checker[T]) error {
	c := checker[T]{
		w: w, rs: rs, departed: make(map[records.Where]uint32), chunks: make(map[uint32]bool),
	}
	for _, check := range []func() error{
		c.checkCursor, c.checkDepartures, c.checkLevels, c.checkArrivals, c.checkChunks,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checker collects what it has seen.
type checker[T any] struct {
	w        *Wheel[T]
	rs       *records.Checker[T]
	departed map[records.Where]uint32 // the records that have left their places, by place
	chunks   map[uint32]bool          // chunks in lists, and free ones
	inWheel  int
}

func (c *checker[T]) checkCursor() error {
	w := c.w
	if w.cursor < 0 || w.cursor > c.rs.Set.Clock {
		return fmt.Errorf("cursor %d, clock %d", w.cursor, c.rs.Set.Clock)
	}
	if w.levels[0] != nil && w.firing() != 0 && w.slotsDue > c.rs.Set.Clock {
		return fmt.Errorf("timers are due at %d, and the next work is at %d", w.cursor, w.slotsDue)
	}
	if w.slotsDue > max(c.rs.Set.Clock, w.stepAt) {
		return fmt.Errorf("the next work is at %d, after %d, when timers are to be moved",
			w.slotsDue, w.stepAt)
	}
	return nil
}

func (c *checker[T]) checkDepartures() error {
	b := c.w
	if b.departed >= bufferLen || b.end-b.first >= vacantLen {
		return fmt.Errorf("%d departures and %d vacancies, and no room for another one",
			b.departed, b.end-b.first)
	}
	for _, d := range b.left[:b.departed] {
		if err := c.checkDeparture(d); err != nil {
			return fmt.Errorf("departures: %w", err)
		}
		if r := c.rs.Set.At(d.index); r.Pending() {
			if r.Deadline < c.w.buffersDue {
				return fmt.Errorf("departures: deadline %d is before %d, the first one in buffers",
					r.Deadline, c.w.buffersDue)
			}
			c.inWheel++
		}
	}
	for i := b.first; i != b.end; i++ {
		v := b.vacant[i&vacantMask]
		if err := c.checkDeparture(v.departure); err != nil {
			return fmt.Errorf("vacancies: %w", err)
		}
		if r := c.rs.Set.At(v.index); r.Pending() || r.Deadline != v.deadline {
			return fmt.Errorf("vacancies: record %d has generation %d and deadline %d, want %d",
				v.index, r.Generation, r.Deadline, v.deadline)
		}
	}
	return nil
}

// checkDeparture checks a record that has left its place, and notes the place.
func (c *checker[T]) checkDeparture(d departure) error {
	r := c.rs.Set.At(d.index)
	if _, twice := c.departed[d.from]; twice || r.Where != records.Nowhere {
		return fmt.Errorf("record %d was at %#x, and is at %#x", d.index, d.from, r.Where)
	}
	c.departed[d.from] = d.index
	return c.rs.See(d.index)
}

func (c *checker[T]) checkLevels() error {
	for level, g := range c.w.levels {
		if g == nil {
			continue
		}
		for slot, l := range g.lists {
			if occupied := g.occupied[slot>>6]>>(slot&63)&1 == 1; occupied != (l != 0) {
				return fmt.Errorf("level %d, slot %d: the list is %#x, and its bit is %t",
					level, slot, l, occupied)
			}
			if l == 0 {
				continue
			}
			if err := c.checkSlot(uint(level), uint32(slot), l); err != nil {
				return fmt.Errorf("level %d, slot %d: %w", level, slot, err)
			}
		}
		for i, word := range g.occupied {
			if g.summary>>i&1 == 1 != (word != 0) {
				return fmt.Errorf("level %d: bit %d of the summary is wrong", level, i)
			}
		}
	}
	if len(c.departed) > 0 {
		return errors.New("a timer in departures has no place in a slot")
	}
	if c.inWheel != c.w.count {
		return fmt.Errorf("%d timers in slots and departures, the counter says %d", c.inWheel, c.w.count)
	}
	return nil
}

func (c *checker[T]) checkSlot(level uint, slot uint32, l list) error {
	w := c.w
	first, last := w.spanOf(level, slot)
	if level > 0 && first < w.cascadeAt {
		return fmt.Errorf("it starts at %d, before %d", first, w.cascadeAt)
	}
	if level > 0 && w.cursor < windowStart(level, first) && w.stepAt > windowStart(level, first) {
		return fmt.Errorf("it can be emptied from %d on, which is noted for %d",
			windowStart(level, first), w.stepAt)
	}
	before, used := ofHead|uint32(level)<<ringBits|slot, uint16(1<<records.Places-1)&^(1<<(l&records.TagMask)-1)
	at := records.Where(0)
	if level > 0 {
		at = above
		last = math.MaxInt64 // where timers stay that are moved to later
	}
	chunks := uint32(0)
	for n := l.chunk(); n != 0; {
		chunk, mask := w.chunks.chunk.At(n), *w.chunks.mask.At(n)
		if c.chunks[n] || chunk.before != before || mask == 0 || mask&^used != 0 {
			return fmt.Errorf("chunk %d is in two lists, or its link back is %#x, want %#x, or its "+
				"mask is %#x, of %#x",
				n, chunk.before, before, mask, used)
		}
		c.chunks[n] = true
		for rest := mask; rest != 0; rest &= rest - 1 {
			place := bits.TrailingZeros16(rest)
			here := at | records.Where(n)<<records.TagBits | records.Where(place)
			if err := c.checkTimer(chunk.timers[place], here, first, last); err != nil {
				return err
			}
		}
		before, used = n, 1<<records.Places-1
		n = chunk.next
		chunks++
	}
	if chunks > w.levels[level].added[slot] {
		return fmt.Errorf("%d chunks, and %d were added", chunks, w.levels[level].added[slot])
	}
	return nil
}

// spanOf returns the first and the last tick of a slot, as seen from the cursor.
func (w *hierarchy) spanOf(level uint, slot uint32) (first, last structures.Tick) {
	number := uint64(w.cursor) >> widthBits(level)
	if level > 0 {
		number++
	}
	number += uint64((slot - uint32(number)) & ringMask)
	first = structures.Tick(number << widthBits(level))
	return first, first | (1<<widthBits(level) - 1)
}

// checkTimer checks the timer at a place in a slot.
func (c *checker[T]) checkTimer(index uint32, at records.Where, first, last structures.Tick) error {
	if left, ok := c.departed[at]; ok {
		delete(c.departed, at)
		if left != index {
			return fmt.Errorf("record %d is at %#x, and %d has left this place", index, at, left)
		}
		return nil
	}
	if err := c.rs.See(index); err != nil {
		return err
	}
	c.inWheel++
	r := c.rs.Set.At(index)
	if r.Where != at || !r.Pending() || r.Deadline < first || r.Deadline > last {
		return fmt.Errorf("record %d at %#x says %#x, generation %d, deadline %d; want one from %d to %d",
			index, at, r.Where, r.Generation, r.Deadline, first, last)
	}
	if r.Deadline < c.w.slotsDue {
		return fmt.Errorf("deadline %d is before the next work at %d", r.Deadline, c.w.slotsDue)
	}
	return nil
}

func (c *checker[T]) checkArrivals() error {
	b := c.w
	if b.arrived > b.positions || b.positions > bufferLen {
		return fmt.Errorf("arrival buffer: %d timers in %d positions", b.arrived, b.positions)
	}
	for position, id := range b.ids[:b.positions] {
		index, r := uint32(id), b.records[position]
		if err := c.rs.See(index); err != nil {
			return fmt.Errorf("arrival buffer: %w", err)
		}
		if r != c.rs.Set.At(index) || records.IDOf(index, r.Generation) != id || !r.Pending() ||
			r.Where != records.Where(position)<<records.TagBits|records.InBuffer {
			return fmt.Errorf("arrival buffer: position %d has ID %#x, its record is at %#x, generation %d",
				position, id, r.Where, r.Generation)
		}
		if position < int(b.arrived) && r.Deadline < c.w.buffersDue {
			return fmt.Errorf("arrival buffer: deadline %d is before %d, the first one in buffers",
				r.Deadline, c.w.buffersDue)
		}
	}
	return nil
}

// checkChunks checks that every chunk is in one list, or free once.
func (c *checker[T]) checkChunks() error {
	chunks := &c.w.chunks
	for n := chunks.free; n != 0; n = chunks.chunk.At(n).next {
		if c.chunks[n] || *chunks.mask.At(n) != 0 {
			return fmt.Errorf("chunk %d is free and in use, or free twice", n)
		}
		c.chunks[n] = true
	}
	if want := max(0, int(chunks.chunk.Fresh())-1); len(c.chunks) != want {
		return fmt.Errorf("%d chunks, want %d", len(c.chunks), want)
	}
	return nil
}
