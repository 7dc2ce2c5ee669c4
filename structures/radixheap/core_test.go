package radixheap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// check must find what the suite relies on it to find. The base is 8, and slots 2,
// 1, 3, 4 and 5 hold timers due at 8, 9, 12, 13 and 100: in bucket 0, 1, 3, 3 and 7.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	schedtest.FindsHarm(t, func() *Heap[int] {
		h := New[int]()
		h.Schedule(8, 0)
		h.Schedule(8, 0)
		h.Pop(8)
		for _, deadline := range []structures.Tick{9, 12, 13, 100} {
			h.Schedule(deadline, 0)
		}
		return h
	}, map[string]func(*Heap[int]){
		"table":           func(h *Heap[int]) { h.table.Put(0) },
		"timer is gone":   func(h *Heap[int]) { h.table.Free(3); h.table.Put(0); h.table.Put(0); h.table.Free(4) },
		"timer unlinked":  func(h *Heap[int]) { h.core.remove(3) },
		"not marked":      func(h *Heap[int]) { h.core.occupied &^= 1 << 3 },
		"marked":          func(h *Heap[int]) { h.core.occupied |= 1 << 20 },
		"links":           func(h *Heap[int]) { h.core.lists.PushBack(&h.core.buckets[7], 3) },
		"before the base": func(h *Heap[int]) { h.core.lists.SetDeadline(5, 7) },
		"other bucket":    func(h *Heap[int]) { h.core.lists.SetDeadline(4, 17) },
		"base":            func(h *Heap[int]) { h.core.base = 7 },
		"noted too early": func(h *Heap[int]) { h.core.least[3] = 11 },
		"noted too late":  func(h *Heap[int]) { h.core.least[3] = 13 },
	})
}
