// Package pairingheap keeps timers in a pairing heap, as [libxev] does for the timers of its event loop.
//
// Pedigree. Fredman, Sedgewick, Sleator and Tarjan (1986). The heap is a tree of any shape in which
// no timer is due before its parent. Schedule melds two trees with one comparison: the later root
// becomes a child of the other. When the root is removed, its children are melded in pairs, and the
// pairs are melded from the last to the first into one tree. Differences from libxev:
//
//   - Nodes are in one array and link to each other by 4-byte indexes.
//   - A timer that moves to an earlier tick takes its subtree along to the root. One that moves to a
//     later tick stays, and gives its children to the root. Neither is removed and scheduled again.
//   - The children of a cancelled timer join the root without a comparison.
//
// A single Pop may cost O(n), such as the first one after n timers were scheduled in order. Nothing is recursive. A timer takes
// 24 bytes, plus its value and ID.
//
// Work counts Comparisons of two deadlines.
//
// Pick it if Schedule must be O(1) for any deadlines, or if many timers move to earlier ticks, and a long Pop does no harm.
// Otherwise quadheap is faster, because here the children of a node are spread over the memory.
//
// [libxev]: https://github.com/mitchellh/libxev/blob/a82a04eabb46b0611c72d6d0e32db2d9dcf2e745/src/heap.zig
package pairingheap

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("pairingheap", n, slab.MaxCapacity)} }

// Heap is a pairing heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Heap[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{slotted.NewMoving[T](core{nodes: make([]node, 1, 1+n)}, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1).
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return h.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n) amortized.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return h.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n) amortized, or O(1) for a timer without children.
func (h *Heap[T]) Cancel(id structures.ID) bool { return h.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log n) amortized.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return h.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (h *Heap[T]) Next() (at structures.Tick, ok bool) { return h.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.base.Len() }

// none is the slot that is never issued, slab.None. It stands for no node.
const none uint32 = 0

// node is a pending timer. Its children are a list, in any order, none of them due before it.
type node struct {
	deadline structures.Tick
	child    uint32 // the first child
	next     uint32 // the next sibling
	prev     uint32 // the sibling before or, of a first child, the parent
}

// core is the queue of slots: a tree of nodes, whose root has neither parent nor siblings.
type core struct {
	nodes       []node // by slot; the node of none is written at times and never read
	root        uint32
	comparisons uint64
}

// Add melds a new node with the root.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.nodes) {
		c.nodes = append(c.nodes, node{})
	}
	c.nodes[slot] = node{deadline: deadline}
	if c.root == none {
		c.root = slot
	} else {
		c.root = c.meld(c.root, slot)
	}
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot = c.root
	if slot == none {
		return none, math.MaxInt64
	}
	if at = c.nodes[slot].deadline; at > clock {
		return none, at
	}
	c.root = c.merge(c.nodes[slot].child)
	return slot, at
}

func (c *core) Next(structures.Tick) structures.Tick { return c.nodes[c.root].deadline }

// Remove removes a node. Its children become one tree, which is a child of the root, or the root.
func (c *core) Remove(slot uint32) {
	orphan := c.merge(c.nodes[slot].child)
	if slot == c.root {
		c.root = orphan
		return
	}
	c.cut(slot)
	if orphan != none {
		c.link(c.root, orphan)
	}
}

func (c *core) Move(slot uint32, deadline structures.Tick) {
	n := &c.nodes[slot]
	old := n.deadline
	n.deadline = deadline
	c.comparisons++
	switch {
	case deadline < old:
		// It still comes before its children, but maybe before its parent, too.
		if slot != c.root {
			c.cut(slot)
			c.root = c.meld(c.root, slot)
		}
	case deadline > old && n.child != none:
		// It still comes after its parent, but maybe after some of its children, too.
		orphan := c.merge(n.child)
		n.child = none
		if slot == c.root {
			c.root = c.meld(orphan, slot)
		} else {
			c.link(c.root, orphan)
		}
	}
}

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// meld makes one tree of two and returns its root.
func (c *core) meld(a, b uint32) uint32 {
	c.comparisons++
	if c.nodes[b].deadline < c.nodes[a].deadline {
		a, b = b, a
	}
	c.link(a, b)
	return a
}

// link makes child, which has neither parent nor siblings, the first child of parent.
func (c *core) link(parent, child uint32) {
	p, n := &c.nodes[parent], &c.nodes[child]
	c.nodes[p.child].prev = child
	n.next, n.prev = p.child, parent
	p.child = child
}

// cut takes slot, which is not the root, and all nodes below it off its parent.
func (c *core) cut(slot uint32) {
	n := &c.nodes[slot]
	if before := &c.nodes[n.prev]; before.child == slot {
		before.child = n.next
	} else {
		before.next = n.next
	}
	c.nodes[n.next].prev = n.prev
	n.next, n.prev = none, none
}

// merge makes one tree of slot and the siblings after it, and returns its root.
func (c *core) merge(slot uint32) uint32 {
	if slot == none || c.nodes[slot].next == none {
		c.nodes[slot].prev = none
		return slot
	}
	// First pass: meld pairs, and gather the winners in a list, the last one first.
	winners := none
	for slot != none {
		winner, second := slot, c.nodes[slot].next
		slot = none
		if second != none {
			slot = c.nodes[second].next
			winner = c.meld(winner, second)
		}
		c.nodes[winner].next = winners
		winners = winner
	}
	// Second pass: meld them from the last to the first, which makes Pop O(log n) amortized.
	root := winners
	for rest := c.nodes[root].next; rest != none; {
		following := c.nodes[rest].next
		root = c.meld(root, rest)
		rest = following
	}
	c.nodes[root].next, c.nodes[root].prev = none, none
	return root
}

// Walk adds the tree, by a stack, as it may be n nodes deep. It reaches every node through one
// link, and the prev of the node must name the other end: so it ends where links form a circle.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "heap-ordered tree", Kind: shape.Tree})
	type place struct {
		slot, prev    uint32
		parent, child int
	}
	stack := []place{{slot: c.root, parent: -1}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.slot == none {
			continue
		}
		n := c.nodes[at.slot]
		rules.Must(n.prev == at.prev, "slot %d comes after %d and does not point back", at.slot, at.prev)
		rules.Must(at.slot != c.root || n.next == none, "the root, slot %d, has the neighbour %d", at.slot, n.next)
		here := b.Timer(shape.Cell{Parent: at.parent, Child: at.child}, at.slot, n.deadline)
		stack = append(stack, place{n.next, at.slot, at.parent, at.child + 1}, place{n.child, at.slot, here, 0})
	}
}
