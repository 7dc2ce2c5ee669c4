package auto

import (
	"fmt"
)

// checkLists checks the front and the lists. While all timers are in them, it checks that they
// are.
func (c *checker[T]) checkLists() error {
	p, t := &c.t.lists, c.t
	if p.base < 0 || p.base > t.clock {
		return fmt.Errorf("base %d, clock %d", p.base, t.clock)
	}
	if err := c.checkFront(); err != nil {
		return err
	}
	listed := 0
	for at, first := range p.heads {
		length, err := c.checkList(position(at), first)
		if err != nil {
			return fmt.Errorf("level %d, slot %d: %w", position(at).level(), position(at).slot(), err)
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
	if t.mode == changing {
		return nil
	}
	if c.pending != t.settled {
		return fmt.Errorf("%d timers in lists and in front, the counter says %d", c.pending, t.settled)
	}
	return nil
}

func (c *checker[T]) checkFront() error {
	f, t := &c.t.lists.front, c.t
	if t.mode == changing && len(f.entries) > 0 {
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

// checkList checks the list of a slot, and returns its length.
func (c *checker[T]) checkList(at position, first uint16) (length int, err error) {
	p, t := &c.t.lists, c.t
	occupied := p.occupied[at.level()]
	if (occupied>>at.slot()&1 == 1) != (first != 0) || (p.levels>>at.level()&1 == 1) != (occupied != 0) {
		return 0, fmt.Errorf("the first node is %d, the slots are %#x, the levels %#x", first, occupied, p.levels)
	}
	start := p.startOf(at)
	if first != 0 && start < p.base {
		return 0, fmt.Errorf("it starts at %d, before the base %d", start, p.base)
	}
	for before, number := uint16(0), first; number != 0; length++ {
		n := p.nodes[number]
		r := t.records.At(n.index)
		want := where(number)<<nodeShift | where(at)<<positionShift | nowhere
		if c.listed[n.index] || n.before != before || r.where != want {
			return 0, fmt.Errorf("record %d is in two lists, or says %#x, want %#x, or its link back is %d, want %d",
				n.index, r.where, want, n.before, before)
		}
		c.listed[n.index] = true
		if r.generation&1 == 1 {
			if r.deadline < max(start, p.front.limit) {
				return 0, fmt.Errorf("deadline %d, start %d, the limit of the front %d", r.deadline, start, p.front.limit)
			}
			if err := c.checkPending(r, n.index); err != nil {
				return 0, err
			}
		}
		before, number = number, n.behind
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
