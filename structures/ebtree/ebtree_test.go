package ebtree

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

func TestCheckFindsDamage(t *testing.T) {
	makeSound := func() *slotted.Scheduler[int, core, *core] {
		tree := New[int]()
		for i := range 9 {
			tree.Schedule(structures.Tick(10+i), i)
		}
		for range 2 {
			tree.Schedule(12, 0)
		}
		return &tree.Scheduler
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
