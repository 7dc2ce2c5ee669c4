package btree

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// mustBeSound checks the invariants, and the fill, which follows from them.
func mustBeSound(t *testing.T, tree *Tree[int]) {
	t.Helper()
	if err := tree.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	_, c := slotted.Parts(&tree.scheduler)
	used := len(c.nodes) - 1
	for x := c.free; x != none; x = c.heads[x].parent {
		used--
	}
	// Two neighbours hold sparse+2 entries. The first leaf and the last node of each level may hold fewer.
	if bound := tree.Len()*2/(sparse+2)*8/7 + 2*c.depth + 4; used > bound {
		t.Fatalf("%d nodes for %d timers, want at most %d", used, tree.Len(), bound)
	}
}

// Leaves are emptied from the front while others fill: the nodes above go, too.
func TestTheFrontMovesOn(t *testing.T) {
	tree := New[int]()
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 5000 {
		tree.Schedule(structures.Tick(1+random.IntN(5000)), i)
	}
	_, c := slotted.Parts(&tree.scheduler)
	nodes := 0
	for clock := structures.Tick(1); clock < 60_000; clock++ {
		for timer := range structures.Due(tree, clock) {
			tree.Schedule(clock+1+structures.Tick(random.IntN(5000)), timer.Value)
		}
		if clock%500 == 0 {
			mustBeSound(t, tree)
		}
		if clock == 20_000 {
			nodes = cap(c.nodes)
		}
	}
	if tree.Len() != 5000 || cap(c.nodes) != nodes {
		t.Errorf("%d timers and room for %d nodes, want 5000 and %d", tree.Len(), cap(c.nodes), nodes)
	}
}

// The rank of every deadline in every node, with dead and vacant keys.
func TestRank(t *testing.T) {
	for begin := range fan + 1 {
		for end := begin; end <= fan; end++ {
			var n node
			n.clear(&head{begin: uint8(begin), end: uint8(end)})
			for i := begin; i < end; i++ {
				n.keys[i] = structures.Tick(10 * (1 + i/2)) // in pairs
			}
			for deadline := structures.Tick(1); deadline < 10*fan/2+20; deadline += 3 {
				want := begin
				for want < end && n.keys[want] <= deadline {
					want++
				}
				if got := n.rank(deadline); got != want {
					t.Fatalf("entries %d to %d: rank(%d) = %d, want %d", begin, end, deadline, got, want)
				}
			}
			if got := n.rank(math.MaxInt64 - 1); got != end {
				t.Fatalf("entries %d to %d: rank of a late deadline = %d", begin, end, got)
			}
		}
	}
}

func TestCheckFindsDamage(t *testing.T) {
	makeSound := func() *slotted.Scheduler[int, core, *core] {
		tree := New[int]()
		for i := range 100 {
			tree.Schedule(structures.Tick(10+i), i)
		}
		return &tree.scheduler
	}
	_, c := slotted.Parts(makeSound())
	if c.depth != 1 || c.arrivals.n != 4 || c.heads[c.root].len() != 3 {
		t.Fatalf("%d levels, %d arrivals, %d leaves", c.depth, c.arrivals.n, c.heads[c.root].len())
	}
	whitebox.FindsDamageToQueue(t, makeSound, map[string]func(*core){
		"order in a leaf":         func(c *core) { c.nodes[c.first].keys[3] = 10 },
		"key beyond the parent's": func(c *core) { c.nodes[c.first].keys[fan-1] = 60 },
		"key before the parent's": func(c *core) { c.nodes[c.last].keys[0] = 11 },
		"separator too late":      func(c *core) { c.nodes[c.root].keys[1]++ },
		"first key of the root":   func(c *core) { c.nodes[c.root].keys[0] = 1 },
		"vacant key":              func(c *core) { c.nodes[c.root].keys[fan-1] = 1 },
		"dead key": func(c *core) {
			c.remove(c.first, 0)
			c.nodes[c.first].keys[0] = 1
		},
		"ends":               func(c *core) { c.heads[c.root].end = fan + 1 },
		"begin behind end":   func(c *core) { c.heads[c.root].begin = fan },
		"empty leaf":         func(c *core) { c.heads[c.last].end = 0 },
		"parent":             func(c *core) { c.heads[c.first].parent = c.last },
		"parent of the root": func(c *core) { c.heads[c.root].parent = c.last },
		"slot's leaf":        func(c *core) { c.leaves[c.nodes[c.first].refs[0]] = c.last },
		"slot out of range":  func(c *core) { c.nodes[c.first].refs[0] = 9999 },
		"slot twice":         func(c *core) { c.nodes[c.first].refs[0] = c.nodes[c.first].refs[1] },
		"child out of range": func(c *core) { c.nodes[c.root].refs[0] = 9999 },
		"no child":           func(c *core) { c.nodes[c.root].refs[0] = none },
		"child twice":        func(c *core) { c.nodes[c.root].refs[1] = c.nodes[c.root].refs[0] },
		"cycle":              func(c *core) { c.nodes[c.root].refs[1] = c.root },
		"first leaf":         func(c *core) { c.first = c.last },
		"last leaf":          func(c *core) { c.last = c.first },
		"depth":              func(c *core) { c.depth = 0 },
		"root with one child": func(c *core) {
			c.heads[c.root].end = 1
			c.nodes[c.root].clear(&c.heads[c.root])
		},
		"lost node":    func(c *core) { c.newNode() },
		"free twice":   func(c *core) { c.freeNode(c.newNode()); c.heads[c.free].parent = c.free },
		"free in use":  func(c *core) { c.free = c.first },
		"fewer heads":  func(c *core) { c.heads = c.heads[:len(c.heads)-1] },
		"arrivals":     func(c *core) { c.arrivals.n-- },
		"many":         func(c *core) { c.arrivals.n = batch + 1 },
		"no last one":  func(c *core) { c.arrivals.slots[3] = 0 },
		"its place":    func(c *core) { c.leaves[c.arrivals.slots[0]]++ },
		"its slot":     func(c *core) { c.arrivals.slots[0] = 9999 },
		"the earliest": func(c *core) { c.arrivals.earliest++ },
	})
}

func TestASparsePairIsNamed(t *testing.T) {
	tree := New[int]()
	for i := range 96 {
		tree.Schedule(structures.Tick(10+i), i)
	}
	_, c := slotted.Parts(&tree.scheduler)
	c.settle()
	for _, x := range c.nodes[c.root].refs[1:3] {
		for c.heads[x].len() > sparse {
			c.nodes[x].remove(&c.heads[x], int(c.heads[x].begin))
		}
	}
	err := tree.CheckInvariants()
	if want := fmt.Sprintf("btree: nodes 2 and 4 have %d and %d entries, which one node should hold", sparse, sparse); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
