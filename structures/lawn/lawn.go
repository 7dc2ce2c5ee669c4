// Package lawn keeps one list for each delay, and the first timers of the lists in a heap.
//
// Timers with the same delay come in the order of their deadlines. So a new timer goes to the end of its list, and only the
// first timers are compared.
//
// Pedigree. [Node.js] has always kept its timers this way, and [libevent] offers it as common timeouts. The name is
// Lev-Libfeld's (arXiv 1906.10860), whose clock looks at all lists at each tick. Differences here:
//
//   - A caller names deadlines. The delay is the deadline less the clock, which Pop moves, so a driver whose clock lags turns
//     one delay into several.
//   - The number of lists is bounded. The hash of a delay selects eight lists. The delay uses its own list among them, or an
//     empty one, or takes over one that holds a single timer.
//   - A timer that gets no list waits in the heap by itself. With many delays the structure is a 4-ary heap.
//   - The heap is exact when the first timer of a list is cancelled. Node.js finds out later.
//
// Costs. Lists in use, at most 256, and timers without a list are k entries of the heap. With a single delay nothing
// is compared. A timer takes 24 bytes, plus its value, and up to 32 more if it has no list.
//
// Work counts Comparisons in the heap.
//
// Ties. Unspecified; FIFO among timers of one delay that got a list.
//
// Size. 256 lists, 6 KiB when empty. With 64 random delays, nearly always each has a list.
//
// Pick it for up to about 10,000 timers of which nearly all have one of a few delays, and hwheel for more timers or delays.
//
// [Node.js]: https://github.com/nodejs/node/blob/2bf1e7fea7a4307dffd14fb726c24651fcd46051/lib/internal/timers.js
// [libevent]: https://github.com/libevent/libevent/blob/release-2.1.12-stable/event.c
package lawn

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/internal/tickmap"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Lawn[int])(nil)

// Option sets a parameter of a Lawn.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("lawn", n, fifo.MaxCapacity)} }

