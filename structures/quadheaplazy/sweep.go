package quadheaplazy

import "github.com/timerbench/timerbench/structures/internal/dary"

// The sweep keeps dead entries down to a quarter of the heap. It is made in strides, one for each call that leaves
// one more entry dead or one fewer alive, so that no call pays for a pass through the heap.
//
// A pass goes from the end of the heap to the root and drops all entries that were dead when it began. It begins when
// they are more than 3/16 of the heap. In a heap of n it takes n steps and one more for each entry dropped, at most
// 5/4 n, which is n/16 calls; so another n/16 entries may have died when it ends. That makes the quarter.
const (
	stride = 20
	spare  = 24 // dead entries that start no pass
	slack  = 32 // spare, and what rounding adds
)

// mostEntries returns the largest number of entries for a number of timers.
func mostEntries(timers int) int { return timers + timers/3 + 4*slack/3 + 2 }

// maintain does a stride of the sweep if a pass is under way or has to begin.
func (c *core) maintain() {
	if c.cursor <= dary.Root {
		if c.dead <= len(c.heap)/16*3+spare {
			return
		}
		c.beginPass()
	}
	c.sweep(stride)
}

// beginPass begins a pass, unless one is under way.
func (c *core) beginPass() {
	if c.cursor <= dary.Root {
		c.cursor = len(c.heap)
	}
}

// sweep examines up to steps entries below the cursor. The entries from the cursor on were examined
// already, or died or came since then. Early entries stay: the earlier an entry, the longer it is of use.
func (c *core) sweep(steps int) {
	for ; steps > 0 && c.cursor > dary.Root; steps-- {
		i := c.cursor - 1
		if c.isDead(c.heap[i]) {
			c.drop(i) // the entry that took its place is examined next
		} else {
			c.cursor = i
		}
	}
}

// examineDisplaced drops a dead entry that a new one, which went up from n past the cursor, has
// displaced from before the cursor to behind it. Nothing else takes one past it.
func (c *core) examineDisplaced(n int) {
	i := n
	for dary.Parent(dary.Root+1, i) >= c.cursor {
		i = dary.Parent(dary.Root+1, i)
	}
	// The last entry takes its place. It is from below it, so it stays there.
	if c.isDead(c.heap[i]) {
		c.drop(i)
	}
}
