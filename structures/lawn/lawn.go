// Package lawn keeps a list for each delay, and the first timers of the lists in a heap.
//
// Programs use few delays, and timers of one delay come in the order of their deadlines. So a
// new timer goes to the end of its list, and only the first of each list is compared.
//
// Pedigree. Node.js has kept its timers this way since its first versions; libevent offers it
// as its common timeouts. The name is Lev-Libfeld's (arXiv 1906.10860), where the clock looks
// at all lists at each tick. What is different here:
//
//   - A caller names deadlines, and the delay is the deadline less the clock, which Pop moves:
//     a driver whose clock lags makes many delays of one.
//   - The number of lists is bounded. A delay may use one of eight, which its hash selects: its
//     own, an empty one, or one that holds a single timer, which gives it up.
//   - A timer that gets no list waits in the heap by itself: where delays are many it is a
//     4-ary heap.
//   - The heap is exact when the first timer of a list is cancelled; Node.js finds out later.
//
// Costs, for k lists in use, at most 256 by default, and r timers in none: Schedule O(1) into a
// list that holds a timer, else O(log(k+r)); Cancel and Reschedule O(1) unless the timer is the
// first of its list or in none, else O(log(k+r)), as Pop; Next O(1). With one delay nothing is
// compared. Timers are linked in batches of 64. 22 bytes a timer beside its value and its ID,
// in no list up to 32 more.
//
// Work counts Comparisons in the heap.
//
// Ties. Unspecified: FIFO among timers of one delay that got a list.
//
// Default. 256 lists, 6 KiB when empty: 64 random delays nearly always all have one.
//
// Pick it where nearly all of up to some 10^4 timers have one of a few delays: with one delay
// and 10^3 timers it was 1.3 times as fast as a heap and twice as fast as hwheel (AMD EPYC).
// Pick hwheel where timers are more or delays are many.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-4. It is no limit.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("lawn", "Capacity", n, 0, dary.MaxLen) }
}

// Lawn holds timers with values of type T by their delays. Make it with New. It keeps the
// contract of structures.Scheduler, and is for one goroutine at a time.
type Lawn[T any] struct{ scheduler[T] }

type scheduler[T any] = batched.Scheduler[T, core, *core]

// New returns an empty Lawn at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Lawn[T] {
	c := option.Apply(config{lists: 256}, opts)
	return &Lawn[T]{batched.New[T](newCore(c.lists, c.capacity), c.capacity)}
}
