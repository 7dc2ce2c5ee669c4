package hwheel

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
)

// CheckInvariants walks the whole wheel and names the first broken invariant.
// It costs O(slots + timers).
func (w *Wheel[T]) CheckInvariants() error {
	c := checker[T]{w: w, counts: make(map[uint32]int), chunks: make(map[uint32]bool)}
	for _, check := range []func() error{
		c.checkCursor, c.checkLists, c.checkStaged, c.checkDesk, c.checkRecords, c.checkChunks,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("hwheel: %w", err)
		}
	}
	return nil
}

// checker gathers what it has seen of a wheel.
type checker[T any] struct {
	w       *Wheel[T]
	counts  map[uint32]int  // by record: entries that come up in time
	chunks  map[uint32]bool // by first position: in a list
	entries int
}

func (c *checker[T]) checkCursor() error {
	w := c.w
	if w.cursor < 0 || w.cursor > w.now || w.cursor == math.MaxInt64 {
		return fmt.Errorf("cursor %d, clock %d", w.cursor, w.now)
	}
	return w.occupied.Check()
}

func (c *checker[T]) checkLists() error {
	w := c.w
	var busy [maxLevels]int
	if slot := w.occupied.Next(len(w.lists)); slot >= 0 {
		return fmt.Errorf("slot %d is marked as occupied, and has no list", slot)
	}
	for slot := range w.lists {
		sweeping := w.sweeper.rest != 0 && w.sweeper.slot == slot
		if has := w.lists[slot] != 0 || sweeping; has != w.occupied.Has(slot) {
			return fmt.Errorf("slot %d is marked as occupied: %t, and holds entries: %t", slot, !has, has)
		}
		if !w.occupied.Has(slot) {
			continue
		}
		level, tick := c.slotStart(slot)
		busy[level]++
		if w.next > tick {
			return fmt.Errorf("slot %d starts at tick %d, before the next thing to do at %d", slot, tick, w.next)
		}
		if level > 0 && w.upper > tick {
			return fmt.Errorf("slot %d starts at tick %d, before %d, the bound for levels above 0", slot, tick, w.upper)
		}
		if err := c.checkList(w.lists[slot], slot, level, tick); err != nil {
			return err
		}
		if sweeping {
			if err := c.checkList(w.sweeper.rest, slot, level, tick); err != nil {
				return err
			}
		}
	}
	if err := c.checkSoonest(); err != nil {
		return err
	}
	if busy != w.busy {
		return fmt.Errorf("occupied slots by level are %v, the counters say %v", busy, w.busy)
	}
	// Of the slot that is being served, nothing is known but that it is due.
	return c.checkList(w.serving.rest, w.near(w.serving.tick), 0, w.serving.tick)
}

// checkSoonest compares what is known of the slot to serve next with what a search
// finds.
func (c *checker[T]) checkSoonest() error {
	w := c.w
	if !w.soonest.known {
		return nil
	}
	upper := w.upper
	want := w.findSoonest()
	w.upper = upper
	if w.soonest != want {
		return fmt.Errorf("slot %d is the next one, at tick %d; the search finds %d at %d", w.soonest.slot, w.soonest.tick, want.slot, want.tick)
	}
	return nil
}

// slotStart returns the level of a slot and the tick at which it starts next.
func (c *checker[T]) slotStart(slot int) (level int, tick structures.Tick) {
	w := c.w
	level = w.levelIn(slot)
	size, number := 1<<w.ring, 0
	if level == 0 {
		size, number = 1<<w.fine, slot
	} else {
		number = slot - w.base(level)
	}
	first := uint64(w.cursor)>>w.shift(level) + 1
	ahead := (uint64(number) - first) & uint64(size-1)
	return level, structures.Tick((first + ahead) << w.shift(level))
}

