// Package list keeps timers in an unsorted list and scans it for the earliest
// one: what a program does that has a few timers and no library, and what
// Python's schedule does, which takes min() over its list of jobs.
//
// It answers how many timers it takes until another structure pays, so it is as fast
// as a list can be:
//
//   - Deadlines are an array of their own, eight to a cache line, and a scan reads
//     nothing else, in order.
//   - The last entry takes the place of one that is removed, so that nothing shifts.
//   - The place of an entry is kept in an array, 4 bytes a timer, so that Cancel does
//     not search, as schedule's remove does.
//   - The earliest entry is remembered. schedule scans each time that it is asked
//     whether anything is due; this list scans after the earliest timer was fired,
//     cancelled or moved to later, and Pop only when the clock has reached the
//     deadline that this timer had.
//
// Costs, for n pending timers: Schedule, Cancel and Reschedule O(1); Pop
// and Next O(n) when they have to scan, with n-1 comparisons, otherwise O(1). So each
// timer that fires costs one scan, k timers due at once cost k, and a wake-up on which
// nothing fires mostly costs none. 16 bytes a timer beside the value and its ID.
//
// Work counts Comparisons: one for each time that two deadlines are compared, nearly
// all of them in scans.
//
// Ties. Unspecified. Equal deadlines fire in any order, though always in the
// same one for the same calls.
//
// Pick it for a few dozen timers, or for timers that are nearly all cancelled or
// moved to later before they would be the earliest. Measured against quadheap,
// scheduling a timer for each that fires took about as long with 4 to 32 timers,
// 1.7 times as long with 64 and 7 times with 1000; cancelling a timer and
// scheduling another took half as long with any number. For more timers that fire
// pick quadheap, whose cost hardly grows with n.
package list

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// An Option sets up a List.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("list", "Capacity", n, 0, slab.MaxCapacity) }
}

// List is an unsorted list of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type List[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty list whose clock stands at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *List[T] {
	c := option.Apply(config{}, opts)
	return &List[T]{slotted.New[T](newCore(c.capacity), c.capacity)}
}
