// Package quadheaplazy keeps timers in a 4-ary heap that cancels and moves lazily, as
// Go's runtime does since 1.14.
//
// Most timers are cancelled or moved before they fire, and most of those that are
// moved go later. In a heap that does both at once, each costs a search for the entry
// and a walk through the heap. Here Cancel marks the slot of the timer as vacant, and
// Reschedule to a later tick records the new deadline: neither touches the heap. The
// entry stays where it is, at worst too early. When it reaches the root it is dropped,
// or filed again under the recorded deadline. And as in Go, where Reset takes up the
// entry that Stop has left, a new timer in a slot whose old entry is still in the heap,
// and early enough, takes that entry over: to start and stop timers with one timeout
// does not touch the heap at all.
//
// Pedigree. Go's runtime cannot put off a deadline earlier than that of the entry
// either: it marks such a timer, and when the earliest of these deadlines has come it
// reads the whole heap and builds it anew. It does the same when more than a quarter of
// the entries are of stopped timers. So now and then one call costs O(n). What is
// different here:
//
//   - A timer moved before its entry gets a second entry at once. The first one is dead
//     then; a version number tells the two apart.
//   - Dead entries are swept a few at a time: a call that leaves one more dead or one
//     fewer alive examines 20 entries if need be, so that never more than a quarter of
//     the heap is dead, plus 32.
//   - Entries are those of package quadheap, 16 bytes without pointers, four children
//     to a cache line. There is no array of positions, which quadheap writes at each
//     step of each walk.
//
// Costs, for n pending timers: Cancel O(1) amortised, without reading the heap
// unless entries have to be swept; Reschedule to later O(1), to earlier as
// Schedule and Cancel; Schedule O(log n), O(1) on average for deadlines in random
// order or when it takes over an entry; Pop and Next O(log n) amortised: they drop dead
// entries and file moved ones that reach the root, each of which costs O(log n) once. A
// value is released at once, whatever becomes of the entry. 36 bytes a timer beside
// the value and its ID, and 16 for each dead entry.
//
// Work counts
//
//   - Dropped: one for each dead entry removed from the heap.
//   - Moved: one for each entry filed again under a later deadline.
//   - Comparisons: one for each time that two deadlines are compared.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it where a heap is wanted and timers are mostly cancelled or pushed out
// (timeouts, leases, idle connections), or where they are many. Pick quadheap
// where each call must cost the same, as here a single Pop or Next may find any
// number of dead entries at the root, or where memory counts.
package quadheaplazy

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// An Option sets up a Heap.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers and the dead entries among them, so that none
// of the first n allocates. It is no limit. New panics unless n is from 0 to 2^32-2.
// The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("quadheaplazy", "Capacity", n, 0, slab.MaxCapacity) }
}

// Heap is a lazy 4-ary heap of timers with values of type T. Make it with New. It
// keeps the contract of structures.Scheduler, and is for one goroutine at a time.
type Heap[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty heap whose clock stands at tick 0. It panics when an
// option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	c := option.Apply(config{}, opts)
	return &Heap[T]{slotted.New[T](newCore(c.capacity), c.capacity)}
}
