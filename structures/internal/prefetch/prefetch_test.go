package prefetch

import (
	"testing"
	"unsafe"
)

func TestPrefetchingChangesNothing(t *testing.T) {
	data := make([]int, 4*Capacity)
	for i := range data {
		data[i] = i
	}
	var b Batch
	for _, n := range []int{0, 1, Capacity - 1, Capacity} {
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
	b := Batch{n: 3, lines: [Capacity]uintptr{0, 1, ^uintptr(0) - 63}}
	b.Issue()
}

func TestLinesTooManyTakeThePlaceOfOthers(t *testing.T) {
	var b Batch
	data := make([]byte, 64*(Capacity+1))
	for i := range Capacity + 1 {
		b.Add(unsafe.Pointer(&data[64*i]))
	}
	if b.lines[0] != uintptr(unsafe.Pointer(&data[64*Capacity])) {
		t.Fatal("the last line is not in the batch")
	}
	b.Issue()
	if b.n != 0 {
		t.Fatalf("%d lines are left", b.n)
	}
}
