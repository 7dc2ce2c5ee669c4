package slab

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Entry returns the entry of a snapshot for a slot filed under a deadline. It is stale
// unless the slot is in use.
func (t *Table[T]) Entry(slot uint32, deadline structures.Tick) shape.Entry {
	e := shape.Entry{Deadline: deadline, Filed: deadline}
	if t.InUse(slot) {
		e.ID = t.ID(slot)
	}
	return e
}
