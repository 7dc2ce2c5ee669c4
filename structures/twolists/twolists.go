// Package twolists keeps timers in two unsorted lists, as the timers of [.NET] do. The short list holds the timers that are
// due soon, and is scanned when one of them is due. The long list holds all others, and is scanned when its first timer is
// due.
//
// Pedigree. TimerQueue (Timer.cs) of .NET since .NET Core 3.0. Timers that are due within 333 ms are in the short list. Most
// of the others are timeouts of seconds, which are cancelled before the long list is scanned. Differences here:
//
//   - The reach of the short list begins at 333 ticks and adapts: each scan of the long list doubles or halves it, so that the
//     scans of both lists read equally many timers. In [gRPC] it is a third of the average delay, from 10 ms to a second, and
//     a heap takes the place of the short list.
//   - .NET fires the timers of a scan in the order of the list, and has a pair of lists per processor. Here they are sorted.
//   - .NET scans the long list every 333 ms, and wakes up for nothing if the earliest timer of a list was cancelled. Here the
//     earliest deadline is known, or Next scans for it.
//
// A timer takes 17 bytes, plus its value and ID, and 16 more while it is due.
//
// Work counts Moved, timers that moved to the short list or became due; and Comparisons, one for each timer that a scan reads,
// plus those of sorting.
//
// Pick it for a few hundred timers of which nearly all are cancelled. Package auto suits any number of timers.
//
// [gRPC]: https://github.com/grpc/grpc/blob/0c55898f3d2df033d7c1d94faf889ebb054537c5/src/core/lib/event_engine/posix_engine/timer.cc
// [.NET]: https://github.com/dotnet/runtime/blob/4c622d909d617b14b98990901cfe8c89cbbc82f4/src/libraries/System.Private.CoreLib/src/System/Threading/Timer.cs
package twolists

import (
	"cmp"
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Lists[int])(nil)

// Option sets a parameter of Lists.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("twolists", n, slab.MaxCapacity)} }

// Lists is a short and a long list of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Lists[T any] struct{ base[T] }
type base[T any] = slotted.Scheduler[T, core, *core]

// New returns empty lists at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Lists[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	c := core{lists: fifo.New(n), in: make([]which, 1, n+1), horizon: 333, reach: 333}
	for i := range c.earliest {
		c.earliest[i] = never
	}
	return &Lists[T]{slotted.New[T](c, n)}
}

