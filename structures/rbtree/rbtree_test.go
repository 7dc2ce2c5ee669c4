package rbtree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

// height returns the number of nodes on the longest way down from l.
func (c *core) height(l link) int {
	if l == none {
		return 0
	}
	n := &c.nodes[l.slot()]
	return 1 + max(c.height(n.child[left]), c.height(n.child[right]))
}

// mustBeBalanced checks the invariants, and the height, which follows from them.
func mustBeBalanced(t *testing.T, tree *Tree[int]) {
	t.Helper()
	if err := tree.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	_, c := slotted.Parts(&tree.scheduler)
	height := c.height(c.nodes[none].child[left])
	if bound := 2 * math.Log2(float64(tree.Len()+1)); float64(height) > bound {
		t.Fatalf("the tree of %d timers is %d high, want at most %.1f", tree.Len(), height, bound)
	}
}

func TestHeightIsLogarithmic(t *testing.T) {
	const n = 2000
	random := rand.New(rand.NewPCG(1, 2))
	for name, deadline := range map[string]func(i int) int{
		"ascending":  func(i int) int { return i },
		"descending": func(i int) int { return n - i },
		"inward":     func(i int) int { return (i&1*2-1)*(n-i) + n },
		"equal":      func(int) int { return n },
		"random":     func(int) int { return random.IntN(n) },
	} {
		for removal, victim := range map[string]func(pending int) int{
			"first":  func(int) int { return 0 },
			"last":   func(pending int) int { return pending - 1 },
			"middle": func(pending int) int { return pending / 2 },
			"random": random.IntN,
		} {
			t.Run(name+"/cancel="+removal, func(t *testing.T) {
				tree := New[int]()
				var ids []structures.ID
				for i := range n {
					ids = append(ids, tree.Schedule(structures.Tick(deadline(i)), i))
					if i%50 == 0 {
						mustBeBalanced(t, tree)
					}
				}
				for len(ids) > 0 {
					at := victim(len(ids))
					if !tree.Cancel(ids[at]) {
						t.Fatalf("timer %d is not pending", at)
					}
					ids = slices.Delete(ids, at, at+1)
					if len(ids)%50 == 0 {
						mustBeBalanced(t, tree)
					}
				}
			})
		}
	}
}

// Every removal from every tree of up to 7 timers, scheduled in any order, which reaches
// all cases of balancing.
func TestEveryRemovalFromEverySmallTree(t *testing.T) {
	var build func(order []int, n int)
	build = func(order []int, n int) {
		if len(order) < n {
			for next := range n {
				if !slices.Contains(order, next) {
					build(append(order, next), n)
				}
			}
			return
		}
		for gone := range n {
			tree := New[int](Capacity(n))
			ids := make([]structures.ID, n)
			for _, i := range order {
				ids[i] = tree.Schedule(structures.Tick(i+1), i)
			}
			tree.Cancel(ids[gone])
			if err := tree.CheckInvariants(); err != nil {
				t.Fatalf("scheduled in order %v, %d cancelled: %v", order, gone, err)
			}
		}
	}
	for n := range 8 {
		build(make([]int, 0, n), n)
	}
}

func TestWorkCountsComparisons(t *testing.T) {
	tree := New[string]()
	var work structures.Work
	want := func(comparisons uint64, what string) {
		t.Helper()
		now := tree.Work()
		if got := now.Sub(work); got != (structures.Work{Comparisons: comparisons}) {
			t.Errorf("%s: work %+v, want %d comparisons", what, got, comparisons)
		}
		work = now
	}
	a := tree.Schedule(10, "a")
	want(0, "the first timer")
	b := tree.Schedule(20, "b")
	want(1, "at the end: with the last")
	tree.Schedule(20, "c")
	want(1, "at the end, equal: with the last")
	// b is the root now, a its left child, c its right child.
	tree.Schedule(15, "d")
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 5)
	// d is the root now, a its left child, c its right child.
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 12)
	want(3, "with the last, the root and a")
	tree.Reschedule(b, 15)
	want(3, "with the last, the root and c")
	tree.Cancel(a)
	tree.Next()
	tree.Pop(100)
	want(0, "removal")
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "rbtree", maxLen, func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) })
}
