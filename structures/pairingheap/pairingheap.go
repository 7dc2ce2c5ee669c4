// Package pairingheap keeps timers in a pairing heap, as libxev does for the
// timers of its event loop.
//
// The heap is the one of Fredman, Sedgewick, Sleator and Tarjan (1986): a tree
// of any shape in which no timer is due before its parent. Two trees are melded
// with one comparison: the later root becomes a child of the earlier one. Schedule
// does no more than that. The work is done when the root is removed: its children are
// melded in pairs, and the pairs from the last to the first into one tree.
//
// What is different from libxev:
//
//   - Nodes are in one array and link to each other by 4-byte index, 24 bytes a timer
//     and nothing in them for the garbage collector.
//   - A timer that is moved to earlier takes its whole tree along to the root. One that
//     is moved to later stays where it is and gives its children to the root. Neither
//     is removed and scheduled again.
//   - The children of a cancelled timer join the root without a comparison, as none
//     of them can be before it.
//
// Costs, for n pending timers: Schedule and Next O(1), with one comparison and
// none; Pop, Cancel and Reschedule O(log n) amortised. Cancelling or delaying a timer
// without children is O(1), and so is moving any to earlier, apart from what it adds to
// a later Pop. A single Pop may cost O(n), with n-2 comparisons: the first one after n
// timers were scheduled in order, as they are all children of the root then. No
// operation is recursive. 24 bytes a timer beside the value and its ID.
//
// Work counts Comparisons: one for each time that two deadlines are compared.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it where Schedule must be O(1) for any deadlines, or where many timers are
// moved to earlier, and an occasional long Pop does no harm. Measured against
// quadheap, cancelling a timer and scheduling another took 1.1 to 1.4 times as
// long, and scheduling a timer for each that fires 1.7 to 2.9 times from 16 timers
// on: the children of a node are side by side there, and all over the memory here.
// So pick quadheap where timers fire, rbtree where every operation must be short, and
// a timer wheel where ticks may be coarse and timers are many.
package pairingheap

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("pairingheap", n, slab.MaxCapacity) }

// Heap is a pairing heap of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	return &Heap[T]{slotted.New[T](newCore(n), n)}
}
