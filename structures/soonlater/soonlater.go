// Package soonlater has two timer wheels, one for timers that are due soon and one for those due later.
//
// The soon wheel has a slot for each tick. A slot of the later wheel is as wide as half of the soon wheel. While the clock
// passes one half, the timers of the next half move to the soon wheel. Every call that moves the clock does its share of that.
//
// Pedigree. The timer wheels of [Erlang] (OTP 21, 2018, erts/emulator/beam/time.c): two wheels of 2^14
// slots, and a tree for timers further away. Differences here:
//
//   - Erlang moves a slot when its time has come, stops after a fixed amount of work, and goes on in its
//     next call. Here a call ends when all due timers have fired, so the work is spread by shares.
//   - Bitmaps lead to the next slot that is not empty. Erlang counts timers for each 512 slots.
//   - The timers furthest away are in a 4-ary heap until they fire.
//
// Work of one call. Let m timers be due in the next half when the clock comes to a half, with h ticks left of it. A Pop that
// moves the clock by d ticks within the half moves at most d*m/h + 1 of them and fires one timer. A Pop that enters the next
// half moves all that are left: few if the Pops before were evenly spread, all m if there were none.
//
// A timer takes 24 bytes, plus its value, and up to 36 more in the heap.
//
// Work counts SlotsVisited, soon slots that fired and later slots that moved; Moved, timers that moved;
// and Comparisons in the heap.
//
// Ties. Unspecified: a new timer may be in the soon wheel before an older one has moved there.
//
// Size. 2^14 slots of each kind, 330 KiB when empty: 16 seconds and 37 hours at ticks of a millisecond.
//
// Pick it if a driver wakes up at each tick, delays are of all lengths, and the work of one call needs a bound. Pick hwheel for
// many timers, and wheel or ffsqueue if delays fit one revolution.
//
// [Erlang]: https://github.com/erlang/otp/blob/7c67bbddb53c364086f66260701bc54a61c9659c/erts/emulator/beam/time.c
package soonlater

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

var _ structures.Scheduler[int] = (*Wheels[int])(nil)

// Option sets a parameter of Wheels.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("soonlater", n, fifo.MaxCapacity)} }

// Wheels is a soon and a later wheel of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheels[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns empty wheels at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheels[T] {
	return newWheels[T](1<<14, 1<<14, rules.Apply(rules.Room{}, opts).Capacity)
}