// Lawn holds timers with values of type T by their delays. Make it with New. It is a [structures.Scheduler].
type Lawn[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns an empty Lawn at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Lawn[T] {
	return newLawn[T](256, rules.Apply(rules.Room{}, opts).Capacity)
}

// newLawn returns an empty Lawn with a power of two of lists, at least ways. A list takes 16 bytes.
func newLawn[T any](lists, capacity int) *Lawn[T] {
	queue := &core{
		shift:  64 - bits.TrailingZeros(uint(lists/ways)),
		delays: make([]structures.Tick, lists),
		lists:  make([]fifo.List, lists),
		heap:   dary.NewQuad(capacity),
	}
	return &Lawn[T]{fifo.NewScheduler[T](queue, &queue.nodes, capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(1) at the end of a list, otherwise O(log k).
func (l *Lawn[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return l.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (l *Lawn[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return l.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), or O(log k) for a timer in the heap.
func (l *Lawn[T]) Cancel(id structures.ID) bool { return l.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(log k).
func (l *Lawn[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return l.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (l *Lawn[T]) Next() (at structures.Tick, ok bool) { return l.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (l *Lawn[T]) Len() int { return l.base.Len() }

// ways is the number of lists among which a delay may choose: their delays fill a cache line.
const ways = 8

// core holds the timers. A timer is named by its slot in nodes. Its place is its list, counted from 1; 0: none. At all times
//
//   - timers in one list had one delay when they came, so that their deadlines are in order;
//   - the heap holds the first timer of each list that is not empty, and the timers that are in no list.
type core struct {
	nodes  fifo.Timers
	shift  int               // 64 less the bits of the number of a group of ways
	delays []structures.Tick // by list; of one that is empty, any
	lists  []fifo.List
	heap   dary.Quad
	hand   uint // the way that a new delay tries to take over next
}

// Add appends a timer to the list of its delay, if it gets one.
func (c *core) Add(timer uint32, n *fifo.Node) {
	c.nodes.Quiet = min(c.nodes.Quiet, n.Deadline)
	i := c.listFor(n.Deadline - c.nodes.Clock)
	n.SetPlace(i + 1)
	if i < 0 {
		c.heap.Add(timer, n.Deadline)
		return
	}
	if c.lists[i].Empty() {
		c.heap.Add(timer, n.Deadline)
	}
	c.nodes.PushBack(&c.lists[i], timer, n)
}

// listFor returns the list of a delay, or -1. A delay that has none takes one of its group that is empty, or else one with a
// single timer, if that is the one whose turn it is.
func (c *core) listFor(delay structures.Tick) int {
	first := c.group(delay)
	delays := c.delays[first : first+ways]
	lists := c.lists[first : first+ways]
	free := -1
	for i, d := range delays {
		if lists[i].Empty() {
			free = i
		} else if d == delay {
			return first + i
		}
	}
	if free < 0 {
		free = int(c.hand % ways)
		c.hand++
		only := lists[free].Front()
		if only != lists[free].Back() {
			return -1
		}
		c.nodes.At(only).SetPlace(0) // it is in the heap already
		lists[free] = fifo.List{}
	}
	delays[free] = delay
	return first + free
}

// group returns the first of the lists among which a delay may choose.
func (c *core) group(delay structures.Tick) int { return int(tickmap.Hash(delay)>>c.shift) * ways }

// Remove removes a timer. The next one of its list takes its place in the heap.
func (c *core) Remove(timer uint32, n *fifo.Node) {
	i := n.Place() - 1
	if i < 0 {
		c.heap.Remove(timer)
		return
	}
	l := &c.lists[i]
	first := l.Front() == timer
	c.nodes.Remove(l, n)
	switch next := l.Front(); {
	case !first:
	case next == 0:
		c.heap.Remove(timer)
	default:
		c.heap.Replace(timer, next, c.nodes.Deadline(next))
	}
}

func (c *core) Pop() (timer uint32, n *fifo.Node) {
	timer, deadline := c.heap.First()
	if timer == 0 || deadline > c.nodes.Clock {
		c.nodes.Quiet = deadline
		return 0, nil
	}
	n = c.nodes.At(timer)
	if n.Place() == 0 {
		c.heap.Pop(c.nodes.Clock)
	} else {
		c.Remove(timer, n)
	}
	return timer, n
}

func (c *core) Next() structures.Tick { return c.heap.Next(c.nodes.Clock) }

func (c *core) Work() structures.Work { return c.heap.Work() }

// Walk adds the heap, with the whole list in the place of its first timer.
func (c *core) Walk(b *snapshot.Builder) {
	heap := snapshot.Builder{Entry: func(uint32, structures.Tick) shape.Entry { return shape.Entry{} }}
	c.heap.Walk(&heap)
	cells := heap.Parts[0].Cells
	heap.Parts[0].Cells = nil
	b.Begin(heap.Parts[0])
	lists := 0
	for timer, deadline := range c.heap.All() {
		at := cells[0]
		at.Entries, cells = nil, cells[1:]
		n := c.nodes.Checked(timer)
		rules.Must(n.Deadline == deadline, "timer %d has the deadline %d, in the heap %d", timer, n.Deadline, deadline)
		i := n.Place() - 1
		if i < 0 {
			b.Timer(at, timer, deadline)
			continue
		}
		lists++
		first := c.group(c.delays[i])
		earliest := c.nodes.Walk(b, at, c.lists[i])
		rules.Must(earliest == deadline && c.lists[i].Front() == timer && i >= first && i < first+ways,
			"timer %d is not the first of list %d, or another group is for delay %d", timer, i, c.delays[i])
		for timer, next := range c.nodes.All(c.lists[i]) {
			place := c.nodes.At(timer).Place()
			rules.Must(next >= deadline && place == i+1,
				"timer %d, deadline %d after %d, is in list %d, and says %d", timer, next, deadline, i, place-1)
			deadline = next
		}
	}
	for _, l := range c.lists {
		if !l.Empty() {
			lists--
		}
	}
	rules.Must(lists == 0, "%d lists too many in the heap", lists)
}
