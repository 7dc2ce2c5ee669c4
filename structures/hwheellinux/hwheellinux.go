// Package hwheellinux is the timer wheel of [Linux] since 4.8: hierarchical, coarse, and without cascades.
//
// The delay of a timer selects its level. The deadline, rounded up to the granularity of that level, selects the
// list, and the timer stays there until the list expires. So no timer ever moves and none fires early. A timer is
// late by less than the granularity, which grows with the delay. That does timeouts no harm.
//
// Pedigree. Thomas Gleixner's wheel, kernel/time/timer.c since Linux 4.8 (2016): 64 lists a level, each level eight
// times as coarse as the one below, and a bitmap of the lists in use. Differences here:
//
//   - Linux has 9 levels and cuts off longer delays, which is 12 days at ticks of a millisecond. Here
//     twelve more levels take any delay.
//   - Linux starts timers at the next tick, so even the lowest level adds one. Here delays below 63 are exact.
//
// Lateness. At most MaxLate(delay): 0 for delays below 63, otherwise one tick less than the granularity of the level. That is
// less than 8/63 = 12.7 % of the delay, the share published for Linux, and 1.6 % for the longest delays of a level. A delay
// counts from the clock, which Pop moves: a driver that sleeps until Next should call Pop before it schedules.
//
// A timer takes 24 bytes, plus its value. An empty wheel takes 11 kB. Work counts SlotsVisited: lists that expired.
//
// Ties. Unspecified; FIFO within a list.
//
// Pick it for timeouts, which are mostly cancelled and need no precision, and hwheel if timers must fire at their ticks.
//
// [Linux]: https://github.com/torvalds/linux/blob/v6.12/kernel/time/timer.c
package hwheellinux

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// Option sets a parameter of a Wheel.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^28. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("hwheellinux", n, fifo.MaxCapacity)} }

// Wheel is a coarse timer wheel with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheel[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	queue := &core{next: math.MaxInt64}
	return &Wheel[T]{fifo.NewScheduler[T](queue, &queue.nodes, rules.Apply(rules.Room{}, opts).Capacity)}
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

// Pop moves the clock to now and removes a timer of the first list that has expired. Ties are unspecified. It costs O(1), plus
// O(levels in use) for each tick at which a list expires.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return w.base.Pop(now) }

// Next returns the tick at which a list expires, or a deadline that has expired. It costs O(1), or O(levels in use) after Cancel.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) { return w.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (w *Wheel[T]) Len() int { return w.base.Len() }

// The levels, as in Linux's kernel/time/timer.c: 64 lists each, and each level eight
// times as coarse as the one below.
//
//	level   ticks per list   for delays of
//	    0                1       0 ..      62
//	    1                8      63 ..     503
//	    2               64     504 ..   4,031
//	    3              512   4,032 ..  32,255
//	    4            4,096  32,256 .. 258,047
//	    …              8^l  63*8^(l-1) .. 63*8^l - 1
//	    8       16,777,216  up to 1,056,964,607: the last one in Linux, 12 days at 1 ms
//	   20            8^20   all there are
const (
	listBits = 6
	lists    = 1 << listBits // of a level
	stepBits = 3             // each level is 8 times as coarse
	levels   = 21
)

// reach returns the shortest delay that a level is too small for: 63 times the granularity, as in
// Linux, since a deadline may be rounded up to the next list.
func reach(level int) uint64 { return (lists - 1) << (stepBits * level) }

func levelOf(delay structures.Tick) int {
	level := 0
	for level < levels-1 && uint64(delay) >= reach(level) {
		level++
	}
	return level
}

// listFor returns the number of the list for a deadline after the cursor, and the tick at which
// that list expires: the deadline rounded up to the level's granularity.
func listFor(deadline, cursor structures.Tick) (list int, expiry structures.Tick) {
	level := levelOf(deadline - cursor)
	shift := stepBits * level
	unit := (uint64(deadline) + 1<<shift - 1) >> shift
	list = level<<listBits | int(unit&(lists-1))
	return list, structures.Tick(min(unit<<shift, math.MaxInt64))
}

// expiryOf returns the first tick after the cursor for which listFor returns a list.
func expiryOf(list int, cursor structures.Tick) structures.Tick {
	shift := stepBits * (list >> listBits)
	next := uint64(cursor)>>shift + 1
	unit := next + (uint64(list)-next)&(lists-1)
	if unit > math.MaxInt64>>shift {
		return math.MaxInt64
	}
	return structures.Tick(unit << shift)
}

// MaxLate returns the most ticks by which a timer with a delay fires late: one less than the granularity
// of its level. For every delay, some deadlines are rounded up by that much.
func MaxLate(delay structures.Tick) structures.Tick { return 1<<(stepBits*levelOf(max(delay, 0))) - 1 }

// core orders slots by the tick at which they expire. A slot is in a list of a level until that
// expires, and then in the due list. Its place is the number of its list, or inDue. The cursor is at
// the clock, or the clock is before Quiet.
type core struct {
	cursor   structures.Tick
	nodes    fifo.Timers
	heads    [levels << listBits]fifo.List
	occupied [levels]uint64 // a bit for each list that holds a timer
	inUse    uint32         // a bit for each level that holds a timer
	due      fifo.List
	next     structures.Tick // the tick at which the next list expires; unknown if at most the cursor
	work     structures.Work
}

// inDue stands for the due list.
const inDue = levels << listBits

