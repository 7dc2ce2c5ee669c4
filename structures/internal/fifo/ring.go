package fifo

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Ring is a ring of lists. Its slots are numbered by time, modulo the number of lists, a power of two.
type Ring struct {
	Mask     uint64 // number of lists less one
	Lists    []List
	Occupied Occupancy // of Lists
}

// NewRing returns a ring of empty lists.
func NewRing(slots int) Ring {
	return Ring{uint64(slots) - 1, make([]List, slots), NewOccupancy(slots)}
}

// Index returns the index of a slot.
func (r *Ring) Index(slot structures.Tick) int { return int(uint64(slot) & r.Mask) }

// Push appends a timer to a slot.
func (r *Ring) Push(ls *Timers, slot structures.Tick, timer uint32, n *Node) {
	i := r.Index(slot)
	if r.Lists[i].Empty() {
		r.Occupied.Set(i)
	}
	ls.PushBack(&r.Lists[i], timer, n)
}

// Remove removes a timer from its slot.
func (r *Ring) Remove(ls *Timers, slot structures.Tick, n *Node) {
	if i := r.Index(slot); ls.Remove(&r.Lists[i], n) {
		r.Occupied.Clear(i)
	}
}

// Take empties a slot and returns its timers.
func (r *Ring) Take(slot structures.Tick) List {
	i := r.Index(slot)
	l := r.Lists[i]
	r.Lists[i] = List{}
	r.Occupied.Clear(i)
	return l
}

// First returns the first slot from one on that holds a timer. ok is false if none does.
func (r *Ring) First(from structures.Tick) (slot structures.Tick, ok bool) {
	start := r.Index(from)
	i := r.Occupied.Next(start)
	if i < 0 {
		i = r.Occupied.First()
	}
	return from + structures.Tick(uint64(i-start)&r.Mask), i >= 0
}

// Walk adds the occupied slots, each of 2^width ticks. None begins before the cursor or earliest.
func (r *Ring) Walk(ls *Timers, b *snapshot.Builder, name string, width uint, cursor, earliest structures.Tick) error {
	ticks := structures.Tick(1) << width
	b.Begin(shape.Part{Name: name, Kind: shape.Slots, Size: len(r.Lists), Width: ticks, Now: r.Index(b.Clock >> width)})
	from := cursor >> width
	for i := r.Occupied.First(); i >= 0; i = r.Occupied.Next(i + 1) {
		first := (from + structures.Tick((uint64(i)-uint64(from))&r.Mask)) << width
		cell := shape.Cell{Index: i, From: first, To: first + ticks - 1}
		_, err := ls.Walk(b, cell, r.Lists[i])
		if err != nil || r.Lists[i].Empty() || first < earliest {
			return fmt.Errorf("%s: slot %d is empty, %t, or begins at %d, before %d: %w",
				name, i, r.Lists[i].Empty(), first, earliest, err)
		}
	}
	return r.Occupied.Check()
}
