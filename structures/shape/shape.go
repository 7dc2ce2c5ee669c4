// Package shape describes the state of a timer structure at one moment, for drawings and checks. It is optional: the contract
// of package structures does not require it.
package shape

import "github.com/timerbench/timerbench/structures"

// Snapshot is the shape of a structure at one moment. It has no parts if the structure cannot show its shape.
type Snapshot struct{ Parts []Part }

// Shown is an optional interface of a structure, found by a type assertion. Snapshot copies every entry, so it costs O(n).
type Shown interface{ Snapshot() Snapshot }

// Kind is the arrangement of the cells of a part.
type Kind int

// The kinds.
const (
	Slots Kind = iota // slots by number, each for a span of ticks, without the empty ones
	Heap              // a heap in an array, the root first; no node is filed after its children
	Tree              // nodes linked to one another, each parent before its children
	List              // a sequence
)

// Part is an array, a tree or a list that is part of a structure.
type Part struct {
	Name  string // such as "level 1", "heap", "arrival buffer"
	Kind  Kind
	Cells []Cell
	Size  int             // Slots: their number, including empty ones
	Width structures.Tick // Slots: the ticks of a slot; 0 if they differ
	Now   int             // Slots: the number of the slot of the clock; -1 for none
	Arity int             // Heap: the number of children of a full node. Tree: 2 for a search tree, otherwise 0
}

// Cell is a slot of a wheel, a node of a heap or a tree, or a place of a list.
type Cell struct {
	Index   int             // Slots: the number of the slot. Otherwise: the place in Cells
	Parent  int             // Heap and Tree: the place of the parent in Cells; -1 for the root
	Child   int             // Heap and Tree: the number among the children of the parent, from 0
	From    structures.Tick // Slots: the first tick of its span
	To      structures.Tick // Slots: the last tick of its span
	Levels  int             // List: the number of levels of the cell in a skip list, otherwise 0
	Red     bool            // Tree: the color in a red-black tree
	Entries []Entry         // in order, at least one
}

// Entry is an entry of a cell. Each pending timer has one that is not stale.
type Entry struct {
	// ID is the ID of the timer, or 0 if the entry is stale.
	ID structures.ID
	// Deadline is the deadline of the timer. In a stale entry it is the same as Filed.
	Deadline structures.Tick
	// Filed is the deadline under which the entry was filed. It may be before Deadline.
	Filed structures.Tick
}

// Stale reports whether no pending timer belongs to the entry.
func (e Entry) Stale() bool { return e.ID == 0 }

// Moved reports whether the timer has a later deadline than the entry.
func (e Entry) Moved() bool { return e.Filed < e.Deadline }