// Schedule adds a timer that is due at deadline. It costs O(1).
func (l *Lists[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return l.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(1).
func (l *Lists[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return l.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1).
func (l *Lists[T]) Cancel(id structures.ID) bool { return l.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(1), plus O(s) at each tick
// with a due timer, for s timers in the short list, and O(n) if the first timer of the long list is due.
func (l *Lists[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return l.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1), or O(n) if it scans.
func (l *Lists[T]) Next() (at structures.Tick, ok bool) { return l.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (l *Lists[T]) Len() int { return l.base.Len() }

const never = structures.Tick(math.MaxInt64)

// which is one of the lists.
type which uint8

const (
	short which = iota // due at the horizon at the latest
	long               // due after the horizon
	due                // sorted, and due at the last Pop
)

func (l which) String() string {
	return [...]string{"short list", "long list", "list of what is due, sorted"}[l]
}

// core is the queue of slots.
//
// No timer of a list is due before the earliest of that list, and one is due then if that is known.
type core struct {
	lists    fifo.Lists
	in       []which // per slot
	list     [3]fifo.List
	earliest [3]structures.Tick // per list, but of no use for due
	unknown  [3]bool            // the timer that was the earliest has left
	horizon  structures.Tick    // the last tick of the short list
	reach    structures.Tick    // from the clock to the horizon, when the long list is scanned
	read     [2]uint64          // timers that scans of the short and the long list have read since then
	found    []timer            // room for the timers that are due
	work     structures.Work
}

type timer struct {
	deadline structures.Tick
	slot     uint32
}

func (c *core) Add(slot uint32, deadline structures.Tick) {
	c.lists.SetDeadline(slot, deadline)
	if int(slot) >= len(c.in) {
		c.in = append(c.in, due)
	}
	to := short
	if deadline > c.horizon {
		to = long
	}
	c.add(to, slot, deadline)
}

func (c *core) add(to which, slot uint32, deadline structures.Tick) {
	c.in[slot] = to
	c.lists.PushBack(&c.list[to], slot)
	if deadline <= c.earliest[to] {
		c.earliest[to], c.unknown[to] = deadline, false
	}
}

func (c *core) Remove(slot uint32) {
	from := c.in[slot]
	empty := c.lists.Remove(&c.list[from], slot)
	if empty {
		c.earliest[from], c.unknown[from] = never, false
	} else if c.lists.Deadline(slot) == c.earliest[from] {
		c.unknown[from] = true
	}
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	if c.list[due].Empty() {
		if at = min(c.earliest[short], c.earliest[long]); at > clock {
			return slab.None, at
		}
		c.scan(clock)
		if c.list[due].Empty() {
			return slab.None, min(c.earliest[short], c.earliest[long])
		}
	}
	slot = c.lists.PopFront(&c.list[due])
	return slot, c.lists.Deadline(slot)
}

// scan takes the slots that are due out of the lists, and sorts them.
func (c *core) scan(clock structures.Tick) {
	c.found = c.found[:0]
	if c.earliest[short] <= clock {
		c.take(short, clock)
	}
	if c.earliest[long] <= clock {
		c.adapt()
		c.horizon = clock + min(c.reach, never-clock)
		c.take(long, clock)
	}
	slices.SortFunc(c.found, func(a, b timer) int {
		c.work.Comparisons++
		return cmp.Compare(a.deadline, b.deadline)
	})
	for _, t := range c.found {
		c.in[t.slot] = due
		c.lists.PushBack(&c.list[due], t.slot)
	}
}

// adapt halves or doubles the reach, so that scans of both lists read as many timers.
func (c *core) adapt() {
	if c.read[short] > c.read[long] {
		c.reach = max(1, c.reach/2)
	} else {
		c.reach = min(2*c.reach, 1<<40)
	}
	c.work.Comparisons += c.read[short] + c.read[long]
	c.read = [2]uint64{}
}

// take scans a list for slots that are due, and for slots that belong in the short list.
func (c *core) take(from which, clock structures.Tick) {
	c.earliest[from], c.unknown[from] = never, false
	for slot, deadline := range c.lists.All(c.list[from]) {
		c.read[from]++
		switch {
		case deadline <= clock:
			c.lists.Remove(&c.list[from], slot)
			c.found = append(c.found, timer{deadline, slot})
			c.work.Moved++
		case from == long && deadline <= c.horizon:
			c.lists.Remove(&c.list[from], slot)
			c.add(short, slot, deadline)
			c.work.Moved++
		default:
			c.earliest[from] = min(c.earliest[from], deadline)
		}
	}
}

func (c *core) Next(structures.Tick) structures.Tick {
	if !c.list[due].Empty() {
		return c.lists.Deadline(c.list[due].Front())
	}
	for _, l := range []which{short, long} {
		// The long list counts only if the short one is empty, or behind it.
		if c.unknown[l] && c.earliest[l] <= c.earliest[short] {
			c.earliest[l], c.unknown[l] = never, false
			for _, deadline := range c.lists.All(c.list[l]) {
				c.read[l]++
				c.earliest[l] = min(c.earliest[l], deadline)
			}
		}
	}
	return min(c.earliest[short], c.earliest[long])
}

func (c *core) Work() structures.Work {
	w := c.work
	w.Comparisons += c.read[short] + c.read[long]
	return w
}

func (c *core) Walk(b *snapshot.Builder) {
	for _, l := range []which{short, long, due} {
		b.Begin(shape.Part{Name: l.String(), Kind: shape.List})
		b.Sorted = l == due
		earliest := c.lists.Check(c.list[l])
		b.Each(c.lists.All(c.list[l]))
		for slot, deadline := range c.lists.All(c.list[l]) {
			rules.Must(c.in[slot] == l && (l == due || (deadline > c.horizon) == (l == long)),
				"slot %d, due at %d, is in the %s; noted is the %s, the horizon is %d", slot, deadline, l.String(), c.in[slot].String(), c.horizon)
		}
		rules.Must(l == due || earliest == c.earliest[l] || earliest > c.earliest[l] && c.unknown[l],
			"the earliest of the %s is due at %d, noted is %d", l.String(), earliest, c.earliest[l])
		b.DropEmpty()
	}
}
