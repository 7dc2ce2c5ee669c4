// Package twolists keeps timers in two unsorted lists: a short one of those due soon, which is
// scanned whenever one of them is due, and a long one of the others, which is scanned when the
// first of those is. It is the queue behind the timers of .NET.
//
// Pedigree. .NET's TimerQueue (Timer.cs) has had it since .NET Core 3.0: timers that are due
// within 333 ms are in the short list. Most timers are timeouts of seconds, which are cancelled
// before the long list is looked at. What is different here:
//
//   - .NET fires what a scan finds, in the order of the list. Here what is due is sorted first.
//   - .NET scans the long list every 333 ms. Here the earliest deadline in it is known.
//   - When the earliest timer of a list is cancelled, .NET wakes up for nothing. Here Next scans
//     the list again.
//   - .NET has a pair of lists per processor.
//
// A timer is put into the short list if it is due within 333 ticks of the last scan of the long
// one. Links are indexes, 16 bytes a timer with the deadline.
//
// Costs, for n pending timers of which s are in the short list: Schedule, Cancel and Reschedule
// O(1); Pop O(1), and O(s) at each tick at which a timer is due, and O(n) at most once in 333
// ticks, and what it takes to sort the timers that are due at once. Next O(1), or a scan. 17
// bytes a timer beside the value and its ID, and 16 for each timer that is due at once.
//
// Work counts
//
//   - Moved: timers that went from the long list to the short one or to those that are due, or
//     from the short list to those that are due.
//   - Comparisons: one for each timer that a scan looks at, and those of sorting.
//
// Ties. Unspecified.
//
// Pick it for some hundred timers of which nearly all are cancelled, if the ticks are
// milliseconds. Pick auto for more, or to be spared the choice.
package twolists

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Lists[int])(nil)

// An Option sets up Lists.
type Option func(*option.Room)

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option { return option.Capacity("twolists", n, slab.MaxCapacity) }

// Lists is a short and a long list of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type Lists[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns empty lists whose clock is at tick 0. It panics when an option is invalid.
func New[T any](opts ...Option) *Lists[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	c := core{lists: fifo.New(n), in: make([]which, 1, n+1), horizon: near}
	for i := range c.earliest {
		c.earliest[i] = never
	}
	return &Lists[T]{slotted.New[T](c, n)}
}
