package pairingheap

import (
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
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
	checking.Sound(t, h)
	for h.Len() > 0 {
		h.Pop(2 * n)
	}
}
