// Package lawn keeps a list for each delay, and the first timers of the lists in a heap.
//
// Programs use few delays: a timeout for requests, one for idle connections, one for
// retries. Timers of one delay come in the order of their deadlines, as the clock never
// goes back. So they need no sorting: a new timer goes to the end of its list, and the
// first one of each list is all that has to be compared.
//
// Pedigree. Node.js has kept its timers this way since its first versions, nowadays with
// the lists in a priority queue; libevent offers it for delays that a program declares,
// its common timeouts. The name is that of Lev-Libfeld, "Lawn: an unbound low latency
// timer data structure for large scale, high throughput systems" (arXiv 1906.10860),
// where the clock looks at all lists at each tick. What is different here:
//
//   - A caller names deadlines. The delay is the deadline less the clock, which Pop
//     moves: a driver that schedules while its clock lags behind by another amount each
//     time makes many delays of one.
//   - The number of lists is bounded. A delay may use one of eight lists, which its hash
//     selects: its own, an empty one, or one that holds a single timer, which then gives
//     it up. Lists are used again as soon as they are empty.
//   - A timer that gets no list waits in the heap by itself, beside the first ones of the
//     lists. So nothing is slow where delays are many: it is a 4-ary heap then.
//   - The heap is exact when the first timer of a list is cancelled, while Node.js finds
//     out when that deadline has come.
//
// Costs, for k lists in use and r timers in no list, k at most 256 by default. Schedule
// O(1) into a list that holds a timer; into an empty one, or into none, O(log(k+r)) as in
// quadheap, O(1) on average. Cancel and Reschedule O(1) for a timer that is not the first
// of its list; for a first one, and for one in no list, O(log(k+r)). Pop O(log(k+r)); Next
// O(1). With one delay all of this is O(1) without a comparison. Timers are linked in
// batches of 64, which is what is amortised here, besides growth. A timer takes 22 bytes
// beside its value and its ID, one in no list up to 32 more.
//
// Work counts Comparisons: one for each time that two deadlines are compared in the heap.
//
// Ties. Unspecified. Timers of one deadline and one delay that got a list fire in the
// order in which they were scheduled, those of different delays in any order.
//
// Default. 256 lists, 6 KiB when empty. With 64 delays, chosen at random, nearly always
// all of them have lists; from about 130 on some have none.
//
// Pick it where nearly all timers have one of a few delays, as the timeouts of a server
// do, up to some 10^4 of them: with one delay and 10^3 timers it was the fastest of the
// exact structures, 1.3 times as fast as a heap and twice as fast as hwheel (AMD EPYC).
// Pick hwheel where timers are more or delays are many: it is a slower quadheap then.
package lawn

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/option"
)

var _ structures.Scheduler[int] = (*Lawn[int])(nil)

// An Option sets up a Lawn.
type Option func(*config)

type config struct{ lists, capacity int }

// Lists sets the number of lists, and so of delays that cost O(1): a power of two from 8
// to 32,768, by default 256. New panics otherwise. A list takes 16 bytes.
func Lists(n int) Option {
	return func(c *config) { c.lists = option.PowerOfTwo("lawn", "Lists", n, ways, 1<<15) }
}

// Capacity reserves room for n timers, so that none of the first n allocates, whatever
// their delays. It is no limit. New panics unless n is from 0 to 2^32-4. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("lawn", "Capacity", n, 0, dary.MaxLen) }
}

// Lawn holds timers with values of type T by their delays. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Lawn[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns an empty Lawn whose clock is at tick 0. It panics when an option is invalid.
func New[T any](opts ...Option) *Lawn[T] {
	c := option.Apply(config{lists: 256}, opts)
	return &Lawn[T]{batched.New[T](newCore(c.lists, c.capacity), c.capacity)}
}
