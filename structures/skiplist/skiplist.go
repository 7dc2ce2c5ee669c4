// Package skiplist keeps timers in a skip list, as DPDK does (rte_timer).
//
// Pedigree. Pugh's list (1990) with p = 1/2: every timer is on level 0, half of them on level 1
// too, and so on up to 32 levels. What is different from DPDK's:
//
//   - There p is 1/4, which takes less memory, but a search passes half as many timers again,
//     and of a million most are cache misses.
//   - Links go both ways on every level, so that a timer is removed without a search.
//   - Each link holds the deadline of the timer that it leads to: a search reads the timers
//     that it passes and not those at which it steps down.
//   - A timer that is not before any other goes to the end without a search.
//   - A slot draws the height of its tower once and keeps it for every timer in it. Heights are
//     as random as if each timer drew its own, and the steady state allocates nothing.
//
// Costs, for n timers, expected over the heights: Schedule and Reschedule O(log n), about 2
// log2(n) comparisons, and O(1) for a deadline not before any other; Cancel and Pop O(1); Next
// O(1), always. A search may take O(n), with a probability that vanishes. About 44 bytes a
// timer beside the value and its ID.
//
// Work counts Comparisons of two deadlines, always to place a timer.
//
// Ties. FIFO, by the last Schedule or Reschedule.
//
// Pick it for exact order with FIFO ties and cheap Pop and Cancel. Pick a tree when a
// logarithmic bound must hold for every single Schedule.
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

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. It is no limit.
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

// List is a skip list of timers with values of type T. Make it with New.
type List[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	c := option.Apply(config{}, opts)
	return &List[T]{slotted.New[T](newCore(c.capacity, c.seed), c.capacity)}
}
