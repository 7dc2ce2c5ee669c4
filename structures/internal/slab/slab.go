// Package slab issues the IDs of most structures and refuses stale ones. It is the usual generational slot table.
//
// A slot is a small index. It holds the value of a timer, and a structure keeps its own data of the timer under the
// same index, such as the place in a heap or the links of a list. The slot that was freed last is used again first,
// because it is still in the cache. A slot counts how often it was taken and freed: that is its generation. An ID is
// the slot and its generation, so a lookup is one comparison and needs no map. The generations are in an array of
// their own, 4 bytes a timer, so a stale ID is refused without reading the values.
//
// Package records is the table of auto, hwheel, ladder and fifo.Timers, which keep the generation, the deadline and
// the place of a timer in the cache line of its value. One table for all costs too much (docs/performance.md).
package slab

import (
	"cmp"
	"fmt"
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// None is the slot that is never issued. It is 0, so that the zero value of a link means "none".
const None uint32 = 0

// MaxCapacity is the most slots in use at a time: an ID has 32 bits for one, and an index fits an int.
const MaxCapacity = min(math.MaxUint32, math.MaxInt) - 1

// Table holds one value of type T for each slot in use. Make it with New.
//
// A slot is in use, on the free stack, or exhausted (out of generations, never used again). Its generation is odd
// exactly while it is in use. That of an exhausted slot is 0 again.
type Table[T any] struct {
	gens   []uint32 // per slot: the generation
	values []T      // per slot: zero unless in use, so that nothing is kept alive
	free   []uint32 // stack of free slots
	lost   int      // slots that are exhausted
}

// New returns an empty table with room for capacity values.
func New[T any](capacity int) Table[T] {
	return Table[T]{
		gens:   make([]uint32, 1, capacity+1), // slot None
		values: make([]T, 1, capacity+1),
		free:   make([]uint32, 0, capacity),
	}
}

// Len returns the number of slots in use.
func (t *Table[T]) Len() int { return len(t.gens) - 1 - len(t.free) - t.lost }

// Reserve makes sure that there is a free slot. It costs O(1), amortized over growth.
func (t *Table[T]) Reserve() {
	if len(t.free) == 0 {
		t.grow()
	}
}

// Take takes a free slot for value, after Reserve, and returns it with its ID.
func (t *Table[T]) Take(value T) (slot uint32, id structures.ID) {
	n := len(t.free) - 1
	slot = t.free[n]
	t.free = t.free[:n]
	t.gens[slot]++
	t.values[slot] = value
	return slot, t.ID(slot)
}

// grow adds a free slot.
func (t *Table[T]) grow() {
	if len(t.gens) > MaxCapacity {
		panic(fmt.Sprintf("slab: more than %d timers pending", MaxCapacity))
	}
	t.free = append(t.free, uint32(len(t.gens)))
	t.gens = append(t.gens, 0)
	t.values = append(t.values, *new(T))
}

// ID returns the ID of a slot in use.
func (t *Table[T]) ID(slot uint32) structures.ID {
	return structures.ID(t.gens[slot])<<32 | structures.ID(slot)
}

// Find returns the slot that id names, or None when id was never issued, or freed since.
func (t *Table[T]) Find(id structures.ID) uint32 {
	slot, gen := uint32(id), uint32(id>>32)
	// An even generation was never issued: without that test a forged ID could name a free slot.
	if uint64(slot) < uint64(len(t.gens)) && t.gens[slot] == gen && gen&1 == 1 {
		return slot
	}
	return None
}

// InUse reports whether a slot, of whatever number, is in use.
func (t *Table[T]) InUse(slot uint32) bool {
	return uint64(slot) < uint64(len(t.gens)) && t.gens[slot]&1 == 1
}

// Free frees a slot and returns its value. A slot whose generations are used up, after 2^31
// timers, is never used again, so that no ID is issued twice.
func (t *Table[T]) Free(slot uint32) T {
	value := t.values[slot]
	var zero T
	t.values[slot] = zero
	t.gens[slot]++
	if t.gens[slot] == 0 {
		t.lost++
	} else {
		t.free = append(t.free, slot)
	}
	return value
}

// Addresses returns where the generation and the value of a slot are, to be prefetched.
func (t *Table[T]) Addresses(slot uint32) (generation, value unsafe.Pointer) {
	return unsafe.Pointer(&t.gens[slot]), unsafe.Pointer(&t.values[slot])
}

// Check returns the first broken invariant of the table, or of a structure whose timers are in it.
func (t *Table[T]) Check(clock structures.Tick, w snapshot.Walker) error {
	b := snapshot.Builder{Clock: clock, Entry: t.Entry, Holds: t.InUse}
	return cmp.Or(t.CheckInvariants(), b.Check(w, t.Len()))
}

// Snapshot returns the parts of such a structure.
func (t *Table[T]) Snapshot(clock structures.Tick, w snapshot.Walker) shape.Snapshot {
	b := snapshot.Builder{Clock: clock, Entry: t.Entry}
	return b.Snapshot(w)
}

// CheckInvariants walks the table and names the first broken invariant. It costs O(slots).
func (t *Table[T]) CheckInvariants() error { return rules.FirstBroken("slab", t.check) }

func (t *Table[T]) check() {
	rules.Must(len(t.gens) == len(t.values) && t.gens[None] == 0,
		"%d generations, %d values, or a generation of the slot that is never issued", len(t.gens), len(t.values))
	used, exhausted := 0, 0
	for _, gen := range t.gens[1:] {
		switch {
		case gen&1 == 1:
			used++
		case gen == 0:
			exhausted++
		}
	}
	rules.Must(used == t.Len() && exhausted == t.lost, "%d slots in use, %d exhausted; of %d, %d are free and %d exhausted",
		used, exhausted, len(t.gens)-1, len(t.free), t.lost)
	seen := make(map[uint32]bool, len(t.free))
	for _, slot := range t.free {
		rules.Must(t.gens[slot]&1 == 0 && t.gens[slot] != 0 && !seen[slot],
			"slot %d on the free stack is in use, exhausted or there twice", slot)
		seen[slot] = true
	}
}

// Entry returns the entry of a snapshot for a slot. It is stale unless the slot is in use.
func (t *Table[T]) Entry(slot uint32, deadline structures.Tick) shape.Entry {
	e := shape.Entry{Deadline: deadline, Filed: deadline}
	if t.InUse(slot) {
		e.ID = t.ID(slot)
	}
	return e
}
