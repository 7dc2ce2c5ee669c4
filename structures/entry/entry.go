// Package entry has the type of an entry of the catalog: what the benchmark suite and the report know
// of a structure. It imports no structure.
package entry

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Order is the promise of a structure about timers with equal deadlines.
type Order int

// The orders of equal deadlines.
const (
	Unspecified Order = iota // any
	FIFO                     // in the order of the last Schedule or Reschedule
)

// String returns the order as in tables.
func (o Order) String() string {
	if o == FIFO {
		return "FIFO"
	}
	return "unspecified"
}

// Classics are the structures that most timers of programs and textbooks stand on.
var Classics = [...]string{"minheap", "quadheap", "wheel", "hwheel", "rbtree", "skiplist"}

// InStructs are the structures whose timers are fields of the caller's structs.
var InStructs = [...]string{"intrusive-heap", "intrusive-linkedwheel", "intrusive-hwheel"}

// Family is a kind of structure. Charts give each family a hue.
type Family string

// The families.
const (
	Heaps  Family = "heaps"
	Wheels Family = "wheels"
	Trees  Family = "trees"
	Lists  Family = "lists"
)

// Entry describes a structure with values of 8 bytes, as the benchmark measures it.
type Entry = For[uint64]

// For describes a structure with values of type T.
type For[T any] struct {
	Name    string // as on charts and command lines: "hwheel", "rbtree-gods"
	Summary string // one line: what the structure is and who uses it
	Family  Family
	Package string // import path
	Source  string // the publication or program of the idea
	Costs   Costs
	Ties    Order

	// Limit is the largest number of timers to benchmark: more would take hours. 0 means no limit.
	Limit int

	// Allocates marks a structure that allocates in the steady state, like the code that it represents.
	Allocates bool

	// MaxBytes is the upper bound of the heap that a timer takes, including a value of 8 bytes, with 10,000
	// or more timers of the memory chart. The empty structure, or 256 KiB if that is more, comes on top.
	// Other deadlines may take more in hwheel and auto, as they document. 0 means not declared.
	MaxBytes int

	// ThirdParty is the module of the container that the structure adapts. Empty for our own.
	ThirdParty string

	// MaxLate returns the most ticks by which a timer with a delay fires late. Nil for an exact structure.
	MaxLate func(delay structures.Tick) structures.Tick

	// Late is MaxLate in words, for tables. Empty for an exact structure.
	Late string

	New func() structures.Scheduler[T]

	// NewIntrusive returns a new structure whose timers are fields of the caller's structs, such as *hwheel.Wheel[T]. New puts IDs
	// on top of it. Nil for a structure by ID.
	NewIntrusive func() any
}

// Intrusive reports whether the timers are fields of the caller's structs.
func (e For[T]) Intrusive() bool { return e.NewIntrusive != nil }

// Exact reports whether every timer fires at its deadline.
func (e For[T]) Exact() bool { return e.MaxLate == nil }

// Costs has upper bounds of how the work of the operations grows with the number n of pending timers, as tables show them:
// "O(log n) amortized". k is the number of different deadlines, or delays, among the pending timers. A test of schedtest
// compares the bounds with the counters of work.
type Costs struct{ Schedule, Cancel, Pop string }

// Linear reports whether the work of an operation grows with the number of pending timers.
func (c Costs) Linear() bool { return slices.Contains([]string{c.Schedule, c.Cancel, c.Pop}, "O(n)") }
