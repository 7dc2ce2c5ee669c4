package skiplist

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks all levels.
func (c *core) Check(_ structures.Tick, size int, inUse func(slot uint32) bool) error {
	if err := c.checkTowers(); err != nil {
		return err
	}
	order, err := c.checkOrder(size, inUse)
	if err != nil {
		return err
	}
	if n := len(order); n > 0 && order[n-1].deadline != c.last {
		return fmt.Errorf("skiplist: the latest deadline is %d, remembered is %d", order[n-1].deadline, c.last)
	}
	if c.levels > 0 && c.links[head+c.levels-1].next == head {
		return fmt.Errorf("skiplist: %d levels in use, the last of them is empty", c.levels)
	}
	for level := range uint32(maxHeight) {
		if err := c.checkLevel(level, order); err != nil {
			return err
		}
	}
	return nil
}

// checkTowers checks that towers are side by side, in the order of their slots.
func (c *core) checkTowers() error {
	if len(c.owner) != len(c.links) {
		return fmt.Errorf("skiplist: %d owners beside %d links", len(c.owner), len(c.links))
	}
	end := uint32(head)
	for slot, tower := range c.towers[:len(c.towers)-1] {
		if tower != end {
			return fmt.Errorf("skiplist: the tower of slot %d begins at %d, want %d", slot, tower, end)
		}
		end = c.towers[slot+1]
		if end <= tower || end-tower > maxHeight || int(end) > len(c.links) {
			return fmt.Errorf("skiplist: the tower of slot %d, at %d, ends at %d", slot, tower, end)
		}
		for at := tower; at < end; at++ {
			if c.owner[at] != uint32(slot) {
				return fmt.Errorf("skiplist: link %d of the tower of slot %d is owned by %d", at, slot, c.owner[at])
			}
		}
	}
	if int(end) != len(c.links) {
		return fmt.Errorf("skiplist: towers end at %d of %d links", end, len(c.links))
	}
	return nil
}

// checkOrder walks level 0. It returns the links that lead to the timers.
func (c *core) checkOrder(size int, inUse func(slot uint32) bool) (order []link, err error) {
	for l := c.links[head]; l.next != head; l = c.links[l.next] {
		if int(l.next) >= len(c.links) {
			return nil, fmt.Errorf("skiplist: a link leads to %d of %d", l.next, len(c.links))
		}
		if slot := c.owner[l.next]; c.towers[slot] != l.next || !inUse(slot) {
			return nil, fmt.Errorf("skiplist: a link leads to %d, in slot %d, not a tower in use", l.next, slot)
		}
		if n := len(order); n > 0 && l.deadline < order[n-1].deadline {
			return nil, fmt.Errorf("skiplist: deadline %d is behind %d", l.deadline, order[n-1].deadline)
		}
		if len(order) == size {
			return nil, fmt.Errorf("skiplist: more than %d slots in the list", size)
		}
		order = append(order, l)
	}
	if len(order) != size {
		return nil, fmt.Errorf("skiplist: %d slots in the list, want %d", len(order), size)
	}
	return order, nil
}

// checkLevel checks that a level holds exactly those timers of order whose towers are
// high enough, in that order, and that its links are right both ways.
func (c *core) checkLevel(level uint32, order []link) error {
	prev := uint32(head)
	expect := func(want link) error {
		want.prev = c.links[prev+level].prev // checked at the link before
		if got := c.links[prev+level]; got != want {
			return fmt.Errorf("skiplist: on level %d, %d is followed by %d, due at %d, want %d, due at %d",
				level, prev, got.next, got.deadline, want.next, want.deadline)
		}
		if got := c.links[want.next+level].prev; got != prev {
			return fmt.Errorf("skiplist: on level %d, %d is behind %d, its link back says %d", level, want.next, prev, got)
		}
		prev = want.next
		return nil
	}
	for _, l := range order {
		if c.height(l.next) <= level {
			continue
		}
		if level >= uint32(c.levels) {
			return fmt.Errorf("skiplist: a timer on level %d, %d levels in use", level, c.levels)
		}
		if err := expect(l); err != nil {
			return err
		}
	}
	return expect(link{next: head})
}

// height returns the height of a tower.
func (c *core) height(tower uint32) uint32 {
	return c.towers[c.owner[tower]+1] - tower
}

// Show adds the list of level 0, each timer with the height of its tower.
func (c *core) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "skip list", Kind: shape.List})
	for l := c.links[head]; l.next != head; l = c.links[l.next] {
		b.Timer(shape.Cell{Levels: int(c.height(l.next))}, c.owner[l.next], l.deadline)
	}
}