// Add adds a slot to the list for its deadline, seen from the clock.
func (c *core) Add(slot uint32, n *fifo.Node) {
	c.cursor = c.nodes.Clock
	if n.Deadline <= c.cursor { // the last tick, and the clock is there
		n.SetPlace(inDue)
		c.nodes.PushBack(&c.due, slot, n)
		return
	}
	list, expiry := listFor(n.Deadline, c.cursor)
	n.SetPlace(list)
	c.nodes.PushBack(&c.heads[list], slot, n)
	c.occupied[list>>listBits] |= 1 << (list & (lists - 1))
	c.inUse |= 1 << (list >> listBits)
	c.next = min(c.next, expiry)
	c.nodes.Quiet = min(c.nodes.Quiet, expiry)
}

func (c *core) Remove(_ uint32, n *fifo.Node) {
	list := n.Place()
	if list == inDue {
		c.nodes.Remove(&c.due, n)
	} else if c.nodes.Remove(&c.heads[list], n) {
		c.setEmpty(list)
		c.next = c.cursor // unknown, as this list may have been the next
	}
}

// Pop removes a timer that has expired, in the order of the ticks at which they expired. It costs O(1), and
// O(levels in use) for each tick at which a list expires.
func (c *core) Pop() (slot uint32, n *fifo.Node) {
	c.advance(c.nodes.Clock)
	if slot, n = c.nodes.PopFront(&c.due); slot == 0 {
		c.nodes.Quiet = c.next
	}
	return slot, n
}

// Next returns the tick at which a list expires next, or the deadline of a timer that has
// expired. It costs O(1), or O(levels in use) after a list has become empty.
func (c *core) Next() structures.Tick {
	if !c.due.Empty() {
		return c.nodes.Deadline(c.due.Front())
	}
	if c.next <= c.cursor {
		c.next = c.first()
	}
	return c.next
}

func (c *core) Work() structures.Work { return c.work }

func (c *core) setEmpty(list int) {
	level := list >> listBits
	c.occupied[level] &^= 1 << (list & (lists - 1))
	if c.occupied[level] == 0 {
		c.inUse &^= 1 << level
	}
}

// advance moves the cursor to the clock, and the lists that expire on the way to the due list.
func (c *core) advance(clock structures.Tick) {
	for c.next <= clock {
		if c.next = c.first(); c.next > clock {
			break
		}
		c.cursor = c.next - 1 // so that the lists that expire at next are still ahead of it
		for rest := c.inUse; rest != 0; rest &= rest - 1 {
			// No two lists of a level expire at one tick, not even at the last one.
			if list := c.nextOf(bits.TrailingZeros32(rest)); expiryOf(list, c.cursor) == c.next {
				c.expire(list)
			}
		}
		c.cursor = c.next
		if c.cursor == math.MaxInt64 {
			break // nothing is after it
		}
	}
	c.cursor = max(c.cursor, clock)
}

func (c *core) expire(list int) {
	ahead := c.heads[list].Back()
	for slot := c.heads[list].Front(); slot != 0; {
		n := c.nodes.At(slot)
		n.SetPlace(inDue)
		ahead = c.nodes.Meet(ahead, slot, n.Next())
		slot = n.Next()
	}
	c.nodes.Append(&c.due, &c.heads[list])
	c.setEmpty(list)
	c.work.SlotsVisited++
}

// nextOf returns the list of a level in use that expires next.
func (c *core) nextOf(level int) int {
	from := int(uint64(c.cursor)>>(stepBits*level)+1) & (lists - 1)
	return level<<listBits | (from+bits.TrailingZeros64(bits.RotateLeft64(c.occupied[level], -from)))&(lists-1)
}

// first returns the tick at which the next list expires, or the last tick if there is none.
func (c *core) first() structures.Tick {
	first := structures.Tick(math.MaxInt64)
	for rest := c.inUse; rest != 0; rest &= rest - 1 {
		first = min(first, expiryOf(c.nextOf(bits.TrailingZeros32(rest)), c.cursor))
	}
	return first
}

// Walk adds level 0, the other levels that hold a timer, and the due list. The span of a list is
// the deadlines that it takes, the last of which is when it expires.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(c.cursor == b.Clock || c.cursor < b.Clock && b.Clock < c.nodes.Quiet, "cursor %d, clock %d, quiet until %d",
		c.cursor, b.Clock, c.nodes.Quiet)
	first := structures.Tick(math.MaxInt64)
	for level := range levels {
		shift := stepBits * level
		width := structures.Tick(1) << shift
		b.Begin(shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: lists,
			Width: width, Now: int(uint64(c.cursor) >> shift & (lists - 1)),
		})
		rules.Must(c.inUse>>level&1 == 1 == (c.occupied[level] != 0),
			"level %d is marked wrongly, its bitmap is %#x", level, c.occupied[level])
		for i := range lists {
			list := level<<listBits | i
			l, to := c.heads[list], expiryOf(list, c.cursor)
			rules.Must(c.occupied[level]>>i&1 == 1 != l.Empty(), "list %d is empty and marked as occupied, or neither", list)
			if l.Empty() {
				continue
			}
			first = min(first, to)
			c.nodes.Walk(b, shape.Cell{Index: i, From: (to-1)&^(width-1) + 1, To: to}, l)
			for slot := range c.nodes.All(l) {
				at := c.nodes.At(slot).Place()
				rules.Must(at == list, "slot %d of list %d is in list %d", slot, list, at)
			}
		}
		b.DropEmpty()
	}
	rules.Must((c.next <= c.cursor || c.next == first) && c.nodes.Quiet <= first,
		"next is %d, the first list expires at %d", c.next, first)
	b.List("due", c.nodes.All(c.due))
	for slot, deadline := range c.nodes.All(c.due) {
		at := c.nodes.At(slot).Place()
		rules.Must(deadline <= c.cursor && at == inDue, "slot %d of list %d, deadline %d, is due at %d", slot, at, deadline, c.cursor)
	}
}
