package pairingheap

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, "pairingheap", slab.MaxCapacity,
		func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) },
		func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() })
}

func TestANodeTakes24Bytes(t *testing.T) {
	if size := unsafe.Sizeof(node{}); size > 24 { // 20 where alignment allows
		t.Fatalf("a node takes %d bytes, want at most 24", size)
	}
}

// The comparisons are counted by hand. Beside each step is the heap after
// it, the children of a node in brackets, first to last.
func TestWorkCountsEveryComparison(t *testing.T) {
	h := New[int]()
	n := whitebox.NewNamed(h)
	schedule, cancel, move := n.Schedule, n.Cancel, n.Move

	for _, step := range []struct {
		name string
		do   func()
		want uint64
		heap string
	}{
		{"schedule 10", func() { schedule(10) }, 0, "10"},
		{"schedule 20, 30, 40", func() { schedule(20, 30, 40) }, 3, "10(40 30 20)"},
		{"schedule 5", func() { schedule(5) }, 1, "5(10(40 30 20))"},
		{"pop nothing", func() { h.Pop(4); h.Next() }, 0, "5(10(40 30 20))"},
		{"pop 5, an only child", func() { h.Pop(5) }, 0, "10(40 30 20)"},
		{"schedule 50, 60", func() { schedule(50, 60) }, 2, "10(60 50 40 30 20)"},
		// Pairs 50(60) and 30(40), and 20 alone: 20(30(40)), then 20(50(60) 30(40)).
		{"pop 10: 2 pairs, then 2 more", func() { h.Pop(10) }, 4, "20(50(60) 30(40))"},
		{"cancel a leaf", func() { cancel(60) }, 0, "20(50 30(40))"},
		{"cancel a node with a child", func() { cancel(30) }, 0, "20(40 50)"},
		{"cancel a stale ID", func() { cancel(30) }, 0, "20(40 50)"},
		{"move a leaf to later", func() { move(40, 45) }, 1, "20(45 50)"},
		{"move a leaf to earlier", func() { move(50, 35) }, 2, "20(35 45)"},
		{"move a leaf to the front", func() { move(45, 15) }, 2, "15(20(35))"},
		{"move the root to earlier", func() { move(15, 12) }, 1, "12(20(35))"},
		{"move a node to the same tick", func() { move(20, 20) }, 1, "12(20(35))"},
		{"schedule 70", func() { schedule(70) }, 1, "12(70 20(35))"},
		{"move a node with a child to later", func() { move(20, 60) }, 1, "12(35 70 60)"},
		{"move a child before the root", func() { move(70, 11) }, 2, "11(12(35 60))"},
		{"move it back", func() { move(11, 80) }, 2, "12(80 35 60)"},
		// 35(80) and 60: 35(60 80), then the root below it.
		{"move the root to later", func() { move(12, 90) }, 4, "35(90 60 80)"},
		{"cancel the root: 60(90), 80", func() { cancel(35) }, 2, "60(80 90)"},
	} {
		before := h.Work()
		step.do()
		if got, want := h.Work().Sub(before), (structures.Work{Comparisons: step.want}); got != want {
			t.Errorf("%s: work %+v, want %+v", step.name, got, want)
		}
		if got := coreOf(h).String(); got != step.heap {
			t.Fatalf("%s: the heap is %s, want %s", step.name, got, step.heap)
		}
		if err := h.CheckInvariants(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
}

// coreOf returns the queue of a heap.
func coreOf(h *Heap[int]) *core {
	_, c := slotted.Parts(&h.scheduler)
	return c
}

// String shows a heap that is not deep.
func (c *core) String() string { return c.show(c.root) }

func (c *core) show(slot uint32) string {
	n := c.nodes[slot]
	text := fmt.Sprint(n.deadline)
	if n.child == none {
		return text
	}
	text += "("
	for child := n.child; child != none; child = c.nodes[child].next {
		if child != n.child {
			text += " "
		}
		text += c.show(child)
	}
	return text + ")"
}

// A heap of the greatest depth is a single line of nodes. No operation recurses.
func TestTheDeepestHeap(t *testing.T) {
	const n = 200_000
	h := New[int](Capacity(n))
	ids := make([]structures.ID, n)
	for i := range ids {
		ids[i] = h.Schedule(structures.Tick(n-i), i)
	}
	c := coreOf(h)
	for slot, depth := c.root, 1; ; depth++ {
		child := c.nodes[slot].child
		if child == none {
			if depth != n {
				t.Fatalf("the heap is %d deep, want %d", depth, n)
			}
			break
		}
		slot = child
	}
	h.Reschedule(ids[n-1], 2*n)
	h.Reschedule(ids[0], 1)
	h.Cancel(ids[n/2])
	if err := h.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	for h.Len() > 0 {
		h.Pop(2 * n)
	}
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *scheduler[int] { return &whitebox.Nine(New[int]()).scheduler }
	child := func(c *core) *node { return &c.nodes[c.nodes[c.root].child] }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*core){
		"order":    func(c *core) { child(c).deadline = 0 },
		"prev":     func(c *core) { c.nodes[child(c).next].prev = c.root },
		"circle":   func(c *core) { c.nodes[child(c).next].next = c.nodes[c.root].child },
		"self":     func(c *core) { child(c).child = c.root },
		"slot":     func(c *core) { child(c).next = 99 },
		"lost":     func(c *core) { child(c).next = none },
		"no root":  func(c *core) { c.root = none },
		"root":     func(c *core) { c.root = c.nodes[c.root].child },
		"bad root": func(c *core) { c.root = 99 },
	})
}
