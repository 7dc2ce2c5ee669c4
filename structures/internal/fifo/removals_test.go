package fifo

import (
	"slices"
	"testing"
)

func TestRemovalsHoldABatchAndReturnItInOrder(t *testing.T) {
	ls := New(2 * batch)
	var l List
	for slot := uint32(1); slot <= 2*batch; slot++ {
		ls.SetDeadline(slot, 0)
		ls.PushBack(&l, slot)
	}
	var d Removals
	var want []uint32
	for slot := uint32(1); slot <= batch; slot++ {
		if d.Holds(2 * slot) {
			t.Fatalf("slot %d is held before it was added", 2*slot)
		}
		want = append(want, 2*slot)
		if full := d.Add(2 * slot); full != (slot == batch) {
			t.Fatalf("full is %t after %d slots", full, slot)
		}
		if !d.Holds(2*slot) || d.Len() != int(slot) {
			t.Fatalf("%d slots held after %d", d.Len(), slot)
		}
	}
	if got := d.Take(&ls); !slices.Equal(got, want) || d.Len() != 0 {
		t.Fatalf("took %v and left %d, want %v and none", got, d.Len(), want)
	}
	if length := lengthOf(t, &ls, l); length != 2*batch {
		t.Fatalf("taking slots changed their list: length %d", length)
	}
	d.Add(5)
	if got := d.Take(&ls); !slices.Equal(got, []uint32{5}) {
		t.Fatalf("took %v, want slot 5", got)
	}
}
