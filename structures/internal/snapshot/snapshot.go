// Package snapshot builds the parts of snapshots that many structures have.
package snapshot

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Show returns the entry of a snapshot for a slot that is filed under a deadline.
type Show = func(slot uint32, deadline structures.Tick) shape.Entry

// List returns a list of entries, a cell for each.
func List(name string, entries []shape.Entry) shape.Part {
	p := shape.Part{Name: name, Kind: shape.List}
	for i, e := range entries {
		p.Cells = append(p.Cells, shape.Cell{Index: i, Entries: []shape.Entry{e}})
	}
	return p
}

// Heap returns a heap in an array of n entries, the root first.
func Heap(name string, arity, n int, entry func(i int) shape.Entry) shape.Part {
	p := shape.Part{Name: name, Kind: shape.Heap, Arity: arity}
	for i := range n {
		c := shape.Cell{Index: i, Parent: -1, Entries: []shape.Entry{entry(i)}}
		if i > 0 {
			c.Parent, c.Child = (i-1)/arity, (i-1)%arity
		}
		p.Cells = append(p.Cells, c)
	}
	return p
}
