package hwheel

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// CheckInvariants walks the whole wheel and names the first broken invariant. It
// costs O(slots + timers).
func (w *Wheel[T]) CheckInvariants() error {
	c := checker[T]{w: w, entriesOf: make(map[uint32]int), chunks: make(map[uint32]bool)}
	for _, check := range []func() error{
		c.checkCursor, c.checkSlots, c.checkNextSlot, c.checkFiring, c.checkArrivals, c.checkRecords, c.checkChunks,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("hwheel: %w", err)
		}
	}
	return nil
}

// checker collects what it has seen of a wheel.
type checker[T any] struct {
	w         *Wheel[T]
	entriesOf map[uint32]int  // by record: entries that are reached by the deadline
	chunks    map[uint32]bool // by first position: chunks in a list
	entries   int
}

func (c *checker[T]) checkCursor() error {
	w := c.w
	if w.cursor < 0 || w.cursor > w.clock || w.cursor == math.MaxInt64 {
		return fmt.Errorf("cursor %d, clock %d", w.cursor, w.clock)
	}
	return w.occupied.Check()
}

func (c *checker[T]) checkSlots() error {
	w := c.w
	var occupiedSlots [maxLevels]int
	lists := 0 // of occupied slots, that are not empty
	for slot := w.occupied.First(); slot >= 0; slot = w.occupied.Next(slot + 1) {
		sweeping := w.sweeper.rest != 0 && w.sweeper.slot == slot
		if slot >= len(w.lists) || w.lists[slot] == 0 && !sweeping {
			return fmt.Errorf("slot %d is marked as occupied, and holds no entries", slot)
		}
		level, start := c.startOf(slot)
		occupiedSlots[level]++
		if w.nextWork > start {
			return fmt.Errorf("slot %d starts at tick %d, before the next work at %d", slot, start, w.nextWork)
		}
		if level > 0 && w.nextAbove > start {
			return fmt.Errorf("slot %d starts at tick %d, before %d, the bound for levels above 0", slot, start, w.nextAbove)
		}
		if w.lists[slot] != 0 {
			lists++
		}
		if err := c.checkList(w.lists[slot], slot, level, start); err != nil {
			return err
		}
		if sweeping {
			if err := c.checkList(w.sweeper.rest, slot, level, start); err != nil {
				return err
			}
		}
	}
	for _, l := range w.lists {
		if l != 0 {
			lists--
		}
	}
	if lists != 0 || w.sweeper.rest != 0 && !w.occupied.Has(w.sweeper.slot) {
		return errors.New("a slot holds entries, and is not marked as occupied")
	}
	if occupiedSlots != w.occupiedSlots {
		return fmt.Errorf("occupied slots by level are %v, the counters say %v", occupiedSlots, w.occupiedSlots)
	}
	return nil
}

// checkNextSlot compares the slot to process next, if it is known, with the one that
// a search finds.
func (c *checker[T]) checkNextSlot() error {
	w := c.w
	if !w.next.known {
		return nil
	}
	nextAbove := w.nextAbove
	found := w.findNextSlot()
	w.nextAbove = nextAbove
	if w.next != found {
		return fmt.Errorf("slot %d at tick %d is noted as the next one, and a search finds slot %d at %d",
			w.next.slot, w.next.start, found.slot, found.start)
	}
	return nil
}

// startOf returns the level of an occupied slot and the tick at which it starts.
func (c *checker[T]) startOf(slot int) (level int, start structures.Tick) {
	w := c.w
	level = w.levelOf(slot)
	size, number := 1<<w.ringBits, 0
	if level == 0 {
		size, number = 1<<w.levelBits, slot
	} else {
		number = slot - w.firstSlot(level)
	}
	first := uint64(w.cursor)>>w.widthBits(level) + 1
	ahead := (uint64(number) - first) & uint64(size-1)
	return level, structures.Tick((first + ahead) << w.widthBits(level))
}

// checkList checks the chunks of a list, and counts the entries that are reached by
// the deadline of their timer.
func (c *checker[T]) checkList(l list, slot, level int, start structures.Tick) error {
	w := c.w
	for l != 0 {
		header, held := w.entries.chunk(l)
		first := uint32(l) &^ chunkMask
		if c.chunks[first] || len(held) == 0 {
			return fmt.Errorf("slot %d: chunk %d is in two lists, or empty", slot, first)
		}
		c.chunks[first] = true
		for _, e := range held {
			c.entries++
			r := w.records.at(e.index())
			if !r.state.owns(e) {
				continue
			}
			// An entry that is reached after the deadline is a dead one with a
			// version that repeats. So is one of level 1 that leads past the
			// deadline. A timer that was moved within its slot of level 1 has an
			// entry with the old deadline, which is earlier.
			late := r.deadline < start
			if level == 1 && w.slotStart(1, r.deadline) == start && w.slot0(structures.Tick(uint16(e))) > w.slot0(r.deadline) {
				late = true
			}
			if !late {
				c.entriesOf[e.index()]++
			}
		}
		next, afterNext := linksOf(*header)
		if next != 0 {
			header, _ := w.entries.chunk(next)
			if want, _ := linksOf(*header); afterNext != want || next&chunkMask != chunkMask {
				return fmt.Errorf("slot %d: chunk %d links to %d and %d, want a full chunk and %d", slot, first, next, afterNext, want)
			}
		}
		l = next
	}
	return nil
}

