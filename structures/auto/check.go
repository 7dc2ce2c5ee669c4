package auto

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// CheckInvariants walks the whole structure and names the first broken invariant. It
// costs O(slots + timers).
func (t *Timers[T]) CheckInvariants() error {
	c := checker[T]{t: t, seen: make(map[uint32]bool), listed: make(map[uint32]bool), chunks: make(map[uint32]bool)}
	var checks []func() error
	if t.mode != many {
		checks = append(checks, c.checkLists)
	}
	if t.mode != few {
		checks = append(checks, c.checkCursor, c.checkDepartures, c.checkLevels, c.checkArrivals, c.checkChunks)
	}
	checks = append(checks, c.checkRecords)
	for _, check := range checks {
		if err := check(); err != nil {
			return fmt.Errorf("auto: %w", err)
		}
	}
	return nil
}

// checker collects what it has seen.
type checker[T any] struct {
	t        *Timers[T]
	departed map[where]uint32 // the records of departures, by place
	seen     map[uint32]bool  // records in slots, in buffers, and free ones
	listed   map[uint32]bool  // records in lists, also free ones
	pending  int              // timers in lists and in front
	chunks   map[uint32]bool  // chunks in lists, and free ones
	inWheel  int
}

// see notes the use of a record, which must be the only one.
func (c *checker[T]) see(index uint32) error {
	if index >= c.t.records.Fresh() || c.seen[index] {
		return fmt.Errorf("record %d is used twice, or was never made", index)
	}
	c.seen[index] = true
	return nil
}

func (c *checker[T]) checkCursor() error {
	t := c.t
	if t.cursor < 0 || t.cursor > t.clock {
		return fmt.Errorf("cursor %d, clock %d", t.cursor, t.clock)
	}
	if t.firing() != 0 && t.nextWork > t.clock {
		return fmt.Errorf("timers are due at %d, and the next work is at %d", t.cursor, t.nextWork)
	}
	if t.nextWork > max(t.clock, t.aheadAt) {
		return fmt.Errorf("the next work is at %d, after %d, when timers are to be moved", t.nextWork, t.aheadAt)
	}
	return nil
}

func (c *checker[T]) checkDepartures() error {
	c.departed = make(map[where]uint32)
	b := c.t.buffers
	if b.departed >= bufferLen || b.end-b.first >= vacantLen {
		return fmt.Errorf("%d departures and %d vacancies, and no room for another one", b.departed, b.end-b.first)
	}
	for _, d := range b.left[:b.departed] {
		if err := c.checkDeparture(d); err != nil {
			return fmt.Errorf("departures: %w", err)
		}
		if r := c.t.records.At(d.index); r.generation&1 == 1 {
			if r.deadline < c.t.soonest {
				return fmt.Errorf("departures: deadline %d is before the soonest at %d", r.deadline, c.t.soonest)
			}
			c.inWheel++
		}
	}
	for i := b.first; i != b.end; i++ {
		v := b.vacant[i&vacantMask]
		if err := c.checkDeparture(v.departure); err != nil {
			return fmt.Errorf("vacancies: %w", err)
		}
		if r := c.t.records.At(v.index); r.generation&1 == 1 || r.deadline != v.deadline {
			return fmt.Errorf("vacancies: record %d has generation %d and deadline %d, want %d", v.index, r.generation, r.deadline, v.deadline)
		}
	}
	return nil
}

// checkDeparture checks a record that has left its place, and notes the place.
func (c *checker[T]) checkDeparture(d departure) error {
	r := c.t.records.At(d.index)
	if _, twice := c.departed[d.from]; twice || r.where != nowhere {
		return fmt.Errorf("record %d was at %#x, and is at %#x", d.index, d.from, r.where)
	}
	c.departed[d.from] = d.index
	return c.see(d.index)
}

