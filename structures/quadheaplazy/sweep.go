package quadheaplazy

import "github.com/timerbench/timerbench/structures/internal/quad"

// The sweep keeps dead entries down to a quarter of the heap, and no call ever
// pays for a pass through the heap: it is made in strides, one for each call that
// leaves one more entry dead or one fewer alive.
//
// A pass goes from the end to the root and rids the heap of all entries that
// were dead when it began. It begins when they are more than 3/16 of the heap. A
// heap of n takes it n steps and one for each entry dropped, 5/4 n at most, which
// is n/16 calls; so another n/16 may have died when it ends. That makes the
// quarter, and leaves the next pass to begin later.
const (
	stride = 20
	spare  = 24 // dead entries that do not matter
	slack  = 32 // spare, and what rounding adds
)

// most returns the largest number of entries for so many timers.
func most(timers int) int { return timers + timers/3 + 4*slack/3 + 2 }

// tend does a stride of the sweep if there is need.
func (c *core) tend() {
	if c.cursor <= quad.Root {
		if c.dead <= len(c.heap)/16*3+spare {
			return
		}
		c.begin()
	}
	c.sweep(stride)
}

// begin begins a pass, unless one is under way.
func (c *core) begin() {
	if c.cursor <= quad.Root {
		c.cursor = len(c.heap)
	}
}

// sweep examines so many entries below the cursor. Those from the cursor on have
// been examined, or have died or come since the pass began. An entry whose timer
// is due later is left alone: the earlier it surfaces, the more deadlines can be
// noted without a touch of the heap.
func (c *core) sweep(steps int) {
	for ; steps > 0 && c.cursor > quad.Root; steps-- {
		i := c.cursor - 1
		if c.isDead(c.heap[i]) {
			c.drop(i) // what took its place may have to be examined
		} else {
			c.cursor = i
		}
	}
}

// crossed examines the entry that came from before the cursor when a new one
// went up from n past it: all those that it passed went one step down, and one
// of them escaped the pass so. No other move takes an entry across the cursor
// unseen, unless it is alive.
func (c *core) crossed(n int) {
	i := n
	for quad.Parent(i) >= c.cursor {
		i = quad.Parent(i)
	}
	// The last entry, which takes its place, is from below it and stays there.
	if c.isDead(c.heap[i]) {
		c.drop(i)
	}
}
