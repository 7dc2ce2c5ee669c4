package splay

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

func TestANodeTakes24Bytes(t *testing.T) {
	if size := unsafe.Sizeof(node{}); size > 24 { // 20 where alignment allows
		t.Fatalf("a node takes %d bytes, want at most 24", size)
	}
}

// A tree as deep as can be is a line of nodes. One search makes it half as deep, and no operation recurses.
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
