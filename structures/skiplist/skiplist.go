// Package skiplist keeps timers in a skip list, as DPDK does (rte_timer).
//
// Pedigree. The list is the one of Pugh (1990) with p = 1/2: every timer is in the
// list of level 0, half of them are in that of level 1, too, half of these in that of
// level 2, up to 32 levels, enough for 2^32 timers. A search starts on the highest
// and shortest list and steps down. What is different from DPDK's:
//
//   - There p is 1/4. That takes less memory, but a search passes half as many timers
//     again, and of a million timers most that it passes are cache misses.
//   - Links go both ways on every level, so that a timer is removed without a search
//     for those before it.
//   - Each link holds the deadline of the timer that it leads to, so that a search
//     reads the timers that it passes and not those at which it steps down.
//   - Links are 4-byte indexes into one array, with nothing in it for the garbage
//     collector.
//   - A timer that is not before any other, as with one timeout for all, goes to the
//     end without a search.
//   - A slot draws the height of its tower once and keeps the tower for every timer in
//     it. Heights are as random and as independent of deadlines as if each timer drew
//     its own, memory is bounded by the largest Len, and the steady state allocates
//     nothing.
//
// Costs, for n pending timers, expected over the heights: Schedule and
// Reschedule O(log n), about 2 log2(n) comparisons, and O(1) for a deadline that is not
// before any other; Cancel and Pop O(1), without a comparison or a search. Next O(1),
// always. A search may take O(n), with a probability that vanishes as n grows, unless
// somebody who knows the seed picks the timers to cancel. About 44 bytes a timer beside
// the value and its ID.
//
// Work counts Comparisons: one for each time that two deadlines are compared, always to
// place a timer.
//
// Ties. FIFO. Of equal deadlines the one scheduled first fires first, and a
// rescheduled timer goes behind its equals.
//
// Pick it for exact order with FIFO ties and cheap Pop and Cancel. Pick a tree when a
// logarithmic bound must hold for every single Schedule. A heap is smaller when most
// timers fire and ties may come in any order; a timer wheel schedules in O(1) when n is
// very large.
package skiplist

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// An Option sets up a List.
type Option func(*config)

type config struct {
	capacity int
	seed     uint64
}

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^32-2. The default is 0.
func Capacity(n int) Option {
	return func(c *config) {
		c.capacity = option.Between("skiplist",
			"Capacity", n, 0, slab.MaxCapacity)
	}
}

// Seed seeds the random heights of the towers; any n will do. Lists with equal
// seeds that see the same calls have the same shape. The default is 0.
func Seed(n uint64) Option {
	return func(c *config) { c.seed = n }
}

// List is a skip list of timers with values of type T. Make it with New. It keeps
// the contract of structures.Scheduler, and is for one goroutine at a time.
type List[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty list whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *List[T] {
	c := option.Apply(config{}, opts)
	return &List[T]{slotted.New[T](newCore(c.capacity, c.seed), c.capacity)}
}
