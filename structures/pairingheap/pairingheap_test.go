package pairingheap

import (
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) { whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity) }

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64]) }

func TestANodeTakes24Bytes(t *testing.T) {
	if size := unsafe.Sizeof(node{}); size > 24 { // 20 where alignment allows
		t.Fatalf("a node takes %d bytes, want at most 24", size)
	}
}

// coreOf returns the queue of a heap.
func coreOf(h *Heap[int]) *core {
	_, c := slotted.Parts(&h.Scheduler)
	return c
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
	nine := func() *slotted.Scheduler[int, core, *core] { return &whitebox.Nine(New[int]()).Scheduler }
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
