// Package list keeps timers in an unsorted array and scans it for the earliest: the usual solution for a few timers without a
// library. Python's [schedule] takes min() over its jobs in this way.
//
// The package answers how many timers it takes before another structure pays off, so the list is as fast as a list can be:
//
//   - Deadlines are in an array of their own, eight to a cache line. A scan reads nothing else.
//   - Each timer knows its place, and the last entry fills the place of a removed one. So Cancel does not search.
//   - The earliest entry is remembered. A scan is needed only after that entry fired, was cancelled or moved to a later tick.
//
// A timer takes 16 bytes, plus its value and ID. Work counts Comparisons of two deadlines, nearly all of them in scans.
//
// Pick it for a few dozen timers, or for timers of which nearly all are cancelled or moved to a later tick.
//
// [schedule]: https://github.com/dbader/schedule/blob/252d451ea4355ae72e9e5e7b55c8cdb5d7f2545a/schedule/__init__.py
package list

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// Option sets a parameter of a List.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("list", n, slab.MaxCapacity)} }

// List is an unsorted list of timers with values of type T. Make it with New. It is a [structures.Scheduler].
//
// Its methods repeat those of slotted.Scheduler, because a call through a dictionary would be a large part of them.
type List[T any] struct {
	clock structures.Tick
	table slab.Table[T]
	core  core
}

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &List[T]{table: slab.New[T](n), core: core{
		deadlines: make([]structures.Tick, 0, n),
		slots:     make([]uint32, 0, n),
		place:     make([]uint32, 1, 1+n), // slot 0 is never issued
		earliest:  unknown,
	}}
}

// Schedule adds a pending timer. It costs O(1), amortized over growth.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	l.table.Reserve()
	slot, id := l.table.Take(value)
	l.core.add(slot, rules.Clamp(l.clock, deadline))
	return id
}

// Reschedule moves a pending timer. It costs O(1).
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.move(slot, rules.Clamp(l.clock, deadline))
	return true
}

// Cancel removes a pending timer. It returns false when id is not pending. It costs O(1).
func (l *List[T]) Cancel(id structures.ID) bool {
	slot := l.table.Find(id)
	if slot == slab.None {
		return false
	}
	l.core.remove(slot)
	l.table.Free(slot)
	return true
}

// Pop removes the earliest timer if it is due. Ties are unspecified. It costs O(1), or O(n) if it scans: n-1 comparisons.
func (l *List[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	l.clock = max(l.clock, now)
	if len(l.core.deadlines) == 0 {
		return t, false
	}
	slot, deadline := l.core.first()
	if deadline > l.clock {
		return t, false
	}
	t.ID, t.Deadline = l.table.ID(slot), deadline
	l.core.remove(slot)
	t.Value = l.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline. It costs as much as Pop.
func (l *List[T]) Next() (at structures.Tick, ok bool) {
	if len(l.core.deadlines) == 0 {
		return 0, false
	}
	_, at = l.core.first()
	return at, true
}

// Len returns the number of pending timers. It costs O(1).
func (l *List[T]) Len() int { return len(l.core.deadlines) }

// Work returns the counters of the work done so far.
func (l *List[T]) Work() structures.Work { return structures.Work{Comparisons: l.core.comparisons} }

// CheckInvariants walks the list and returns the first broken invariant. It costs O(n).
func (l *List[T]) CheckInvariants() error { return l.table.Check(l.clock, &l.core) }

// Snapshot returns the list, in the order of the array. It costs O(n), so it is not for hot paths.
func (l *List[T]) Snapshot() shape.Snapshot { return l.table.Snapshot(l.clock, &l.core) }

// unknown is the place of the earliest entry while a scan is needed to find it.
const unknown = -1

// core holds slots and their deadlines in no order: entry i is of slots[i], and place[slots[i]] is i.
type core struct {
	deadlines   []structures.Tick
	slots       []uint32
	place       []uint32
	earliest    int // the place of the earliest entry, or unknown
	comparisons uint64
}

// add adds an entry for slot at the end.
func (c *core) add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.place) {
		c.place = append(c.place, 0)
	}
	i := len(c.deadlines)
	c.place[slot] = uint32(i)
	c.slots = append(c.slots, slot)
	c.deadlines = append(c.deadlines, deadline)
	if i == 0 {
		c.earliest = i
	} else {
		c.compareWithEarliest(i, deadline)
	}
}

// compareWithEarliest makes entry i the earliest one if it is, unless that is unknown.
func (c *core) compareWithEarliest(i int, deadline structures.Tick) {
	if c.earliest == unknown {
		return
	}
	c.comparisons++
	if deadline < c.deadlines[c.earliest] {
		c.earliest = i
	}
}

// remove removes the entry of slot. The last entry takes its place.
func (c *core) remove(slot uint32) {
	i, last := int(c.place[slot]), len(c.deadlines)-1
	switch c.earliest {
	case i:
		c.earliest = unknown
	case last:
		c.earliest = i
	}
	c.deadlines[i] = c.deadlines[last]
	c.slots[i] = c.slots[last]
	c.place[c.slots[i]] = uint32(i)
	c.deadlines, c.slots = c.deadlines[:last], c.slots[:last]
}

// move gives the entry of slot another deadline.
func (c *core) move(slot uint32, deadline structures.Tick) {
	i := int(c.place[slot])
	old := c.deadlines[i]
	c.deadlines[i] = deadline
	if i != c.earliest {
		c.compareWithEarliest(i, deadline)
		return
	}
	c.comparisons++
	if deadline > old {
		c.earliest = unknown
	}
}

// first returns the earliest entry. There must be one.
func (c *core) first() (slot uint32, deadline structures.Tick) {
	if c.earliest == unknown {
		c.earliest = scan(c.deadlines)
		c.comparisons += uint64(len(c.deadlines) - 1)
	}
	return c.slots[c.earliest], c.deadlines[c.earliest]
}

// Walk adds the list. As place names the place of each entry, no slot has two.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "list, unsorted", Kind: shape.List})
	rules.Must(len(c.slots) == len(c.deadlines), "%d deadlines of %d slots", len(c.deadlines), len(c.slots))
	for i, slot := range c.slots {
		rules.Must(int(c.place[slot]) == i, "slot %d has entry %d, its place says another one", slot, i)
		b.Timer(shape.Cell{}, slot, c.deadlines[i])
	}
	rules.Must(c.earliest == unknown || len(c.deadlines) > 0 && c.deadlines[c.earliest] == slices.Min(c.deadlines),
		"entry %d is not the earliest", c.earliest)
}

// group is how many deadlines are looked at together.
const group = 4

// scan returns the place of an earliest deadline, with len(deadlines)-1 comparisons. There must be one.
//
// It computes the earliest of a group without a branch and compares that once with the earliest so far. That branch is nearly
// always predicted: the more deadlines there were, the less often the next one is earlier than all of them. It remembers the
// group only and finds the place at the end.
func scan(deadlines []structures.Tick) int {
	at, earliest := 0, deadlines[0]
	i := 1
	for ; i+group <= len(deadlines); i += group {
		g := deadlines[i : i+group : i+group]
		if d := min(min(g[0], g[1]), min(g[2], g[3])); d < earliest {
			at, earliest = i, d
		}
	}
	for ; i < len(deadlines); i++ {
		if deadlines[i] < earliest {
			at, earliest = i, deadlines[i]
		}
	}
	for deadlines[at] != earliest {
		at++
	}
	return at
}
