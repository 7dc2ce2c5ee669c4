// Package twolists keeps timers in two unsorted lists: a short one of those due soon, scanned
// whenever one of them is due, and a long one, scanned when the first of that is. It is the
// queue behind the timers of .NET.
//
// Pedigree. .NET's TimerQueue (Timer.cs) since .NET Core 3.0: timers due within 333 ms are in
// the short list, and most of the others are timeouts of seconds that are cancelled before the
// long list is looked at. What is different here:
//
//   - .NET fires what a scan finds, in the order of the list. Here it is sorted first.
//   - .NET scans the long list every 333 ms, and wakes up for nothing if the earliest timer of
//     a list was cancelled. Here the earliest deadline is known, or Next scans for it.
//   - .NET has a pair of lists per processor.
//
// Costs, for n timers, s of them in the short list, which takes what is due within 333 ticks of
// the last scan of the long one: Schedule, Cancel and Reschedule O(1); Pop O(1), O(s) at each
// tick at which a timer is due, O(n) at most once in 333 ticks, and the sorting. Next O(1), or
// a scan. 17 bytes a timer beside the value and its ID, and 16 for each that is due at once.
//
// Work counts Moved, timers that went to the short list or to those due; and Comparisons, one
// for each timer that a scan looks at, and those of sorting.
//
// Ties. Unspecified.
//
// Pick it for some hundred timers of which nearly all are cancelled, if ticks are milliseconds.
// Pick auto to be spared the choice.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
func Capacity(n int) Option { return option.Capacity("twolists", n, slab.MaxCapacity) }

// Lists is a short and a long list of timers with values of type T. Make it with New.
type Lists[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns empty lists at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Lists[T] {
	n := option.Apply(option.Room{}, opts).Capacity
	c := core{lists: fifo.New(n), in: make([]which, 1, n+1), horizon: near}
	for i := range c.earliest {
		c.earliest[i] = never
	}
	return &Lists[T]{slotted.New[T](c, n)}
}
