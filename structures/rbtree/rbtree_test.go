package rbtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

// Every invariant is broken once, in the tree of slots 1 to 7, due at 10 to 70: 2 is the root, black; 1 and 4 are its
// children, 3 and 6 those of 4, 5 and 7 those of 6.
func TestCheckInvariantsFindsTheBrokenOne(t *testing.T) {
	sound := func() *slotted.Scheduler[int, core, *core] {
		tree := New[int]()
		for slot := range 7 {
			tree.Schedule(structures.Tick(10*(slot+1)), 0)
		}
		return &tree.Scheduler
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"7 parents beside 8 nodes":                          func(c *core) { c.parents = c.parents[:7] },
		"absent node has a right child":                     func(c *core) { c.nodes[none].child[right] = 2 << 1 },
		"slot 0 is in the tree":                             func(c *core) { c.nodes[7].child[right] = red },
		"root, slot 2, is red":                              func(c *core) { c.nodes[none].child[left] |= red },
		"slot 6 and its parent 4 are both red":              func(c *core) { c.nodes[4].child[right] |= red },
		"1 black nodes on the ways left of slot 6, 0 right": func(c *core) { c.nodes[6].child[left] &^= red },
		"slot 3 is a child of 4, its parent link says 6":    func(c *core) { c.parents[3] = 6 },
		"slot 2 is a child of 6, its parent link says 0":    func(c *core) { c.nodes[6].child[left] = 2 << 1 },
		"slot 4, due at 40, is behind slot 3, due at 41":    func(c *core) { c.nodes[3].deadline = 41 },
		"slot are [1 7], remembered are [3 7]":              func(c *core) { c.ends[left] = 3 },
		"slot are [1 7], remembered are [1 6]":              func(c *core) { c.ends[right] = 6 },
		"6 slots in the tree, want 7":                       func(c *core) { c.nodes[6].child[left] = none },
		"slot 99 is in the tree and not in use":             func(c *core) { c.nodes[7].child[right] = 99 << 1 },
	})
}
