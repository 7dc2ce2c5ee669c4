package auto

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// checkLists checks the front and the lists. While all timers are in them, it checks that they are.
func (c *checker[T]) checkLists() error {
	p, t := &c.t.lists, c.t
	if p.base < 0 || p.base > t.clock {
		return fmt.Errorf("base %d, clock %d", p.base, t.clock)
	}
	if err := c.checkFront(); err != nil {
		return err
	}
	listed := 0
	for position, n := range p.heads {
		length, err := c.checkList(uint32(position), n)
		if err != nil {
			return fmt.Errorf("level %d, slot %d: %w", position>>digitBits, position&digitMask, err)
		}
		listed += length
	}
	free := 0
	for n := p.free; n != 0 && free <= len(p.nodes); n = p.nodes[n].behind {
		free++
	}
	if want := max(0, len(p.nodes)-1); listed+free != want {
		return fmt.Errorf("%d nodes in lists and %d free ones, want %d", listed, free, want)
	}
	for index := range t.records.Fresh() {
		if r := t.records.At(index); r.where.inList() && !c.listed[index] {
			return fmt.Errorf("record %d is in no list, and says %#x", index, r.where)
		}
	}
	if t.changing {
		return nil
	}
	if c.pending != t.settled {
		return fmt.Errorf("%d timers in lists and in front, the counter says %d", c.pending, t.settled)
	}
	return nil
}

func (c *checker[T]) checkFront() error {
	f, t := &c.t.lists.front, c.t
	if t.changing && len(f.entries) > 0 {
		return fmt.Errorf("%d entries in front while all move to the wheel", len(f.entries))
	}
	last := f.limit
	for _, e := range f.entries {
		if e.deadline > last {
			return fmt.Errorf("deadline %d in front comes after %d", e.deadline, last)
		}
		last = e.deadline
		if r := t.records.At(e.index); stands(e, r) && !r.where.inList() && !c.seen[e.index] {
			if err := c.checkPending(r, e.index); err != nil {
				return err
			}
			if r.where != nowhere {
				return fmt.Errorf("record %d is in front, and says %#x", e.index, r.where)
			}
		}
	}
	return nil
}

// checkList checks the list at a position and returns its length.
func (c *checker[T]) checkList(position uint32, n uint16) (length int, err error) {
	p, t := &c.t.lists, c.t
	level, slot := position>>digitBits, position&digitMask
	if occupied := p.occupied[level]>>slot&1 == 1; occupied != (n != 0) || occupied && p.levels>>level&1 == 0 || (p.occupied[level] == 0) != (p.levels>>level&1 == 0) {
		return 0, fmt.Errorf("the first node is %d, the slots %#x, the levels %#x", n, p.occupied[level], p.levels)
	}
	start := p.startOf(position)
	if n != 0 && (start < p.base || slot <= uint32(p.base>>(level*digitBits))&digitMask && start != p.base) {
		return 0, fmt.Errorf("it starts at %d, and the base is %d", start, p.base)
	}
	for before := uint16(0); n != 0; length++ {
		at := p.nodes[n]
		r := t.records.At(at.index)
		want := where(n)<<nodeShift | where(position)<<positionShift | nowhere
		if c.listed[at.index] || at.before != before || r.where != want {
			return 0, fmt.Errorf("record %d is in two lists, or says %#x, want %#x, or its link back is %d, want %d",
				at.index, r.where, want, at.before, before)
		}
		c.listed[at.index] = true
		if r.generation&1 == 1 {
			if r.deadline < max(start, p.front.limit) {
				return 0, fmt.Errorf("deadline %d, start %d, the limit of the front %d", r.deadline, start, p.front.limit)
			}
			if err := c.checkPending(r, at.index); err != nil {
				return 0, err
			}
		}
		before, n = n, at.behind
	}
	return length, nil
}

// checkPending counts a timer of the lists.
func (c *checker[T]) checkPending(r *record[T], index uint32) error {
	if r.deadline < c.t.nextWork {
		return fmt.Errorf("deadline %d is before the next work at %d", r.deadline, c.t.nextWork)
	}
	c.pending++
	return c.see(index)
}

// frontEntries returns the entries of the front, the earliest timer first. Stale ones have no ID.
func (t *Timers[T]) frontEntries() []structures.Entry {
	var out []structures.Entry
	seen := make(map[uint32]bool)
	for _, e := range slices.Backward(t.lists.front.entries) {
		shown := structures.Entry{Deadline: e.deadline, Filed: e.deadline}
		if r := t.records.At(e.index); stands(e, r) && !r.where.inList() && !seen[e.index] {
			shown.ID = idOf(e.index, e.generation)
			seen[e.index] = true
		}
		out = append(out, shown)
	}
	return out
}