// newWheels returns empty wheels with powers of two of slots: at least 2 of 8 bytes, and at least 4 of 12 bytes.
func newWheels[T any](soon, later, capacity int) *Wheels[T] {
	queue := &core{
		width:  uint(bits.TrailingZeros(uint(soon / 2))),
		next:   math.MaxInt64,
		soon:   fifo.NewRing(soon),
		later:  fifo.NewRing(later),
		counts: make([]uint32, later),
		far:    dary.NewQuad(capacity),
	}
	return &Wheels[T]{fifo.NewScheduler[T](queue, &queue.nodes, capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(1), or O(log n) beyond a revolution of the later wheel.
func (w *Wheels[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return w.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (w *Wheels[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return w.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), or O(log n) in the heap.
func (w *Wheels[T]) Cancel(id structures.ID) bool { return w.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are unspecified. It costs O(1) amortized, or O(log n)
// for a timer of the heap.
func (w *Wheels[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return w.base.Pop(now) }

// Next returns the earliest deadline, or the first tick of a half whose timers have not moved. It costs O(1).
func (w *Wheels[T]) Next() (at structures.Tick, ok bool) { return w.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (w *Wheels[T]) Len() int { return w.base.Len() }

// core holds the timers. A timer is named by its slot in nodes. Time is divided into
// halves of 2^width ticks: the soon wheel has a slot for each tick of two halves, the
// later wheel has one for each half. At all times, seen from the half of the cursor,
//
//   - no deadline is before the cursor, which is at most the clock;
//   - a timer of this half is in the soon wheel;
//   - one of the next half is in the soon wheel, or in the list of those moving there, which
//     is empty by the time that the cursor reaches that half;
//   - one of a later half is in the later wheel, in the slot of the half;
//   - one that was beyond the later wheel when it came is far: it is in the heap, and stays there.
type core struct {
	nodes   fifo.Timers // Quiet stays 0: each Pop moves the cursor and its share of timers
	width   uint        // bits of a tick within its half
	cursor  structures.Tick
	next    structures.Tick // no timer is due, and no slot of the later wheel begins, before it
	soon    fifo.Ring
	moving  fifo.List
	left    uint64 // at least the length of moving
	later   fifo.Ring
	counts  []uint32 // by slot of the later wheel: its timers
	far     dary.Quad
	visited structures.Tick // last tick whose slot was counted as visited
	slots   uint64          // visited
	moved   uint64          // timers
}

// half returns the number of the half of a tick.
func (c *core) half(tick structures.Tick) structures.Tick { return tick >> c.width }

// start returns the first tick of a half.
func (c *core) start(half structures.Tick) structures.Tick { return half << c.width }

// isSoon reports whether a half belongs to the soon wheel.
func (c *core) isSoon(half structures.Tick) bool { return half-c.half(c.cursor) < 2 }

func (c *core) Add(timer uint32, n *fifo.Node) {
	deadline := n.Deadline
	switch half := c.half(deadline); {
	case c.isSoon(half):
		c.soon.Push(&c.nodes, deadline, timer, n)
		c.next = min(c.next, deadline)
	case uint64(half-c.half(c.cursor)) <= c.later.Mask:
		c.later.Push(&c.nodes, half, timer, n)
		c.counts[c.later.Index(half)]++
		c.next = min(c.next, c.start(half))
	default:
		c.far.Add(timer, deadline)
		c.next = min(c.next, deadline)
	}
}

// Remove removes a timer. One that is moving matters only if it is the first or the last there:
// else to unlink it does not touch the list.
func (c *core) Remove(timer uint32, n *fifo.Node) {
	if c.far.Has(timer) {
		c.far.Remove(timer)
		return
	}
	half := c.half(n.Deadline)
	switch {
	case !c.isSoon(half):
		c.later.Remove(&c.nodes, half, n)
		c.counts[c.later.Index(half)]--
	case c.moving.Front() == timer || c.moving.Back() == timer:
		c.nodes.Remove(&c.moving, n)
	default:
		c.soon.Remove(&c.nodes, n.Deadline, n)
	}
}

// move moves up to count timers to the soon wheel.
func (c *core) move(count uint64) {
	for range count {
		timer, n := c.nodes.PopFront(&c.moving)
		if timer == 0 {
			c.left = 0
			return
		}
		c.soon.Push(&c.nodes, n.Deadline, timer, n)
		c.moved++
	}
	c.left -= count
}

// take makes the timers of a slot of the later wheel those moving. There is none moving.
func (c *core) take(half structures.Tick) {
	i := c.later.Index(half)
	if c.left = uint64(c.counts[i]); c.left > 0 {
		c.moving, c.counts[i] = c.later.Take(half), 0
		c.slots++
	}
}

// moveTo moves the cursor ahead to a tick before which nothing happens. Within a half, the timers that are moving
// come in shares: as much of those left as the ticks passed are of the ticks left.
func (c *core) moveTo(tick structures.Tick) {
	from, to := c.half(c.cursor), c.half(tick)
	if from == to {
		if c.left > 0 {
			rest := uint64(c.start(from+1) - c.cursor)
			c.move((c.left*uint64(tick-c.cursor) + rest - 1) / rest)
		}
		c.cursor = tick
		return
	}
	c.move(c.left)
	c.cursor = tick
	if to > from+1 { // past the half whose timers were moving
		c.take(to)
		c.move(c.left)
	}
	c.take(to + 1)
}

// firstSoon returns the earliest deadline in the soon wheel, or the last tick if that is empty.
func (c *core) firstSoon() structures.Tick {
	if uint64(c.next-c.cursor) <= c.soon.Mask && !c.soon.Lists[c.soon.Index(c.next)].Empty() {
		return c.next // none is before it
	}
	if tick, ok := c.soon.First(c.cursor); ok {
		return tick
	}
	return math.MaxInt64
}

// firstMove returns the first tick of the half of those moving, or of the first later slot.
func (c *core) firstMove() structures.Tick {
	half := c.half(c.cursor) + 1
	if c.moving.Empty() {
		var ok bool
		if half, ok = c.later.First(half + 1); !ok {
			return math.MaxInt64
		}
	}
	return c.start(half)
}

// advance moves the cursor to the earliest timer if that is due, and to the clock otherwise, by
// way of each tick at which timers must have moved. It reports whether a timer may be due there.
func (c *core) advance() (due bool) {
	clock := c.nodes.Clock
	for c.next <= clock {
		soon, move, far := c.firsts()
		c.next = min(soon, move, far)
		if c.next > clock {
			break
		}
		c.moveTo(c.next)
		if c.next != move || c.next == min(soon, far) {
			return true
		}
	}
	if c.cursor < clock {
		c.moveTo(clock)
	}
	return false
}

// firsts returns the earliest deadlines of the soon wheel and of the heap, and the first tick
// before which timers have to move.
func (c *core) firsts() (soon, move, far structures.Tick) {
	_, far = c.far.First()
	return c.firstSoon(), c.firstMove(), far
}

func (c *core) Pop() (timer uint32, n *fifo.Node) {
	if !c.advance() {
		return 0, nil
	}
	if timer, n = c.popSoon(); timer == 0 {
		timer, _ = c.far.Pop(c.cursor)
		n = c.nodes.At(timer)
	}
	return timer, n
}

// popSoon removes the first timer of the slot of the cursor, if there is one.
func (c *core) popSoon() (timer uint32, n *fifo.Node) {
	i := c.soon.Index(c.cursor)
	if timer, n = c.nodes.PopFront(&c.soon.Lists[i]); timer == 0 {
		return 0, nil
	}
	if c.soon.Lists[i].Empty() {
		c.soon.Occupied.Clear(i)
	}
	if c.visited != c.cursor {
		c.visited = c.cursor
		c.slots++
	}
	return timer, n
}

func (c *core) Next() structures.Tick {
	if !c.advance() {
		soon, move, far := c.firsts()
		c.next = min(soon, move, far)
	}
	return c.next
}

func (c *core) Work() structures.Work {
	w := c.far.Work()
	w.SlotsVisited, w.Moved = c.slots, c.moved
	return w
}

// Walk adds both wheels, the timers that are moving, and the heap.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(c.cursor >= 0 && c.cursor <= b.Clock, "cursor %d, clock %d", c.cursor, b.Clock)
	now, earliest := c.half(c.cursor), max(c.cursor, c.next)
	c.soon.Walk(&c.nodes, b, "soon", 0, c.cursor, earliest)
	c.later.Walk(&c.nodes, b, "later", c.width, c.start(now+2), c.next)
	for i, l := range c.later.Lists {
		count := uint32(0)
		for range c.nodes.All(l) {
			count++
		}
		rules.Must(count == c.counts[i], "later slot %d holds %d timers, counted are %d", i, count, c.counts[i])
	}
	moving := uint64(0)
	for _, deadline := range c.nodes.All(c.moving) {
		moving++
		rules.Must(c.half(deadline) == now+1 && moving <= c.left && c.next <= c.start(now+1),
			"deadline %d moves in half %d, number %d of %d, next %d", deadline, now, moving, c.left, c.next)
	}
	b.List("moving to the soon wheel", c.nodes.All(c.moving))
	c.far.WalkRest(b, earliest, c.nodes.Deadline)
}
