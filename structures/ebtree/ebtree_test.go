package ebtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "ebtree", maxLen,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.FIFO())
}

func TestManyTimers(t *testing.T) {
	schedtest.Many(t, 30_000, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestWorkCountsComparisons(t *testing.T) {
	tree := New[int]()
	n := whitebox.NewNamed(tree)
	whitebox.CountsComparisons(t, tree, []whitebox.Step{
		{"the first", func() { n.Schedule(8) }, 0},
		{"with the last, without a node above", func() { n.Schedule(12) }, 1},
		{"equal to the last", func() { tree.Schedule(12, 0) }, 1},
		// 12 is 1100, below the node of bit 2, which stays above 14.
		{"with the last, and the label above it", func() { n.Schedule(14) }, 2},
		// 16 is 10000, above the nodes of bits 1 and 2.
		{"with the last, and two labels above it", func() { n.Schedule(16) }, 3},
		{"equal to the first: with the last and the first", func() { tree.Schedule(8, 0) }, 2},
		// The first climbs to the node of bit 2, which stays below that of 4.
		{"before the first: with both, and two labels", func() { n.Schedule(4) }, 4},
		// Root 16, then 8, which is where 4 branched off, then 12, which 10 is not below.
		{"with both ends, three labels and a leaf", func() { n.Schedule(9) }, 2 + 3 + 1},
		{"with both ends and four labels, one of them too many", func() { n.Schedule(13) }, 2 + 4 + 1},
		{"removal", func() { n.Cancel(9); n.Cancel(4); n.Cancel(16); tree.Next(); tree.Pop(20) }, 0},
		{"stale", func() { n.Cancel(9); n.Move(4, 20) }, 0},
	})
}

func TestCheckFindsDamage(t *testing.T) {
	makeSound := func() *slotted.Scheduler[int, core, *core] {
		tree := New[int]()
		for i := range 9 {
			tree.Schedule(structures.Tick(10+i), i)
		}
		for range 2 {
			tree.Schedule(12, 0)
		}
		return &tree.scheduler
	}
	_, c := slotted.Parts(makeSound())
	head := uint32(3) // due at 12
	second, third := c.timers[head].next, c.timers[head].prev
	if second != 10 || third != 11 {
		t.Fatalf("timers %d and %d are queued behind %d, want 10 and 11", second, third, head)
	}
	root := c.nodes[none].child[left].slot()
	whitebox.FindsDamageToQueue(t, makeSound, map[string]func(*core){
		"deadline":             func(c *core) { c.timers[head].deadline = 14 },
		"label":                func(c *core) { c.nodes[root].label++ },
		"no label":             func(c *core) { c.nodes[root].label = 0 },
		"label of another":     func(c *core) { c.nodes[root].label = 8 },
		"children exchanged":   func(c *core) { n := &c.nodes[root]; n.child[left], n.child[right] = n.child[right], n.child[left] },
		"cycle":                func(c *core) { c.nodes[root].child[left] = nodeOf(root) },
		"child is none":        func(c *core) { c.nodes[root].child[left] = 0 },
		"child out of range":   func(c *core) { c.nodes[root].child[left] = nodeOf(99) },
		"parent of a leaf":     func(c *core) { c.timers[head].up = none },
		"parent of a node":     func(c *core) { c.timers[root].nodeUp = root },
		"first":                func(c *core) { c.ends[left] = head },
		"last":                 func(c *core) { c.ends[right] = head },
		"used node":            func(c *core) { c.nodes[second].label = 1 },
		"another used node":    func(c *core) { c.nodes = append(c.nodes, node{label: 1}); c.timers = append(c.timers, timer{}) },
		"queued with a parent": func(c *core) { c.timers[second].up = head },
		"queued deadline":      func(c *core) { c.timers[second].deadline++ },
		"link back":            func(c *core) { c.timers[third].prev = head },
		"link on":              func(c *core) { c.timers[second].next = head },
		"link out of range":    func(c *core) { c.timers[second].next = 99 },
		"ring in the middle":   func(c *core) { c.timers[third].next = second; c.timers[second].prev = third },
		"fewer timers":         func(c *core) { c.timers = c.timers[:len(c.timers)-1] },
		"one timer gone":       func(c *core) { c.Remove(third) },
		"all gone":             func(c *core) { c.nodes[none].child[left] = 0 },
	})
}