func (c *checker[T]) checkLevels() error {
	for level, g := range c.t.levels {
		if g == nil {
			continue
		}
		for slot, l := range g.lists {
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
	if c.inWheel+c.pending != c.t.settled {
		return fmt.Errorf("%d timers in slots and departures, %d in lists, the counter says %d", c.inWheel, c.pending, c.t.settled)
	}
	return nil
}

func (c *checker[T]) checkSlot(level uint, slot uint32, l list) error {
	t := c.t
	if occupied := t.levels[level].occupied[slot>>6]>>(slot&63)&1 == 1; occupied != (l != 0) {
		return fmt.Errorf("the list is %#x, and its bit is %t", l, occupied)
	}
	if l == 0 {
		return nil
	}
	first, last := t.spanOf(level, slot)
	if level > 0 && first < t.nextAbove {
		return fmt.Errorf("it starts at %d, before %d", first, t.nextAbove)
	}
	if level > 0 && t.cursor < windowStart(level, first) && t.aheadAt > windowStart(level, first) {
		return fmt.Errorf("it can be emptied from %d on, which is noted for %d", windowStart(level, first), t.aheadAt)
	}
	before, used := ofHead|uint32(level)<<ringBits|slot, uint16(1<<chunkLen-1)&^(1<<(l&placeMask)-1)
	at := where(0)
	if level > 0 {
		at = above
		last = math.MaxInt64 // where timers stay that are moved to later
	}
	chunks := uint32(0)
	for n := l.chunk(); n != 0; {
		chunk, mask := t.chunks.chunk.At(n), *t.chunks.mask.At(n)
		if c.chunks[n] || chunk.before != before || mask == 0 || mask&^used != 0 {
			return fmt.Errorf("chunk %d is in two lists, or its link back is %#x, want %#x, or its mask is %#x, of %#x",
				n, chunk.before, before, mask, used)
		}
		c.chunks[n] = true
		for rest := mask; rest != 0; rest &= rest - 1 {
			place := bits.TrailingZeros16(rest)
			if err := c.checkTimer(chunk.timers[place], at|where(n)<<placeBits|where(place), first, last); err != nil {
				return err
			}
		}
		before, used = n, 1<<chunkLen-1
		n = chunk.next
		chunks++
	}
	if chunks > t.levels[level].pushed[slot] {
		return fmt.Errorf("%d chunks, and %d were added", chunks, t.levels[level].pushed[slot])
	}
	return nil
}

// spanOf returns the first and the last tick of a slot, as seen from the cursor.
func (w *wheel) spanOf(level uint, slot uint32) (first, last structures.Tick) {
	number := uint64(w.cursor) >> widthBits(level)
	if level > 0 {
		number++
	}
	number += uint64((slot - uint32(number)) & ringMask)
	first = structures.Tick(number << widthBits(level))
	return first, first | (1<<widthBits(level) - 1)
}

// checkTimer checks the timer at a place in a slot.
func (c *checker[T]) checkTimer(index uint32, at where, first, last structures.Tick) error {
	if left, ok := c.departed[at]; ok {
		delete(c.departed, at)
		if left != index {
			return fmt.Errorf("record %d is at %#x, and %d has left this place", index, at, left)
		}
		return nil
	}
	if err := c.see(index); err != nil {
		return err
	}
	c.inWheel++
	r := c.t.records.At(index)
	if r.where != at || r.generation&1 == 0 || r.deadline < first || r.deadline > last {
		return fmt.Errorf("record %d at %#x says %#x, generation %d, deadline %d; want one from %d to %d",
			index, at, r.where, r.generation, r.deadline, first, last)
	}
	if r.deadline < c.t.nextWork {
		return fmt.Errorf("deadline %d is before the next work at %d", r.deadline, c.t.nextWork)
	}
	return nil
}

func (c *checker[T]) checkArrivals() error {
	b := c.t.buffers
	if b.arrived > bufferLen {
		return fmt.Errorf("arrival buffer: %d timers", b.arrived)
	}
	for position, id := range b.ids {
		index, r := uint32(id), b.records[position]
		if err := c.see(index); err != nil {
			return fmt.Errorf("arrival buffer: %w", err)
		}
		if r != c.t.records.At(index) || idOf(index, r.generation) != id || r.generation&1 == 0 ||
			r.where != where(position)<<placeBits|inArrivals {
			return fmt.Errorf("arrival buffer: position %d has ID %#x, its record is at %#x, generation %d", position, id, r.where, r.generation)
		}
		if position < int(b.arrived) && r.deadline < c.t.soonest {
			return fmt.Errorf("arrival buffer: deadline %d is before the soonest at %d", r.deadline, c.t.soonest)
		}
	}
	return nil
}

// checkRecords checks that every record is in use, free once, or exhausted.
func (c *checker[T]) checkRecords() error {
	rs := &c.t.records
	for i := range rs.freeCount {
		index := *rs.free.At(i)
		if err := c.see(index); err != nil {
			return fmt.Errorf("free records: %w", err)
		}
		if r := rs.At(index); r.generation&1 == 1 || r.where != nowhere && !c.listed[index] {
			return fmt.Errorf("record %d is free, at %#x, and has generation %d", index, r.where, r.generation)
		}
	}
	for index := range rs.Fresh() {
		if r := rs.At(index); !c.seen[index] && (r.generation != 0 || r.where != nowhere && !c.listed[index]) {
			return fmt.Errorf("record %d is neither in use nor free", index)
		}
	}
	return nil
}

// checkChunks checks that every chunk is in one list, or free once.
func (c *checker[T]) checkChunks() error {
	chunks := &c.t.chunks
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
