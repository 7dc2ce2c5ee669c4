// Package slab issues the IDs of all structures and refuses the stale ones: a
// generational slot table, written once.
//
// A timer's value lives in a slot, a small index under which a structure keeps
// whatever else it knows of the timer (its place in a heap, its links in a
// list). Freed slots are used again, the last freed first, as it is still in
// cache. Each slot counts how often it was taken and freed; an ID carries that
// count beside the index, so that looking up an ID is one comparison and needs
// no map. The idea is the usual one of generational arenas; the counters stand
// in an array of their own, 4 bytes a timer, so that a stale ID is refused
// without a touch of the values.
package slab

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// None is the slot that is never issued. It is 0, so that the zero value of a
// link means "none".
const None uint32 = 0

// MaxCapacity is the largest number of slots in use at a time: an ID has 32 bits
// for the slot, and an index must fit an int.
const MaxCapacity = min(math.MaxUint32, math.MaxInt) - 1

// Table holds one value of type T for each slot in use. Make it with New.
type Table[T any] struct {
	gens     []uint32 // per slot: odd while in use, even otherwise
	values   []T      // per slot: zero unless in use, so that nothing is kept alive
	free     []uint32 // stack of free slots whose generation is not used up
	live     int      // slots in use
	withheld int      // slots neither in use nor given back
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
func (t *Table[T]) Len() int { return t.live }

// Put takes a slot for value and returns it with the ID that names it from now
// on. It costs O(1), amortised over growth.
func (t *Table[T]) Put(value T) (slot uint32, id structures.ID) {
	t.live++
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
		t.gens[slot]++
		t.values[slot] = value
		return slot, t.ID(slot)
	}
	return t.grow(value)
}

func (t *Table[T]) grow(value T) (uint32, structures.ID) {
	if len(t.gens) > MaxCapacity {
		panic(fmt.Sprintf("slab: more than %d timers pending", MaxCapacity))
	}
	slot := uint32(len(t.gens))
	t.gens = append(t.gens, 1)
	t.values = append(t.values, value)
	return slot, t.ID(slot)
}

// ID returns the ID of a slot in use.
func (t *Table[T]) ID(slot uint32) structures.ID {
	return structures.ID(t.gens[slot])<<32 | structures.ID(slot)
}

// Find returns the slot that id names, or None when id is not in use: never
// issued, or freed since.
func (t *Table[T]) Find(id structures.ID) uint32 {
	slot, gen := uint32(id), uint32(id>>32)
	// An even generation was never issued: without that test a forged ID could
	// name a free slot.
	if uint64(slot) < uint64(len(t.gens)) && t.gens[slot] == gen && gen&1 == 1 {
		return slot
	}
	return None
}

// InUse reports whether a slot, of whatever number, is in use.
func (t *Table[T]) InUse(slot uint32) bool {
	return uint64(slot) < uint64(len(t.gens)) && t.gens[slot]&1 == 1
}

// Value returns where the value of a slot in use lies. The pointer holds until
// the next Put.
func (t *Table[T]) Value(slot uint32) *T { return &t.values[slot] }

// Free gives a slot in use back and returns its value; its ID is stale from now
// on. A slot whose generations are used up, after 2^31 timers, is retired: its
// few bytes are never used again, so that no ID ever comes round a second time.
func (t *Table[T]) Free(slot uint32) T {
	value := t.values[slot]
	t.Withhold(slot)
	t.release(slot)
	return value
}

// Withhold makes the ID of a slot stale and drops its value, but keeps the slot
// from being used again until it is given to Release: for a structure that still
// has it linked somewhere.
func (t *Table[T]) Withhold(slot uint32) {
	var zero T
	t.values[slot] = zero
	t.gens[slot]++ // wraps to 0, which no ID carries, when used up
	t.live--
	t.withheld++
}

// Release gives withheld slots back.
func (t *Table[T]) Release(slots []uint32) {
	for _, slot := range slots {
		t.release(slot)
	}
}

func (t *Table[T]) release(slot uint32) {
	t.withheld--
	if t.gens[slot] != 0 {
		t.free = append(t.free, slot)
	}
}

// CheckInvariants walks the table and names the first broken invariant. It
// costs O(slots).
func (t *Table[T]) CheckInvariants() error {
	if len(t.gens) != len(t.values) || len(t.gens) == 0 {
		return fmt.Errorf("slab: %d generations beside %d values", len(t.gens), len(t.values))
	}
	if t.gens[None] != 0 {
		return fmt.Errorf("slab: slot %d, which is never issued, has generation %d", None, t.gens[None])
	}
	used, spent := 0, 0
	for _, gen := range t.gens[1:] {
		switch {
		case gen&1 == 1:
			used++
		case gen == 0:
			spent++
		}
	}
	if used != t.live {
		return fmt.Errorf("slab: %d slots in use, live counter says %d", used, t.live)
	}
	// A spent slot may be withheld still, or lost for good.
	if idle := len(t.gens) - 1 - used - t.withheld; len(t.free) > idle || len(t.free) < idle-spent {
		return fmt.Errorf("slab: %d slots on the free stack, want %d less at most %d spent ones", len(t.free), idle, spent)
	}
	seen := make(map[uint32]bool, len(t.free))
	for _, slot := range t.free {
		if slot == None || int(slot) >= len(t.gens) || t.gens[slot]&1 == 1 || seen[slot] {
			return fmt.Errorf("slab: slot %d on the free stack is in use, out of range or there twice", slot)
		}
		seen[slot] = true
	}
	return nil
}
