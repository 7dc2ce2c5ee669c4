package splay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "splay", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() }, schedtest.FIFO())
}

func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestANodeTakes24Bytes(t *testing.T) {
	if size := unsafe.Sizeof(node{}); size > 24 { // 20 where alignment allows
		t.Fatalf("a node takes %d bytes, want at most 24", size)
	}
}

// String shows a tree: a node, and in brackets what is on its left and on its right.
func (c *core) String() string { return c.show(c.root) }

func (c *core) show(slot uint32) string {
	if slot == none {
		return ""
	}
	n := c.nodes[slot]
	if n.child[left]|n.child[right] == none {
		return fmt.Sprint(n.deadline)
	}
	return fmt.Sprintf("%d(%s %s)", n.deadline, c.show(n.child[left]), c.show(n.child[right]))
}

// The trees and the comparisons are worked out by hand.
func TestTreesAreThoseOfThePaper(t *testing.T) {
	tree := New[int]()
	n := whitebox.NewNamed(tree)
	_, c := slotted.Parts(&tree.scheduler)
	for _, step := range []struct {
		name string
		do   func()
		want uint64
		tree string
	}{
		{"in order", func() { n.Schedule(10, 20, 30, 40, 50) }, 4, "50(40(30(20(10 ) ) ) )"},
		{"before all, two pairs of links rotated", func() { n.Schedule(5) }, 5, "5( 40(20(10 30) 50))"},
		{"cancel the root", func() { n.Cancel(5) }, 0, "40(20(10 30) 50)"},
		{"cancel a root with two children", func() { n.Cancel(40) }, 0, "30(20(10 ) 50)"},
		{"pop the first", func() { tree.Pop(10) }, 0, "30(20 50)"},
		{"move it behind the root", func() { n.Move(20, 35) }, 2, "35(30 50)"},
	} {
		before := tree.Work().Comparisons
		step.do()
		if got := tree.Work().Comparisons - before; got != step.want || c.String() != step.tree {
			t.Errorf("%s: %d comparisons, the tree is %s, want %d and %s", step.name, got, c, step.want, step.tree)
		}
	}
}

// A tree as deep as can be is a line of nodes. One search makes it half as deep, and no
// operation recurses.
func TestTheDeepestTree(t *testing.T) {
	const n = 200_000
	tree := New[int](Capacity(n))
	for i := range n {
		tree.Schedule(structures.Tick(1+i), i)
	}
	_, c := slotted.Parts(&tree.scheduler)
	depth := func() (d int) {
		for slot := c.root; slot != none; slot = c.nodes[slot].child[left] {
			d++
		}
		return d
	}
	if got := depth(); got != n {
		t.Fatalf("the tree is %d deep, want %d", got, n)
	}
	tree.Cancel(tree.Schedule(1, 0))
	if got := depth(); got > n/2+2 {
		t.Fatalf("after one search from end to end the tree is %d deep, want at most half of %d", got, n)
	}
	if err := tree.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}

// Whatever the order of the deadlines, n timers cost O(log n) comparisons each.
func TestComparisonsAreLogarithmic(t *testing.T) {
	const n = 1 << 14
	rng := rand.New(rand.NewPCG(1, 2))
	for name, at := range map[string]func(i int) int{
		"rising": func(i int) int { return i }, "falling": func(i int) int { return n - i },
		"from both ends": func(i int) int { return i%2*n + (1-i%2*2)*i }, "random": func(int) int { return rng.IntN(n) },
	} {
		tree := New[int]()
		for i := range n {
			tree.Schedule(structures.Tick(1+at(i)), i)
		}
		for tree.Len() > 0 {
			due, _ := tree.Pop(math.MaxInt64 - 1)
			tree.Cancel(due.ID)
		}
		if per := float64(tree.Work().Comparisons) / n; per > 3*14 {
			t.Errorf("%s: %.1f comparisons a timer, want at most 3 log2 n", name, per)
		}
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *scheduler[int] { return &whitebox.Nine(New[int]()).scheduler }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*core){
		"order":   func(c *core) { c.nodes[c.first].deadline = 99 },
		"parent":  func(c *core) { c.nodes[c.first].parent = c.root },
		"lost":    func(c *core) { c.nodes[c.nodes[c.first].parent].child[left] = none },
		"circle":  func(c *core) { c.nodes[c.first].child[left] = c.root },
		"slot":    func(c *core) { c.nodes[c.first].child[left] = 99 },
		"first":   func(c *core) { c.first = c.root },
		"no root": func(c *core) { c.root = none },
	})
}
