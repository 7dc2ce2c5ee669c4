// Package hwheellist is a hierarchical, cascading timer wheel with FIFO ties.
//
// The lowest level has a slot for each of the next ticks. Each level above has slots as wide as the whole level
// below. When the clock reaches a slot of a higher level, its timers cascade to the levels below. So a timer is
// scheduled and cancelled in O(1) for any delay, moves at most once a level, and fires exactly at its tick.
//
// Pedigree. Scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), as in
// [Linux] before 4.8, [Kafka] and [tokio]. As in tokio, the level of a timer is the highest digit in which
// its deadline differs from the tick up to which all timers have fired. Differences here:
//
//   - The levels cover every int64: there is no longest delay, and nothing is rounded.
//
//   - Bitmaps lead to the next slot that is not empty, so a jump costs what the wheel holds.
//
//   - Levels overlap: a slot of many timers is emptied ahead of its start, a part at each tick.
//
// Costs. A timer moves at most 7 times. If the clock goes tick by tick, a call moves at most 2,048 timers of a level, or one of
// 3,840 if there are more than eight million. A clock that jumps pays for everything that it passes, and a slot for the timers
// it gets in its last ticks. A timer takes 24 bytes, plus its value, and a level in use 48 KiB.
//
// Work counts SlotsVisited, slots of level 0 that fired, and slots that cascaded, once for each step; and Moved, the timers
// of such cascades.
//
// Pick it if timers with equal deadlines must fire in order, whatever their delays. Otherwise hwheel is
// faster. If all delays fit one revolution, wheel never moves a timer. A heap does not
// wake a tickless driver to cascade.
//
// [Linux]: https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c
// [Kafka]: https://github.com/apache/kafka/blob/5977d1fc3ad1761c0bef6cecc0e5ea8284c3481a/server-common/src/main/java/org/apache/kafka/server/util/timer/TimingWheel.java
// [tokio]: https://github.com/tokio-rs/tokio/blob/4efe517d3e911f3e6e3682b5794cdc18052d53c3/tokio/src/runtime/time/wheel/mod.rs
package hwheellist

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

// Capacity reserves room for n timers of up to 2^24 ticks. The default is 0, and New panics if n is negative or more than
// 2^28. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("hwheellist", n, fifo.MaxCapacity)} }

// HugePages asks Linux for huge pages once the records take a megabyte, unless the system gives none to programs that ask: see
// "timerbench doctor". A million timers then take a tenth less time. Memory grows by 10 MiB, so a call may take milliseconds.
func HugePages() Option { return Option{func(r *rules.Room) { r.HugePages = true }} }

// Wheel is a hierarchical timer wheel with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheel[T any] struct{ base[T] }
type base[T any] = fifo.Scheduler[T]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	room := rules.Apply(rules.Room{}, opts)
	queue := &core{
		nodes: fifo.Timers{Quiet: unknown}, heads: make([]fifo.List, ring), occupied: fifo.NewOccupancy(levels * slots),
		perTick: perTick, planEveryMask: planEvery - 1, stepAt: math.MaxInt64,
	}
	queue.nodes.Huge = room.HugePages
	if room.Capacity > 0 {
		queue.makeLevels(place(1<<24-1, 0))
	}
	return &Wheel[T]{fifo.NewScheduler[T](queue, &queue.nodes, room.Capacity)}
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

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1), and O(levels) a timer.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return w.base.Pop(now) }

// Next returns the earliest deadline if it is on level 0, otherwise the tick of the first cascade. It costs O(1) plus the cascades.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) { return w.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (w *Wheel[T]) Len() int { return w.base.Len() }