func (c *checker[T]) checkFiring() error {
	w := c.w
	f := &w.firing
	slots := c.entries
	if err := c.checkList(f.rest, w.slot0(f.tick), 0, f.tick); err != nil {
		return err
	}
	for _, e := range f.staged[f.done:f.n] {
		c.entries++
		r := w.records.at(e.index)
		if r.state != e.state {
			continue
		}
		c.entriesOf[e.index]++
		if r.deadline != f.tick || r.state.location() != staged {
			return fmt.Errorf("deadline %d is staged at tick %d", r.deadline, f.tick)
		}
	}
	if (f.rest != 0 || f.done < f.n) && w.nextWork > w.clock {
		return fmt.Errorf("entries of tick %d are left, and the next work is at %d", f.tick, w.nextWork)
	}
	if c.entries != w.inSlots+w.dead {
		return fmt.Errorf("%d entries, the counters say %d live and %d dead", c.entries, w.inSlots, w.dead)
	}
	// The sweep lags behind what tooManyDead says: by a round, in which entries die
	// and timers leave. It does not reach the entries of the slot that fires.
	if dead := w.dead - (c.entries - slots); dead > 2*(w.inSlots+sweepFloor) {
		return fmt.Errorf("%d dead entries, and %d timers in slots", dead, w.inSlots)
	}
	return nil
}

func (c *checker[T]) checkArrivals() error {
	a := &c.w.arrivals
	n := bits.Len32(a.open)
	if a.open != 1<<n-1 || a.pending&^a.open != 0 {
		return fmt.Errorf("arrival buffer: positions %#x have timers, %#x are open", a.pending, a.open)
	}
	for position, id := range a.ids[:n] {
		r := a.records[position]
		if r != c.w.records.at(uint32(id)) || idOf(uint32(id), r.state) != id || r.state&inArrivals == 0 ||
			r.state.position() != position || id>>32&1 == 0 {
			return fmt.Errorf("arrival buffer: position %d has ID %#x, its record has state %#x", position, id, r.state)
		}
		if a.has(position) && c.w.nextWork > r.deadline {
			return fmt.Errorf("arrival buffer: deadline %d is before the next work at %d", r.deadline, c.w.nextWork)
		}
	}
	return nil
}

// checkRecords checks that every timer in a slot has an entry, and that every record
// is in use, free once, or exhausted.
func (c *checker[T]) checkRecords() error {
	w := c.w
	free, err := c.freeRecords()
	if err != nil {
		return err
	}
	inSlots := 0
	for index := range w.records.fresh {
		r := w.records.at(index)
		s, used := r.state, r.state&1 == 1
		switch {
		case used && free[index]:
			return fmt.Errorf("record %d is free and in use", index)
		case !used && !free[index] && !s.exhausted():
			return fmt.Errorf("record %d is neither in use nor free", index)
		case used && s&inArrivals != 0 && w.arrivals.records[s.position()] != r:
			return fmt.Errorf("record %d is not at position %d of the arrival buffer", index, s.position())
		case used && s&inArrivals == 0:
			inSlots++
			if c.entriesOf[index] == 0 {
				return fmt.Errorf("record %d has no entry that is reached by its deadline %d", index, r.deadline)
			}
		}
	}
	if inSlots != w.inSlots {
		return fmt.Errorf("%d timers in slots, the counter says %d", inSlots, w.inSlots)
	}
	return nil
}

// freeRecords returns the records that are free, or next at a position of the arrival
// buffer.
func (c *checker[T]) freeRecords() (map[uint32]bool, error) {
	free := make(map[uint32]bool)
	add := func(indexes []uint32) error {
		for _, index := range indexes {
			if free[index] || index >= c.w.records.fresh {
				return fmt.Errorf("record %d is free twice, or was never used", index)
			}
			free[index] = true
		}
		return nil
	}
	s, a := &c.w.records.free, &c.w.arrivals
	err := errors.Join(add(s.top[:s.n]), add(a.nextRecords[:bits.Len32(a.open)]))
	for _, page := range s.pages[:s.spilled] {
		err = errors.Join(err, add(page[:]))
	}
	return free, err
}

// checkChunks checks that every chunk is in one list, or free once.
func (c *checker[T]) checkChunks() error {
	e := &c.w.entries
	for l := e.free; l != 0; l = list(*e.at(uint32(l))) {
		if c.chunks[uint32(l)] {
			return fmt.Errorf("chunk %d is free and in use, or free twice", l)
		}
		c.chunks[uint32(l)] = true
	}
	if want := max(0, int(e.fresh)/chunkLen-1); len(c.chunks) != want {
		return fmt.Errorf("%d chunks, want %d", len(c.chunks), want)
	}
	return nil
}
