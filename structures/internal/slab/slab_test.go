package slab

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

func put[T any](table *Table[T], value T) (slot uint32, id structures.ID) {
	table.Reserve()
	return table.Take(value)
}

func TestFindRefusesWhatWasNeverIssued(t *testing.T) {
	table := New[int](0)
	_, id := put(&table, 7)
	slot, _ := put(&table, 8)
	table.Free(slot)
	for _, forged := range []structures.ID{
		0, 1, 2, 1 << 32, id + 1<<32, id + 1, math.MaxUint64,
		structures.ID(table.gens[slot])<<32 | structures.ID(slot),   // the free slot as it stands
		structures.ID(table.gens[slot]+1)<<32 | structures.ID(slot), // its next ID, not issued yet
	} {
		if got := table.Find(forged); got != None {
			t.Errorf("Find(%#x) = %d, want None", forged, got)
		}
	}
	if got := table.Find(id); table.values[got] != 7 {
		t.Errorf("Find(%#x) = slot %d, which holds %d, want 7", id, got, table.values[got])
	}
}

func TestInUseKnowsEverySlot(t *testing.T) {
	table := New[int](0)
	for i := range 4 {
		put(&table, i)
	}
	table.Free(2)
	for slot, want := range map[uint32]bool{None: false, 1: true, 2: false, 3: true, 4: true, 5: false, math.MaxUint32: false} {
		if got := table.InUse(slot); got != want {
			t.Errorf("InUse(%d) = %t, want %t", slot, got, want)
		}
	}
}

func TestAnExhaustedSlotIsNeverUsedAgain(t *testing.T) {
	table := New[int](0)
	first, _ := put(&table, 1)
	table.gens[first] = math.MaxUint32 // as after 2^31 timers
	last := table.ID(first)
	if table.Find(last) != first {
		t.Fatal("the last generation is refused")
	}
	table.Free(first)
	checking.Sound(t, &table)
	next, id := put(&table, 2)
	if next == first {
		t.Fatal("a slot without generations left was issued again")
	}
	if table.Find(last) != None || table.Find(id) != next {
		t.Fatal("the exhausted slot answers to an ID, or the new one does not")
	}
}
