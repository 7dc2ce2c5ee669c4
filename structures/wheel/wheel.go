// Package wheel is a flat (hashed) timer wheel: an array of slots, one for each tick, through which the clock turns. A timer
// is in the slot of its deadline modulo the number of slots. It stays there while the clock passes, however many revolutions
// away it is.
//
// Pedigree. Scheme 6 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), as in [Netty] and [go-zero].
// Differences here:
//
//   - A timer keeps its deadline instead of a count of rounds, and a slot keeps the earliest deadline in it. So the clock
//     passes a slot in which nothing is due with one comparison.
//   - A bitmap leads to the occupied slots.
//   - A jump over many revolutions visits each slot once, and sorts the due timers by radix.
//   - Neither deadlines nor the number of slots are rounded.
//
// Costs. The first Pop that finds a timer due collects all due timers. That costs O(1) for each occupied slot that the clock
// passes, and O(timers in it) for a slot with a due timer. So a timer is read once in each earlier revolution in which another
// timer of its slot fires, at most delay/slots times. Next visits the occupied slots up to the first one with a timer due within
// a revolution, unless its answer is known.
//
// Work counts SlotsVisited, reads of the earliest deadline of an occupied slot; and Moved, timers that were read before their
// revolution.
//
// Default. 65,536 slots, 1 MiB when empty: a minute at ticks of a millisecond.
//
// Pick it if most delays fit one revolution. Pick hwheel if they span many.
//
// [Netty]: https://github.com/netty/netty/blob/06cabb70de3f18bfcf6760a23de9256f58bb6aea/common/src/main/java/io/netty/util/HashedWheelTimer.java
// [go-zero]: https://github.com/zeromicro/go-zero/blob/v1.10.3/core/collection/timingwheel.go
package wheel

