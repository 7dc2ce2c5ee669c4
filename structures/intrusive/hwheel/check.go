package hwheel

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// CheckInvariants walks the wheel and returns the first broken invariant. It costs O(slots + n).
func (c *core) CheckInvariants() error {
	here, crossed := c.cursor, uint(0)
	err := rules.FirstBroken(c, func() {
		rules.Must(c.cursor <= c.clock, "the cursor %d is after the clock %d", c.cursor, c.clock)
		last := c.end.Prev
		rules.Must(last == nil || last.Next == &c.end, "the end of the lists refers to a timer that is not the last of a list")
		count := c.checkLevels(c.made)
		for i := 1; i < spans; i++ { // timers that moved ahead
			at := c.nextStart()
			l, s := links.Place(at, c.cursor)
			c.cursor, crossed = at, max(crossed, min(l, c.made))
			c.turn(min(l, c.made))
			moved := c.checkLevels(min(l, c.made))
			count += moved
			rules.Must(moved == 0 || l < c.made && c.marks(l).Marked(s), "%d timers moved ahead, and their slot is not marked", moved)
		}
		rules.Must(count == c.added-c.removed, "%d timers in lists, %d pending", count, c.added-c.removed)
	})
	c.turn(crossed)
	c.cursor = here
	return err
}

// checkLevels returns the number of timers of the lowest levels.
func (c *core) checkLevels(levels uint) (count int) {
	count = c.checkList(c.due(), c.cursor)
	for l := range levels {
		here := uint8(c.cursor >> (l * links.Digit))
		for s := range links.Slots {
			if l == 0 && uint8(s) == here {
				continue // the due timers
			}
			n := 0
			for list := range c.heads(l, uint8(s)) {
				if head := &c.heads(l, uint8(s))[list]; head.first != &c.end { // most lists are empty
					n += c.checkList(head, links.Start(c.cursor, l, uint8(s)))
				}
			}
			marked := c.marks(l).Marked(uint8(s))
			rules.Must(n == 0 || marked, "level %d, slot %d has %d timers and is not marked", l, s, n)
			rules.Must(!marked || uint8(s) > here, "level %d, slot %d is marked, the cursor is at slot %d", l, s, here)
			count += n
		}
	}
	return count
}

// checkList returns the number of timers in a list of a slot that starts at start.
func (c *core) checkList(head *head, start structures.Tick) (count int) {
	links.Walk(head.link(), &c.end, c.key, func(n *links.Node) {
		count++
		rules.Must(n.Deadline >= start || c.movedToEarlier(n), "timer %d is due at %d, before its slot, %d", count, n.Deadline, start)
		rules.Must(n.Deadline >= c.quiet, "timer %d is due at %d, and none is said to be before %d", count, n.Deadline, c.quiet)
	})
	return count
}

func (c *core) movedToEarlier(n *links.Node) bool {
	for i := range c.earlier {
		if c.movedTimer(i) == n {
			return true
		}
	}
	return false
}