// A tick is a number of 63 bits. Level 0 is its lowest digit, and a slot of level l is as many ticks wide as all slots of
// the level below:
//
//	level   ticks per slot      ticks per level (span)
//	    0                1                         256
//	    1              256                      65,536
//	    2           65,536                  16,777,216
//	    3       16,777,216               4,294,967,296
//	    7   about 7.21e+16        all ticks, 9.22e+18 and up
const (
	digit  = 8
	slots  = 1 << digit
	levels = 64 / digit

	// A level has lists for the slots of 16 spans. The list of a slot is named by its place: the level, and the number of
	// the slot modulo ring. Timers are added to slots of the cursor's span only. So timers of a slot above level 0 can move to
	// the level below in the last window slots of that level before their slot starts.
	spans     = 16
	ringBits  = digit + 4
	ring      = spans * slots
	window    = (spans - 1) * slots
	earlier   = ring    // ticks by which a slot is empty before its timers leave the level below
	perTick   = 1 << 11 // timers of a level that move in one call; a slot with fewer ones cascades when it starts
	planEvery = 1 << 10 // timers that are added to a slot until the next Pop looks whether it is to be emptied
)

// core is the wheel. The level of a timer is the highest digit in which its deadline differs from the cursor, the tick up
// to which all timers have fired, and its slot is that digit. Its place is the number of its list. As no deadline is before
// the cursor, which is at most the clock, two things follow:
//
//   - A timer of a lower level is due before any timer of a higher one, and on one level the order of the slots is
//     the order of time. So the first occupied list of the cursor's spans is the next one to fire or to cascade.
//   - Moving the cursor up to the start of that list changes the list of no timer outside of it.
//
// Quiet is the start of the first occupied list, or stepAt if that is before, or unknown. If it is the cursor, the list of that
// tick has timers.
type core struct {
	nodes         fifo.Timers
	cursor        structures.Tick
	stepAt        structures.Tick // the tick of the next call of step
	heads         []fifo.List     // by place, of the levels that were used
	added         []uint32        // by place, from level 1 on: timers added since the list was empty, less those that moved ahead
	occupied      fifo.Occupancy  // by bit, the lists of the cursor's spans that have timers or are held
	visited       structures.Tick // last slot of level 0 that was counted as visited
	work          structures.Work
	perTick       uint64
	planEveryMask uint32
}

// unknown is before all ticks, so the next Pop looks for the first list.
const unknown = math.MinInt64

// held is the bit of added that says that timers of a list have moved to the level below, ahead of its start. Lists of later
// spans than the cursor's have only such timers, which are older than those of the list itself.
const held = 1 << 31

func placeOf(level uint64, at structures.Tick) int {
	return int(level<<ringBits | uint64(at)>>(level*digit)&(ring-1))
}

// place returns the place of a deadline that is not before the cursor.
func place(deadline, cursor structures.Tick) int {
	return placeOf(uint64(bits.Len64(uint64(deadline^cursor)|1)-1)/digit, deadline)
}

// bit returns the bit of a list of the cursor's spans in occupied.
func bit(place int) int { return place>>ringBits<<digit | place&(slots-1) }

// start returns the first tick of the list of a bit.
func (c *core) start(bit int) structures.Tick {
	shift := bit >> digit * digit & 63
	return (c.cursor>>shift&^(slots-1) | structures.Tick(bit&(slots-1))) << shift
}

// catchUp moves the cursor to the clock if no list starts up to there.
func (c *core) catchUp() {
	if c.nodes.Clock < c.nodes.Quiet {
		c.cursor = c.nodes.Clock
	}
}

func (c *core) Add(timer uint32, n *fifo.Node) {
	c.catchUp()
	place := place(n.Deadline, c.cursor)
	if place >= len(c.heads) {
		c.makeLevels(place)
	}
	head := &c.heads[place]
	if head.Empty() {
		c.occupied.Set(bit(place))
		shift := place >> ringBits * digit & 63
		c.nodes.Quiet = min(c.nodes.Quiet, n.Deadline>>shift<<shift) // the start of the list
	}
	if above := place - ring; uint(above) < uint(len(c.added)) {
		if c.added[above]++; c.added[above]&c.planEveryMask == 0 {
			c.stepAt, c.nodes.Quiet = c.cursor, unknown
		}
	}
	n.SetPlace(place)
	c.nodes.PushBack(head, timer, n)
}