func (c *checker[T]) checkList(l list, slot, level int, tick structures.Tick) error {
	w := c.w
	for l != 0 {
		link, held := w.entries.chunk(l)
		first := uint32(l) &^ chunkMask
		if c.chunks[first] || len(held) == 0 {
			return fmt.Errorf("slot %d: chunk %d is in a list already, or empty", slot, first)
		}
		c.chunks[first] = true
		for _, e := range held {
			c.entries++
			r := w.records.at(e.index())
			if !r.word.counts(e) {
				continue
			}
			// One that comes up after the deadline, or leads past it from level
			// 1, is dead and passes for a live one: stamps have come round. A
			// timer that was moved on within its slot still has the entry of its
			// deadline before.
			late := r.deadline < tick
			if level == 1 && w.start(1, r.deadline) == tick && w.near(structures.Tick(uint16(e))) > w.near(r.deadline) {
				late = true
			}
			if !late {
				c.counts[e.index()]++
			}
		}
		next, afterNext := linkOf(*link)
		if next != 0 {
			link, _ := w.entries.chunk(next)
			if want, _ := linkOf(*link); afterNext != want {
				return fmt.Errorf("slot %d: chunk %d links to %d and says that %d is next, but it is %d", slot, first, next, afterNext, want)
			}
		}
		l = next
	}
	return nil
}

func (c *checker[T]) checkStaged() error {
	w := c.w
	s := &w.serving
	for _, e := range s.staged[s.done:s.n] {
		c.entries++
		r := w.records.at(e.index)
		if r.word != e.word {
			continue
		}
		c.counts[e.index]++
		if r.deadline != s.tick || r.word.place() != staged {
			return fmt.Errorf("deadline %d is staged at tick %d", r.deadline, s.tick)
		}
	}
	if c.entries != w.linked+w.dead {
		return fmt.Errorf("%d entries, the counters say %d that count and %d dead", c.entries, w.linked, w.dead)
	}
	return nil
}

func (c *checker[T]) checkDesk() error {
	d := &c.w.desk
	n := bits.Len32(d.open)
	if d.open != 1<<n-1 || d.taken&^d.open != 0 {
		return fmt.Errorf("positions %#x of the desk have timers, and %#x have records", d.taken, d.open)
	}
	for position, id := range d.ready[:n] {
		r := d.record[position]
		if r != c.w.records.at(uint32(id)) || idOf(uint32(id), r.word) != id || r.word&atDesk == 0 ||
			r.word.position() != position || id>>32&1 == 0 {
			return fmt.Errorf("position %d at the desk has ID %#x, its record says %#x", position, id, r.word)
		}
		if d.holds(position) && c.w.next > r.deadline {
			return fmt.Errorf("deadline %d at the desk is before the next thing to do at %d", r.deadline, c.w.next)
		}
	}
	return nil
}

// checkRecords makes sure that every timer in the wheel has an entry, and every
// record that is not in use is free, once.
func (c *checker[T]) checkRecords() error {
	w := c.w
	free, err := c.freeRecords()
	if err != nil {
		return err
	}
	timers := 0
	for index := range w.records.fresh {
		r := w.records.at(index)
		word, used := r.word, r.word&1 == 1
		switch {
		case used && free[index]:
			return fmt.Errorf("record %d is free and in use", index)
		case !used && !free[index] && !word.spent():
			return fmt.Errorf("record %d is neither in use nor free", index)
		case used && word&atDesk != 0 && w.desk.record[word.position()] != r:
			return fmt.Errorf("record %d is not at the desk where it says, at position %d", index, word.position())
		case used && word&atDesk == 0:
			timers++
			if c.counts[index] == 0 {
				return fmt.Errorf("record %d has no entry that comes up by its deadline, %d", index, r.deadline)
			}
		}
	}
	if timers != w.linked {
		return fmt.Errorf("%d timers in the wheel, the counter says %d", timers, w.linked)
	}
	return nil
}

func (c *checker[T]) freeRecords() (map[uint32]bool, error) {
	free := make(map[uint32]bool)
	add := func(indexes []uint32) error {
		for _, index := range indexes {
			if free[index] || index >= c.w.records.fresh {
				return fmt.Errorf("record %d is free twice, or out of range", index)
			}
			free[index] = true
		}
		return nil
	}
	s := &c.w.records.free
	err := errors.Join(add(s.top[:s.n]), add(c.w.desk.coming[:bits.Len32(c.w.desk.open)]))
	for _, page := range s.pages[:s.deep] {
		err = errors.Join(err, add(page[:]))
	}
	return free, err
}

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
