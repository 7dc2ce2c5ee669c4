package quadheaplazy

import "github.com/timerbench/timerbench/structures/internal/dary"

// take removes the entry at i. The last entry takes its place.
func (c *core) take(i int) {
	n := len(c.heap) - 1
	old, last := c.heap[i], c.heap[n]
	c.heap = c.heap[:n]
	c.cursor = min(c.cursor, n)
	switch i {
	case n:
	case dary.Root:
		c.down(i, last)
	default:
		// Sifting in one direction is enough: an entry that comes before old comes
		// before all entries below it, and one that does not comes after all above it.
		c.work.Comparisons++
		if last.deadline < old.deadline {
			c.up(i, last)
		} else {
			c.down(i, last)
		}
	}
}

// up moves the hole at i towards the root until e fits, and returns its index.
func (c *core) up(i int, e entry) int {
	heap := c.heap
	compared := uint64(0)
	for i > dary.Root {
		p := dary.Parent(dary.Root+1, i)
		above := heap[p]
		compared++
		if above.deadline <= e.deadline {
			break
		}
		heap[i] = above
		i = p
	}
	heap[i] = e
	c.work.Comparisons += compared
	return i
}

// down moves the hole at i towards the leaves until e fits.
func (c *core) down(i int, e entry) {
	heap := c.heap
	compared := uint64(0)
	for k := dary.Child(dary.Root+1, i); k < len(heap); k = dary.Child(dary.Root+1, i) {
		if k+4 <= len(heap) {
			compared += 4
			k += dary.Earliest(heap[k].deadline, heap[k+1].deadline, heap[k+2].deadline, heap[k+3].deadline)
		} else { // the last group, not full
			compared += uint64(len(heap) - k)
			for j := k + 1; j < len(heap); j++ {
				if heap[j].deadline < heap[k].deadline {
					k = j
				}
			}
		}
		below := heap[k]
		if below.deadline >= e.deadline {
			break
		}
		heap[i] = below
		i = k
	}
	heap[i] = e
	c.work.Comparisons += compared
}
