package fifo

import (
	"slices"
	"testing"
)

func TestArrivalsComeInOrderAndMayLeaveAgain(t *testing.T) {
	ls := New(2 * batch)
	var a Arrivals
	add := func(slot uint32) bool {
		ls.SetDeadline(slot, 0)
		return a.Add(&ls, slot)
	}
	for slot := uint32(1); slot <= 5; slot++ {
		if add(slot) {
			t.Fatalf("full after %d slots", slot)
		}
	}
	if !a.Remove(&ls, 2) || a.Remove(&ls, 2) || a.Count() != 4 || a.Len() != 5 {
		t.Fatalf("after one of five has left: %d held in %d places", a.Count(), a.Len())
	}
	if !a.Remove(&ls, 5) || a.Len() != 4 {
		t.Fatalf("the last place is not used again: %d places", a.Len())
	}
	add(2) // comes back, behind the others
	if got := a.Take(); !slices.Equal(got, []uint32{1, 0, 3, 4, 2}) {
		t.Fatalf("took %v", got)
	}
	if a.Len() != 0 || a.Count() != 0 || a.Remove(&ls, 3) {
		t.Fatal("something is held after Take")
	}
	for slot := uint32(1); slot <= batch; slot++ {
		if full := add(slot); full != (slot == batch) {
			t.Fatalf("full is %t after %d slots", full, slot)
		}
	}
}

// A timer that is scheduled and cancelled at once takes one place again and again.
func TestArrivalsThatLeaveAtOnceNeverFillABatch(t *testing.T) {
	ls := New(10)
	var a Arrivals
	for range 10 * batch {
		ls.SetDeadline(1, 0)
		if a.Add(&ls, 1) || !a.Remove(&ls, 1) || a.Len() != 0 {
			t.Fatalf("%d places taken", a.Len())
		}
	}
}
