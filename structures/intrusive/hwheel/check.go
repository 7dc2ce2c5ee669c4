package hwheel

import (
	"errors"
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// CheckInvariants walks the wheel and returns the first broken invariant. It costs O(slots + n).
func (c *core) CheckInvariants() error {
	if c.cursor > c.clock {
		return fmt.Errorf("hwheel: the cursor %d is after the clock %d", c.cursor, c.clock)
	}
	if last := c.end.Prev; last != nil && last.Next != &c.end {
		return errors.New("hwheel: the end of the lists refers to a timer that is not the last of a list")
	}
	count, err := c.checkLevels(c.made)
	here, crossed := c.cursor, uint(0)
	for i := 1; err == nil && i < spans; i++ { // timers that moved ahead
		at := c.nextStart()
		l, s := links.Place(at, c.cursor)
		c.cursor, crossed = at, max(crossed, min(l, c.made))
		c.turn(min(l, c.made))
		var moved int
		moved, err = c.checkLevels(min(l, c.made))
		if count += moved; err == nil && moved > 0 && (l >= c.made || !c.marks(l).Marked(s)) {
			err = fmt.Errorf("hwheel: %d timers moved ahead, and their slot is not marked", moved)
		}
	}
	c.turn(crossed)
	c.cursor = here
	if err == nil && count != c.added-c.removed {
		err = fmt.Errorf("hwheel: %d timers in lists, %d pending", count, c.added-c.removed)
	}
	return err
}

// checkLevels returns the number of timers of the lowest levels.
func (c *core) checkLevels(levels uint) (count int, err error) {
	if count, err = c.checkList(c.due(), c.cursor); err != nil {
		return 0, fmt.Errorf("hwheel: timers due at %d: %w", c.cursor, err)
	}
	for l := range levels {
		here := uint8(c.cursor >> (l * links.Digit))
		for s := range links.Slots {
			if l == 0 && uint8(s) == here {
				continue // the due timers
			}
			n := 0
			for list := range c.heads(l, uint8(s)) {
				head := &c.heads(l, uint8(s))[list]
				if head.first == &c.end {
					continue // most lists
				}
				more, err := c.checkList(head, links.Start(c.cursor, l, uint8(s)))
				if err != nil {
					return 0, fmt.Errorf("hwheel: level %d, slot %d, list %d: %w", l, s, list, err)
				}
				n += more
			}
			marked := c.marks(l).Marked(uint8(s))
			if n > 0 && !marked {
				return 0, fmt.Errorf("hwheel: level %d, slot %d has %d timers and is not marked", l, s, n)
			}
			if marked && uint8(s) <= here {
				return 0, fmt.Errorf("hwheel: level %d, slot %d is marked, the cursor is at slot %d", l, s, here)
			}
			count += n
		}
	}
	return count, nil
}

// checkList returns the number of timers in a list of a slot that starts at start.
func (c *core) checkList(head *head, start structures.Tick) (count int, err error) {
	err = links.Walk(head.link(), &c.end, c.key, func(n *links.Node) error {
		switch count++; {
		case n.Deadline < start && !c.movedToEarlier(n):
			return fmt.Errorf("timer %d is due at %d, before its slot, %d", count, n.Deadline, start)
		case n.Deadline < c.quiet:
			return fmt.Errorf("timer %d is due at %d, and none is said to be before %d", count, n.Deadline, c.quiet)
		}
		return nil
	})
	return count, err
}

func (c *core) movedToEarlier(n *links.Node) bool {
	for i := range c.earlier {
		if c.movedTimer(i) == n {
			return true
		}
	}
	return false
}
