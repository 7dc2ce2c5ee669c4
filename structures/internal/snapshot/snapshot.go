// Package snapshot builds the snapshots of structures.
package snapshot

import (
	"iter"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Timers are slots, and the deadlines under which they are filed.
type Timers = iter.Seq2[uint32, structures.Tick]

// Builder builds a snapshot part by part. Parts, cells and timers are added in order.
type Builder struct {
	Clock structures.Tick
	Parts []shape.Part
	Entry func(slot uint32, filed structures.Tick) shape.Entry
}

// Begin begins a part, which the next cells belong to.
func (b *Builder) Begin(p shape.Part) { b.Parts = append(b.Parts, p) }

// DropEmpty takes the last part back if it has no cells and is not the only one.
func (b *Builder) DropEmpty() {
	if last := len(b.Parts) - 1; last > 0 && len(b.Parts[last].Cells) == 0 {
		b.Parts = b.Parts[:last]
	}
}

// Cell adds a cell of timers, unless there are none, and returns its place. Except in slots
// that is its index.
func (b *Builder) Cell(c shape.Cell, timers Timers) (place int) {
	p := &b.Parts[len(b.Parts)-1]
	for slot, filed := range timers {
		c.Entries = append(c.Entries, b.Entry(slot, filed))
	}
	if len(c.Entries) == 0 {
		return -1
	}
	place = len(p.Cells)
	if p.Kind != shape.Slots {
		c.Index = place
	}
	p.Cells = append(p.Cells, c)
	return place
}

// Timer adds a cell of one timer and returns its place.
func (b *Builder) Timer(c shape.Cell, slot uint32, filed structures.Tick) (place int) {
	return b.Cell(c, func(yield func(uint32, structures.Tick) bool) { yield(slot, filed) })
}

// List adds a list, a cell for each timer. One without timers is only shown if nothing else is.
func (b *Builder) List(name string, timers Timers) {
	b.Begin(shape.Part{Name: name, Kind: shape.List})
	for slot, filed := range timers {
		b.Timer(shape.Cell{}, slot, filed)
	}
	b.DropEmpty()
}

// Heap adds a heap in an array, the root first.
func (b *Builder) Heap(name string, arity int, timers Timers) {
	b.Begin(shape.Part{Name: name, Kind: shape.Heap, Arity: arity})
	i := 0
	for slot, filed := range timers {
		c := shape.Cell{Parent: -1}
		if i > 0 {
			c.Parent, c.Child = (i-1)/arity, (i-1)%arity
		}
		b.Timer(c, slot, filed)
		i++
	}
}

// List returns a list of entries, a cell for each.
func List(name string, entries []shape.Entry) shape.Part {
	p := shape.Part{Name: name, Kind: shape.List}
	for i, e := range entries {
		p.Cells = append(p.Cells, shape.Cell{Index: i, Entries: []shape.Entry{e}})
	}
	return p
}