// makeLevels makes the levels up to that of a place.
func (c *core) makeLevels(place int) {
	n := (place>>ringBits + 1) << ringBits
	c.heads = append(c.heads, make([]fifo.List, n-len(c.heads))...)
	c.added = append(c.added, make([]uint32, n-ring-len(c.added))...)
}

func (c *core) Remove(_ uint32, n *fifo.Node) {
	place := n.Place()
	if c.nodes.Remove(&c.heads[place], n) && (place < ring || c.added[place-ring] < held) {
		c.catchUp()
		if place == placeOf(uint64(place>>ringBits), c.start(bit(place))) { // not a list of a later span
			c.setEmpty(place)
		}
	}
}

// setEmpty notes that a list of the cursor's spans is empty and not held.
func (c *core) setEmpty(place int) {
	if above := place - ring; uint(above) < uint(len(c.added)) {
		c.added[above] = 0
	}
	c.occupied.Clear(bit(place))
	c.nodes.Quiet = unknown // as this list may have been the first
}

// advance moves the cursor to the earliest timer if that is due, and to the clock otherwise, and
// cascades on the way. It returns the list of level 0 that is due, or -1.
func (c *core) advance() int {
	for c.nodes.Quiet <= c.nodes.Clock {
		first, at := 0, c.cursor
		if c.nodes.Quiet != c.cursor {
			if first, at = c.occupied.First(), math.MaxInt64; first >= 0 {
				at = c.start(first)
			}
		}
		if first < 0 || at > c.nodes.Clock {
			c.cursor = c.nodes.Clock
			if c.cursor >= c.stepAt {
				c.step()
			}
			c.nodes.Quiet = min(at, c.stepAt)
			return -1
		}
		c.cursor, c.nodes.Quiet = at, at
		if first < slots {
			if at != c.visited {
				c.visited = at
				c.work.SlotsVisited++
			}
			return placeOf(0, at)
		}
		c.cascade(placeOf(uint64(first)>>digit, at))
	}
	c.cursor = c.nodes.Clock
	return -1
}

// loadable is the number of timers that a cascade loads from the end of a list. More would leave the cache before they move
// (chosen).
const loadable = 1 << 14

// cascade moves the timers of a list, at whose start the cursor is, and keeps their order.
func (c *core) cascade(place int) {
	c.adopt(place)
	moving := c.heads[place]
	c.heads[place] = fifo.List{}
	c.setEmpty(place)
	moved := uint64(0)
	ahead := moving.Back()
	for timer := moving.Front(); timer != 0; {
		n := c.nodes.At(timer)
		following := n.Next()
		if moved < loadable {
			ahead = c.nodes.Meet(ahead, timer, following)
		}
		c.Add(timer, n)
		timer = following
		moved++
	}
	c.work.SlotsVisited++
	c.work.Moved += moved
}

// adopt makes the lists in which timers of a held list wait those of the cursor's span.
func (c *core) adopt(place int) {
	if c.added[place-ring] < held {
		return
	}
	below := placeOf(uint64(place>>ringBits-1), c.cursor)
	for i := range slots {
		if !c.heads[below+i].Empty() || below >= ring && c.added[below+i-ring] >= held {
			c.occupied.Set(bit(below + i))
		}
	}
	if below >= ring && c.occupied.Has(bit(below)) {
		c.cascade(below) // it starts, too
	}
}

// step moves timers of the next slots of each level to the level below, as late as the limit of a call allows. It sets the
// tick of the next step: at the latest when level 1 has another slot to look at.
func (c *core) step() {
	n, next := uint64(c.nodes.Len()), c.cursor|(slots-1)+1
	if c.stepAt = math.MaxInt64; n <= c.perTick || next < c.cursor {
		return
	}
	c.stepAt = next
	limit := max(c.perTick, n/window+1)
	for level := uint64(len(c.heads)>>ringBits) - 1; level > 0; level-- {
		sum, left := uint64(0), limit
		for i := range structures.Tick(spans - 1) {
			at := (c.cursor>>(level*digit) + i + 1) << (level * digit)
			if at < c.cursor {
				break // there is no such slot
			}
			place := placeOf(level, at)
			sum += min(n, uint64(c.added[place-ring]&^held))
			if sum < limit {
				continue
			}
			if begin := at - structures.Tick(level-1)*earlier - structures.Tick(sum/limit); begin > c.cursor {
				c.stepAt = min(c.stepAt, begin)
				continue
			}
			c.stepAt, left = c.cursor+1, max(left, sum/uint64(at-c.cursor)+1) // n falls while timers fire
			moved := c.moveAhead(place, left)
			sum, left = sum-min(sum, moved), left-moved
		}
	}
}

