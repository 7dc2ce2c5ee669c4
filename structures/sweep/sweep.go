// Package sweep keeps timers in an array and looks at all of them once in a while: what most servers do by hand.
//
// A map or an array of sessions has the time at which each ends, and every second a loop ends what is over. Nothing is
// sorted, so a timer is moved by one store. The price is a look at every timer in each period, and lateness of up to a
// period. docs/questions.md says among how many timers that is the better answer. So the sweep is as fast as it can be:
//
//   - Deadlines are in an array of their own, eight to a cache line, at the places of the timers in the slab. A sweep
//     reads nothing else, and a timer has no entry to keep up to date.
//   - A sweep also finds the earliest deadline of the timers that stay. So Next names the first sweep at which a timer
//     may be due, and the sweeps before it are skipped.
//
// Pedigree. The usual loop, such as DeleteExpired of [go-cache], which looks at all items of a map at an interval.
//
// Lateness. Timers fire at multiples of the period, 1000 ticks by default: at most Period-1 ticks late, whatever their
// delay, and never early.
//
// A sweep also looks at the places of earlier timers. A timer takes 8 bytes, plus its value and ID.
// Work counts SlotsVisited, the places at which sweeps have looked.
//
// Ties. Unspecified. Timers of the same sweep fire in the order of their places.
//
// Pick it if timers may be late, if a period is so long that many operations fall into it, and if a structure that you
// need not think about is worth more than the fastest one. Pick auto if a sweep takes longer than a caller may wait.
//
// [go-cache]: https://github.com/patrickmn/go-cache/blob/v2.1.0/cache.go
package sweep

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Sweep[int])(nil)

// Option sets a parameter of a Sweep.
type Option struct{ option }
type option = rules.Option[config]
type config struct{ period, capacity int }

// Period sets the number of ticks from sweep to sweep, from 1 to 2^31-1. The default is 1000.
func Period(ticks int) Option {
	return Option{func(c *config) { c.period = rules.Between("sweep", "Period", ticks, 1, math.MaxInt32) }}
}

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option {
	return Option{func(c *config) { c.capacity = rules.Between("sweep", "Capacity", n, 0, slab.MaxCapacity) }}
}

// Sweep is an array of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Sweep[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty sweep at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Sweep[T] {
	c := rules.Apply(config{period: 1000}, opts)
	queue := core{entries: make([]uint64, 1, 1+c.capacity), period: uint64(c.period), at: 1, earliest: never}
	queue.entries[0] = never // slot 0 is never issued
	return &Sweep[T]{slotted.NewMoving[T](queue, c.capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(1).
func (s *Sweep[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return s.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(1).
func (s *Sweep[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return s.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1).
func (s *Sweep[T]) Cancel(id structures.ID) bool { return s.base.Cancel(id) }

// Pop moves the clock to now and removes a timer that is due at the sweep. Order and ties are unspecified. It costs O(1), plus
// O(n) a period.
func (s *Sweep[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return s.base.Pop(now) }

// Next returns the first sweep at which a timer may be due. It costs as much as Pop.
func (s *Sweep[T]) Next() (at structures.Tick, ok bool) { return s.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (s *Sweep[T]) Len() int { return s.base.Len() }

// MaxLate returns the most ticks by which a timer fires late with the default period, whatever its delay.
func MaxLate(structures.Tick) structures.Tick { return 999 }

// never is the entry of a place without a timer.
const never = math.MaxUint64

// core is the queue of timers. Entry i is of the timer with slot i: its deadline minus 1, so that those that are due at
// a clock are less than the clock. Deadlines are at least 1, and an entry without a timer is the largest.
type core struct {
	entries  []uint64
	period   uint64
	limit    uint64          // the clock at the current sweep, or at the last one
	since    structures.Tick // when that sweep was due
	at       int             // the next place at which the current sweep looks; at the end when it is over
	earliest uint64          // no entry is less, but those that the current sweep has not seen
	visited  uint64
}

// Add enters a timer. A sweep that has not come to its place finds that it is not due.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	if int(slot) == len(c.entries) {
		if c.at == len(c.entries) {
			c.at++ // no sweep, or one that is over
		}
		c.entries = append(c.entries, 0)
	}
	c.Move(slot, deadline)
}

// Move stores a deadline.
func (c *core) Move(slot uint32, deadline structures.Tick) {
	entry := uint64(deadline) - 1
	c.entries[slot] = entry
	c.earliest = min(c.earliest, entry)
}

// Remove empties a place.
func (c *core) Remove(slot uint32) { c.entries[slot] = never }

// Pop returns the next timer that is due at a sweep.
func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	slot, due := c.find(clock)
	if !due {
		return 0, c.next()
	}
	at = structures.Tick(c.entries[slot] + 1)
	c.entries[slot] = never
	return slot, at
}

// find continues a sweep, or begins one if a timer may be due, and stops at a timer that is due.
func (c *core) find(clock structures.Tick) (slot uint32, due bool) {
	slot, due = c.look()
	if next := c.next(); !due && next <= clock {
		c.limit, c.since, c.at, c.earliest = uint64(clock), next, 1, never
		slot, due = c.look()
	}
	return slot, due
}

// next returns the first sweep at which a timer may be due.
func (c *core) next() structures.Tick {
	if periods := min(c.earliest, math.MaxInt64)/c.period + 1; periods <= math.MaxInt64/c.period {
		return structures.Tick(periods * c.period)
	}
	return math.MaxInt64
}

// group is the number of entries that look compares at once.
const group = 8

// look looks at the places from c.at on, and stops at a timer that is due.
func (c *core) look() (slot uint32, due bool) {
	i, limit, earliest := c.at, c.limit, c.earliest
	for i < len(c.entries) {
		if i+group <= len(c.entries) {
			g := c.entries[i : i+group : i+group]
			least := min(min(min(g[0], g[1]), min(g[2], g[3])), min(min(g[4], g[5]), min(g[6], g[7])))
			if least >= limit {
				i, earliest = i+group, min(earliest, least)
				continue
			}
		}
		if c.entries[i] < limit {
			due = true
			break
		}
		earliest = min(earliest, c.entries[i])
		i++
	}
	c.visited += uint64(i - c.at)
	c.at, c.earliest = i, earliest
	return uint32(i), due
}

// Next returns when the sweep was due that goes on, or else the first one at which a timer may be due. If the clock has reached that
// one, the sweep begins, as a timer that was cancelled may have been the only one that was due.
func (c *core) Next(clock structures.Tick) structures.Tick {
	if _, due := c.find(clock); due {
		return c.since
	}
	return c.next()
}

func (c *core) Work() structures.Work { return structures.Work{SlotsVisited: c.visited} }

// Walk adds the array.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "array, by place", Kind: shape.List})
	rules.Must(c.at >= 1 && c.at <= len(c.entries) && c.entries[0] == never, "at place %d of %d, place 0 has entry %d",
		c.at, len(c.entries), c.entries[0])
	for i, entry := range c.entries {
		if entry == never {
			continue
		}
		rules.Must(i >= c.at || entry >= c.earliest && (entry >= c.limit || c.limit == math.MaxInt64),
			"entry %d is %d, the earliest %d, and those of the last sweep are less than %d", i, entry, c.earliest, c.limit)
		b.Timer(shape.Cell{}, uint32(i), structures.Tick(entry+1))
	}
}
