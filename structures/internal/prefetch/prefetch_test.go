package prefetch

import (
	"testing"
	"unsafe"
)

// A prefetch has no result that a test could see. The
// tests are about the batch, and about addresses that must not fault.

func TestIssueEmptiesTheBatch(t *testing.T) {
	data := make([]int, Capacity)
	var b Batch
	for n := range Capacity + 1 {
		for i := range data[:n] {
			b.Add(unsafe.Pointer(&data[i]))
			if b.n != i+1 || b.lines[i] != uintptr(unsafe.Pointer(&data[i])) {
				t.Fatalf("%d lines after %d, the last one is %#x", b.n, i+1, b.lines[i])
			}
		}
		b.Issue()
		if b.n != 0 {
			t.Fatalf("%d lines are left after %d", b.n, n)
		}
	}
}

// A load from any of these addresses would end the program.
func TestAddressesThatAreNotMappedDoNotFault(t *testing.T) {
	b := Batch{n: 3, lines: [Capacity]uintptr{0, 1, ^uintptr(0) - 63}}
	b.Issue()
	Line(nil)
}

func TestAFullBatchReplacesItsFirstLines(t *testing.T) {
	var b Batch
	data := make([]byte, 64*(Capacity+1))
	for i := range Capacity + 1 {
		b.Add(unsafe.Pointer(&data[64*i]))
	}
	if b.lines[0] != uintptr(unsafe.Pointer(&data[64*Capacity])) || b.lines[1] != uintptr(unsafe.Pointer(&data[64])) {
		t.Fatal("the last line has not replaced the first")
	}
	b.Issue()
	if b.n != 0 {
		t.Fatalf("%d lines are left", b.n)
	}
}
