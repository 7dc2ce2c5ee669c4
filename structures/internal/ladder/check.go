package ladder

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/internal/records"
)

// Check names the first broken invariant. It notes the records of the timers.
func (q *Queue[T]) Check(rs *records.Checker[T]) error {
	c := checker[T]{q: q, rs: rs, listed: make(map[uint32]bool)}
	if q.base < 0 || q.base > rs.Set.Clock {
		return fmt.Errorf("base %d, clock %d", q.base, rs.Set.Clock)
	}
	if err := c.checkFront(); err != nil {
		return err
	}
	listed := 0
	for at, first := range q.nodes.heads {
		length, err := c.checkList(position(at), first)
		if err != nil {
			return fmt.Errorf("level %d, slot %d: %w", position(at).level(), position(at).slot(), err)
		}
		listed += length
	}
	free := 0
	for n := q.nodes.free; n != 0 && free <= len(q.nodes.all); n = q.nodes.all[n].behind {
		free++
	}
	if want := max(0, len(q.nodes.all)-1); listed+free != want && !q.nodes.byIndex {
		return fmt.Errorf("%d nodes in lists and %d free ones, want %d", listed, free, want)
	}
	for index := range rs.Set.Fresh() {
		if r := rs.Set.At(index); r.Where.InList() != c.listed[index] {
			return fmt.Errorf("record %d is in no list, and says %#x", index, r.Where)
		}
	}
	if c.pending != q.count {
		return fmt.Errorf("%d timers in lists and in front, the counter says %d", c.pending, q.count)
	}
	return nil
}

type checker[T any] struct {
	q       *Queue[T]
	rs      *records.Checker[T]
	listed  map[uint32]bool // records in lists, also free ones
	pending int             // timers in lists and in front
}

func (c *checker[T]) checkFront() error {
	last := c.q.front.limit
	for _, e := range c.q.front.entries {
		if e.deadline > last {
			return fmt.Errorf("deadline %d in front comes after %d", e.deadline, last)
		}
		last = e.deadline
		if r := c.rs.Set.At(e.index); current(e, r) && !r.Where.InList() && !c.rs.Seen(e.index) {
			if err := c.checkPending(r, e.index); err != nil {
				return err
			}
			if r.Where != records.Nowhere {
				return fmt.Errorf("record %d is in front, and says %#x", e.index, r.Where)
			}
		}
	}
	return nil
}

// checkList checks the list of a slot, and returns its length.
func (c *checker[T]) checkList(at position, first uint32) (length int, err error) {
	q := c.q
	occupied := q.occupied[at.level()]
	if (occupied>>at.slot()&1 == 1) != (first != 0) ||
		(q.levels>>at.level()&1 == 1) != (occupied != 0) {
		return 0, fmt.Errorf("the first node is %d, the slots are %#x, the levels %#x",
			first, occupied, q.levels)
	}
	start := q.startOf(at)
	if first != 0 && start < q.base {
		return 0, fmt.Errorf("it starts at %d, before the base %d", start, q.base)
	}
	for before, number := uint32(0), first; number != 0; length++ {
		n := q.nodes.all[number]
		r := c.rs.Set.At(n.index)
		if want := q.nodes.where(number, at); c.listed[n.index] || n.before != before || r.Where != want {
			return 0, fmt.Errorf("record %d is in two lists, or says %#x, want %#x, or its link back "+
				"is %d, want %d",
				n.index, r.Where, want, n.before, before)
		}
		c.listed[n.index] = true
		if r.Pending() {
			if r.Deadline < max(start, q.front.limit) {
				return 0, fmt.Errorf("deadline %d, start %d, the limit of the front %d",
					r.Deadline, start, q.front.limit)
			}
			if err := c.checkPending(r, n.index); err != nil {
				return 0, err
			}
		}
		before, number = number, n.behind
	}
	return length, nil
}

// checkPending counts a timer.
func (c *checker[T]) checkPending(r *records.Record[T], index uint32) error {
	if r.Deadline < c.q.quiet {
		return fmt.Errorf("deadline %d is before %d, until when nothing should be due",
			r.Deadline, c.q.quiet)
	}
	c.pending++
	return c.rs.See(index)
}