// moveAhead moves at most limit timers of a list to the level below, ahead of its start.
func (c *core) moveAhead(place int, limit uint64) (moved uint64) {
	head, below := &c.heads[place], uint64(place>>ringBits-1)
	for ahead := head.Back(); moved < limit && !head.Empty(); moved++ {
		timer, n := c.nodes.PopFront(head)
		ahead = c.nodes.Meet(ahead, timer, n.Next())
		to := placeOf(below, n.Deadline)
		n.SetPlace(to)
		c.nodes.PushBack(&c.heads[to], timer, n)
		if to >= ring {
			c.added[to-ring]++
		}
	}
	left := c.added[place-ring]&^held - min(c.added[place-ring]&^held, uint32(moved))
	if head.Empty() {
		left = 0
	}
	if moved > 0 {
		left |= held
	}
	c.added[place-ring] = left | c.added[place-ring]&held
	c.work.SlotsVisited++
	c.work.Moved += moved
	return moved
}

func (c *core) Pop() (timer uint32, n *fifo.Node) {
	place := c.advance()
	if place < 0 {
		return 0, nil
	}
	head := &c.heads[place]
	timer, n = c.nodes.PopFront(head)
	if head.Empty() {
		c.setEmpty(place)
	}
	return timer, n
}

// Next returns the tick at which a timer fires or a list cascades next.
func (c *core) Next() structures.Tick {
	c.advance()
	if c.nodes.Quiet == c.stepAt {
		return c.start(c.occupied.First())
	}
	return c.nodes.Quiet
}

func (c *core) Work() structures.Work { return c.work }

// Walk adds level 0, the other levels that hold a timer, and the lists of later spans.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(c.cursor >= 0 && c.cursor <= b.Clock, "cursor %d, clock %d", c.cursor, b.Clock)
	for level := range uint64(len(c.heads) >> ringBits) {
		shift := level * digit
		first := c.cursor >> shift >> digit << digit
		part := shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: slots,
			Width: 1 << shift, Now: int(b.Clock >> shift & (slots - 1)),
		}
		for i := range ring {
			if i%slots == 0 {
				b.DropEmpty()
				b.Begin(part)
				part.Name = fmt.Sprintf("level %d, later", level)
			}
			from := (first + structures.Tick(i)) << shift
			if from>>shift != first+structures.Tick(i) {
				break // no tick is so large
			}
			place := placeOf(level, from)
			head := &c.heads[place]
			cell := shape.Cell{Index: i % slots, From: from, To: from + (1<<shift - 1)}
			earliest := c.nodes.Walk(b, cell, *head)
			occupied := !head.Empty() || place >= ring && c.added[place-ring] >= held
			rules.Must((i >= slots || c.occupied.Has(bit(place)) == occupied) && (head.Empty() || earliest >= from && earliest <= cell.To),
				"the list at %d is marked wrongly, or has the deadline %d, cursor %d", from, earliest, c.cursor)
		}
		b.DropEmpty()
	}
	want, q := structures.Tick(math.MaxInt64), c.nodes.Quiet
	if first := c.occupied.First(); first >= 0 {
		want = c.start(first)
	}
	rules.Must(q < c.cursor || q > c.cursor && q == min(want, c.stepAt) || q == c.cursor && q == want,
		"quiet until %d, the first list starts at %d", q, want)
	c.occupied.Check()
}
