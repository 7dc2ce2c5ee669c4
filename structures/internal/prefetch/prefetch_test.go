package prefetch

import (
	"testing"
	"unsafe"
)

func TestPrefetchingChangesNothing(t *testing.T) {
	data := make([]int, 4*capacity)
	for i := range data {
		data[i] = i
	}
	var b Batch
	for _, n := range []int{0, 1, capacity - 1, capacity, len(data)} {
		for i := range data[:n] {
			b.Add(unsafe.Pointer(&data[i]))
		}
		b.Issue()
		if b.n != 0 {
			t.Fatalf("%d lines are left after %d", b.n, n)
		}
	}
	for i := range data {
		if data[i] != i {
			t.Fatalf("data[%d] = %d", i, data[i])
		}
	}
}

// An address is a guess: what is not mapped is not loaded.
func TestAnyAddressWillDo(t *testing.T) {
	b := Batch{n: 3, lines: [capacity]uintptr{0, 1, ^uintptr(0) - 63}}
	b.Issue()
}

func TestFullBatchIsIssued(t *testing.T) {
	var b Batch
	var x int
	for range capacity + 1 {
		b.Add(unsafe.Pointer(&x))
	}
	if b.n != 1 {
		t.Fatalf("%d lines in the batch, want the last one", b.n)
	}
}