import (
	"iter"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// maxSlots is the largest number of slots.
const maxSlots = 1 << 26

// Option sets a parameter of a Wheel.
type Option struct{ option }
type option = rules.Option[config]
type config struct{ slots, capacity int }

// Slots sets the number of slots: any from 1 to 2^26, a tick each, by default 65,536. A power of two saves a division an
// operation. A slot takes 16 bytes.
func Slots(n int) Option {
	return Option{func(c *config) { c.slots = rules.Between("wheel", "Slots", n, 1, maxSlots) }}
}

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option {
	return Option{func(c *config) { c.capacity = rules.Between("wheel", "Capacity", n, 0, fifo.MaxCapacity) }}
}

// Wheel is a flat timer wheel with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheel[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	c := rules.Apply(config{slots: 1 << 16}, opts)
	queue := newRing(c.slots)
	return &Wheel[T]{fifo.NewScheduler[T](queue, &queue.nodes, c.capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(1).
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return w.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(1).
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return w.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1).
func (w *Wheel[T]) Cancel(id structures.ID) bool { return w.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1), or O(n/slots) a tick.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return w.base.Pop(now) }

// Next returns the earliest deadline, or a tick before it that was the deadline of a cancelled timer. It costs as much as Pop.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) { return w.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (w *Wheel[T]) Len() int { return w.base.Len() }

// ring is the wheel. A timer is named by its slot in nodes.
//
// A timer due at or before the cursor is in the due list. Any other is in the bucket of its deadline, modulo the number of
// buckets, however many revolutions away it is. There is a bucket for each slot of the wheel. The cursor is at the clock,
// unless timers are left in the due list, or the clock is before Quiet.
type ring struct {
	nodes    fifo.Timers
	buckets  []bucket
	occupied fifo.Occupancy
	mask     uint64          // number of buckets less one, when a power of two; else 0
	due      fifo.List       // in the order in which they fire
	cursor   structures.Tick // all timers up to here are in due or have fired
	next     structures.Tick // at most the bound of every occupied bucket
	work     structures.Work
}

// bucket holds the timers of one slot of the wheel, in the order in which they came.
type bucket struct {
	list fifo.List
	// bound is the earliest deadline in the list, or of a timer since cancelled. It is after the cursor.
	bound structures.Tick
}

func newRing(buckets int) *ring {
	r := &ring{
		buckets:  make([]bucket, buckets),
		occupied: fifo.NewOccupancy(buckets),
		next:     math.MaxInt64,
	}
	if buckets&(buckets-1) == 0 {
		r.mask = uint64(buckets) - 1
	}
	return r
}

// index returns the bucket of a tick, which is not negative.
func (r *ring) index(tick structures.Tick) int {
	if r.mask != 0 {
		return int(uint64(tick) & r.mask)
	}
	return int(uint64(tick) % uint64(len(r.buckets)))
}

// Add appends a timer to the list of its deadline.
func (r *ring) Add(timer uint32, n *fifo.Node) {
	deadline := n.Deadline
	r.nodes.Quiet = min(r.nodes.Quiet, deadline)
	if deadline <= r.cursor { // the last tick, and the clock is there
		r.nodes.PushBack(&r.due, timer, n)
		return
	}
	i := r.index(deadline)
	b := &r.buckets[i]
	if b.list.Empty() {
		r.occupied.Set(i)
		b.bound = deadline
	} else {
		b.bound = min(b.bound, deadline)
	}
	r.next = min(r.next, deadline)
	r.nodes.PushBack(&b.list, timer, n)
}

func (r *ring) Remove(_ uint32, n *fifo.Node) {
	if n.Deadline <= r.cursor {
		r.nodes.Remove(&r.due, n)
		return
	}
	i := r.index(n.Deadline)
	if r.nodes.Remove(&r.buckets[i].list, n) {
		r.occupied.Clear(i)
	}
}

func (r *ring) Pop() (timer uint32, n *fifo.Node) {
	r.advance()
	if timer, n = r.nodes.PopFront(&r.due); timer == 0 {
		r.nodes.Quiet = r.next
	}
	return timer, n
}

// advance moves the cursor to the clock and fills the due list, if that is empty.
func (r *ring) advance() {
	if !r.due.Empty() {
		return
	}
	clock := r.nodes.Clock
	if clock >= r.next && clock > r.cursor {
		r.collect(clock)
	}
	r.cursor = clock
}

// collect moves all timers that are due to the due list, which is empty, in order. It visits the occupied buckets that the
// cursor has to pass, each at most once.
func (r *ring) collect(clock structures.Tick) {
	from := max(r.cursor, r.next-1) // nothing is due up to here
	latest := from
	for i := range r.visit(from, clock) {
		if r.buckets[i].bound <= clock {
			latest = max(latest, r.split(i, clock))
		}
	}
	if latest-from > structures.Tick(len(r.buckets)) {
		r.sortDue(from+1, latest)
	}
	r.next = r.occupiedAfter(clock)
}

// split moves the timers of a bucket that are due to the due list, and returns the latest deadline. It goes through all of
// them, so that the bound is right afterwards.
func (r *ring) split(i int, clock structures.Tick) (latest structures.Tick) {
	b := &r.buckets[i]
	b.bound = math.MaxInt64
	staying := uint64(0)
	for timer := b.list.Front(); timer != 0; {
		n := r.nodes.At(timer)
		following := n.Next()
		if n.Deadline <= clock {
			r.nodes.Remove(&b.list, n)
			r.nodes.PushBack(&r.due, timer, n)
			latest = max(latest, n.Deadline)
		} else {
			b.bound = min(b.bound, n.Deadline)
			staying++
		}
		timer = following
	}
	if staying == 0 {
		r.occupied.Clear(i)
	}
	r.work.Moved += staying
	return latest
}

// sortDue sorts the due list, in which each revolution is in order from tick from on, by the number of the revolution: a
// stable radix sort of 6 bits at a time.
func (r *ring) sortDue(from, latest structures.Tick) {
	for shift := 0; r.revolution(from, latest)>>shift != 0; shift += 6 {
		var digits [64]fifo.List
		occupied := uint64(0)
		for timer := r.due.Front(); timer != 0; {
			n := r.nodes.At(timer)
			following := n.Next()
			digit := r.revolution(from, n.Deadline) >> shift & 63
			r.nodes.PushBack(&digits[digit], timer, n)
			occupied |= 1 << digit
			timer = following
		}
		r.due = fifo.List{}
		for ; occupied != 0; occupied &= occupied - 1 {
			r.nodes.Append(&r.due, &digits[bits.TrailingZeros64(occupied)])
		}
	}
}

// revolution returns how many whole revolutions are between two ticks.
func (r *ring) revolution(from, to structures.Tick) uint64 {
	return uint64(to-from) / uint64(len(r.buckets))
}

// visit visits the occupied buckets of the ticks after from up to to, in the order of time, each once.
func (r *ring) visit(from, to structures.Tick) iter.Seq[int] {
	return func(yield func(int) bool) {
		n, start := len(r.buckets), r.index(from+1)
		end := start + int(min(to-from, structures.Tick(n)))
		for _, part := range [...]struct{ from, to int }{{start, min(end, n)}, {0, max(end-n, 0)}} {
			for i := r.occupied.Next(part.from); i >= 0 && i < part.to; i = r.occupied.Next(i + 1) {
				if r.work.SlotsVisited++; !yield(i) {
					return
				}
			}
		}
	}
}

// occupiedAfter returns the first tick after from whose bucket is occupied, or the last tick.
func (r *ring) occupiedAfter(from structures.Tick) structures.Tick {
	if r.occupied.First() < 0 {
		return math.MaxInt64
	}
	start := r.index(from + 1) // from is not the last tick, as a timer is after it
	i := r.occupied.Next(start)
	if i < 0 {
		i = r.occupied.First() + len(r.buckets)
	}
	return from + 1 + structures.Tick(i-start)
}

func (r *ring) Next() structures.Tick {
	r.advance()
	if !r.due.Empty() {
		return r.nodes.Deadline(r.due.Front())
	}
	if b := &r.buckets[r.index(r.next)]; b.list.Empty() || b.bound != r.next {
		r.next = r.leastBound()
	}
	return r.next
}

func (r *ring) Work() structures.Work { return r.work }

// leastBound returns the least bound, in the order of time up to the first of this revolution.
func (r *ring) leastBound() structures.Tick {
	from, least := r.next-1, structures.Tick(math.MaxInt64)
	for i := range r.visit(from, math.MaxInt64) {
		if least = min(least, r.buckets[i].bound); r.buckets[i].bound-from <= structures.Tick(len(r.buckets)) {
			break
		}
	}
	return least
}

// Walk adds the occupied buckets, each with the tick at which the clock passes it next, and due.
func (r *ring) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "wheel", Kind: shape.Slots, Size: len(r.buckets), Width: 1, Now: r.index(b.Clock)})
	b.Loose = true // timers of later revolutions
	rules.Must(r.cursor >= 0 && r.cursor <= b.Clock, "cursor %d, clock %d", r.cursor, b.Clock)
	r.occupied.Check()
	after := r.index(r.cursor)
	for i := r.occupied.First(); i >= 0; i = r.occupied.Next(i + 1) {
		ahead := i - after
		if ahead <= 0 {
			ahead += len(r.buckets)
		}
		tick := r.cursor + structures.Tick(ahead)
		list, bound := r.buckets[i].list, r.buckets[i].bound
		earliest := r.nodes.Walk(b, shape.Cell{Index: i, From: tick, To: tick}, list)
		rules.Must(!list.Empty() && bound >= max(tick, r.next) && bound <= earliest && r.index(bound) == i,
			"bucket %d is empty or has the bound %d, earliest %d, cursor %d, next %d", i, bound, earliest, r.cursor, r.next)
		for _, deadline := range r.nodes.All(list) {
			rules.Must(r.index(deadline) == i, "deadline %d in bucket %d of %d", deadline, i, len(r.buckets))
		}
	}
	b.Begin(shape.Part{Name: "due", Kind: shape.List})
	b.Sorted = true
	b.Each(r.nodes.All(r.due))
	b.DropEmpty()
	back := r.due.Back()
	rules.Must(back == 0 || r.nodes.Deadline(back) <= r.cursor,
		"slot %d is in the due list, and due after the cursor %d", back, r.cursor)
}
