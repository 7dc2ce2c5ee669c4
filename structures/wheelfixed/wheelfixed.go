// Package wheelfixed is a coarse hierarchical timer wheel whose slots hold a fixed number of timers, without cascades or links.
//
// A slot is an array. The delay of a timer selects its level, and the deadline, rounded up, selects the slot. If that slot is
// full, the timer goes to one of the next three. It stays there until the slot expires. Cancel fills the place with the last
// timer of the slot. So no list is ever followed, and the memory of the wheel is known when it is made.
//
// Pedigree. The Rust library [bitwheel] 0.4.0 (2025; 0.6.0 is current), made for event loops that set and cancel timeouts all
// the time: gears of 64 slots, a bitmap each, and a few probes. Differences here:
//
//   - Each gear of bitwheel is 64 times as coarse as the one below, so a timer may be late by several times its delay. Here a
//     gear has 256 slots and is eight times as coarse, nearly as in hwheellinux.
//   - If no probe finds room, or the delay is beyond the last level, a 4-ary heap takes the timer and fires it exactly at its
//     tick. bitwheel refuses such a timer, or has a B-tree.
//
// Lateness. At most MaxLate(delay): 3 ticks for delays below 252, otherwise less than four times the width of a slot, which is
// less than 8/63 (12.7 %) of the delay. If no slot is full, a quarter of that. A delay counts from the clock, which Pop moves.
//
// A timer takes 12 bytes, plus its value and ID, and up to 36 more in the heap. The wheel takes 1 MiB.
//
// Work counts SlotsVisited, slots whose last timer fired and full slots that a timer was refused by; and Comparisons in the
// heap.
//
// Size. 128 timers a slot. With delays uniform over 60,000 ticks, about 10,000 timers find room.
//
// Pick it for up to 10,000 timeouts if memory must be known in advance. If slots are full, it is slower than quadheap.
//
// [bitwheel]: https://docs.rs/crate/bitwheel/0.4.0/source/README
package wheelfixed

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// Option sets a parameter of a Wheel.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, in slots and in the heap. n is from 0, the default, to 2^32-4.
func Capacity(n int) Option { return Option{rules.Capacity("wheelfixed", n, dary.MaxLen)} }

// Wheel is a coarse timer wheel with values of type T. Make it with New. It is a [structures.Scheduler].
type Wheel[T any] struct{ base[T] }
type base[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty wheel at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Wheel[T] {
	return newWheel[T](128, rules.Apply(rules.Room{}, opts).Capacity)
}

// newWheel returns an empty wheel whose slots have room for 1 to 65,536 timers, of 4 bytes each.
func newWheel[T any](perSlot, capacity int) *Wheel[T] {
	w := &Wheel[T]{slotted.New[T](core{
		next: math.MaxInt64, firing: -1, perSlot: uint32(perSlot), heap: dary.NewQuad(capacity),
		deadlines: make([]structures.Tick, 1, capacity+1), places: make([]uint32, 1, capacity+1),
	}, capacity)}
	_, queue := slotted.Parts(&w.base)
	queue.clock = slotted.Clock(&w.base)
	for l := range queue.levels {
		queue.levels[l] = level{timers: make([]uint32, slots*perSlot), occupied: fifo.NewOccupancy(slots)}
	}
	return w
}

// Schedule adds a timer that is due at deadline. It costs O(1), or O(log n) if four slots are full.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return w.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule.
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return w.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1), or O(log n) in the heap.
func (w *Wheel[T]) Cancel(id structures.ID) bool { return w.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer of the slots that have expired. Ties are unspecified. It costs O(1), plus
// O(levels in use) for a slot and O(log n) for a timer of the heap.
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return w.base.Pop(now) }

// Next returns the tick at which the first slot expires, or the first deadline in the heap. It costs as much as Pop.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) { return w.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (w *Wheel[T]) Len() int { return w.base.Len() }

// The levels: 256 slots each, and each level eight times as coarse as the one below.
//
//	level   ticks per slot   for delays of            late by at most
//	    0                1          0 ..        251         3 ticks
//	    1                8        252 ..      2,015        31
//	    2               64      2,016 ..     16,127       255
//	    3              512     16,128 ..    129,023     2,047
//	    …              8^l  252*8^(l-1) .. 252*8^l - 1  4*8^l - 1
//	    7        2,097,152  up to 528,482,303: 6 days at ticks of a millisecond
//
// Longer delays have no level: they wait in the heap, and fire on their tick.
const (
	slotBits = 8
	slots    = 1 << slotBits // of a level
	stepBits = 3             // each level is 8 times as coarse
	levels   = 8
	probes   = 3 // slots that are tried after the first one
)

// reach returns the shortest delay that a level is too small for: the last probe must not come round to the slot of the clock.
func reach(level int) structures.Tick { return (slots - 1 - probes) << (stepBits * level) }

// levelOf returns the level for a delay of at least 0; levels if there is none.
func levelOf(delay structures.Tick) int {
	level := 0
	for level < levels && delay >= reach(level) {
		level++
	}
	return level
}

// MaxLate returns the most ticks by which a timer with a delay fires late: one less than four times the width of a slot of its
// level. If slots are full, no smaller bound holds.
func MaxLate(delay structures.Tick) structures.Tick {
	level := levelOf(max(delay, 0))
	if level == levels {
		return 0
	}
	return (1+probes)<<(stepBits*level) - 1
}

// core orders slots of the slab, which are called timers here, as a slot is one of a wheel. A slot is numbered by its level
// and its place on it. It expires at the first tick after the cursor that is a multiple of its ticks and falls on it. At all
// times
//
//   - the cursor is at most the clock, and no slot that holds a timer has expired up to it;
//   - a timer is in a slot, which expires at its deadline or at most MaxLate after it, or in the heap.
type core struct {
	clock     *structures.Tick
	cursor    structures.Tick
	next      structures.Tick // no slot that holds a timer expires before it
	firing    int             // a slot that holds a timer and expires at next; -1: it is unknown
	perSlot   uint32
	levels    [levels]level
	inUse     uint32 // a bit for each level that holds a timer
	heap      dary.Quad
	deadlines []structures.Tick // by timer
	places    []uint32          // by timer: its slot, and its index there in the lower half; or inHeap
	visited   uint64            // slots
}

// level is the slots of a level.
type level struct {
	counts   [slots]uint32 // of timers
	timers   []uint32      // perSlot for each slot
	occupied fifo.Occupancy
}

// inHeap is the place of timers in the heap.
const inHeap = math.MaxUint32

// indexBits are the bits of an index in a place.
const indexBits = 16

// Add puts a timer into a slot, or into the heap.
func (c *core) Add(timer uint32, deadline structures.Tick) {
	if int(timer) == len(c.places) {
		c.places = append(c.places, 0)
		c.deadlines = append(c.deadlines, 0)
	}
	c.deadlines[timer] = deadline
	now := *c.clock
	if now < c.next {
		c.cursor = now
	}
	if !c.addToSlot(timer, deadline, levelOf(deadline-now)) {
		c.places[timer] = inHeap
		c.heap.Add(timer, deadline)
	}
}

// addToSlot puts a timer into the first of a few slots after its deadline that is not full. It refuses one without a level,
// and slots that would be taken for earlier ones: those too far after the cursor, which is before the clock while timers that
// are due have not been popped, or after the last tick.
func (c *core) addToSlot(timer uint32, deadline structures.Tick, number int) bool {
	if number == levels {
		return false
	}
	l, shift := &c.levels[number], stepBits*number
	unit := (uint64(deadline) + 1<<shift - 1) >> shift
	if deadline <= c.cursor || unit+probes > uint64(c.cursor)>>shift+slots || unit+probes >= math.MaxInt64>>shift {
		return false
	}
	for last := unit + probes; unit <= last; unit++ {
		i := unit % slots
		n := l.counts[i]
		if n == c.perSlot {
			c.visited++
			continue
		}
		if n == 0 {
			l.occupied.Set(int(i))
			c.inUse |= 1 << number
		}
		l.counts[i] = n + 1
		l.timers[uint32(i)*c.perSlot+n] = timer
		c.places[timer] = (uint32(number)<<slotBits|uint32(i))<<indexBits | n
		if expiry := structures.Tick(unit << shift); expiry < c.next {
			c.next, c.firing = expiry, number<<slotBits|int(i)
		}
		return true
	}
	return false
}

// Remove takes a timer out. The last timer of its slot takes its place there.
func (c *core) Remove(timer uint32) {
	place := c.places[timer]
	if place == inHeap {
		c.heap.Remove(timer)
		return
	}
	slot := int(place >> indexBits)
	last := c.takeLast(slot)
	if last != timer {
		c.levels[slot>>slotBits].timers[uint32(slot%slots)*c.perSlot+place%(1<<indexBits)] = last
		c.places[last] = place
	}
}

// takeLast takes the last timer out of a slot, and returns it.
func (c *core) takeLast(slot int) uint32 {
	number, i := slot>>slotBits, slot%slots
	l := &c.levels[number]
	l.counts[i]--
	n := l.counts[i]
	if n == 0 {
		l.occupied.Clear(i)
		if l.occupied.First() < 0 {
			c.inUse &^= 1 << number
		}
		if slot == c.firing {
			c.firing = -1
		}
	}
	return l.timers[uint32(i)*c.perSlot+n]
}

// first returns the tick at which a slot expires next, and that slot; -1 if all are empty.
func (c *core) first() (at structures.Tick, slot int) {
	at, slot = math.MaxInt64, -1
	for rest := c.inUse; rest != 0; rest &= rest - 1 {
		number := bits.TrailingZeros32(rest)
		l, shift := &c.levels[number], stepBits*number
		unit := uint64(c.cursor)>>shift + 1 // the first that has not expired
		i := l.occupied.Next(int(unit % slots))
		if i < 0 {
			i = l.occupied.First()
		}
		unit += (uint64(i) - unit) % slots
		if expiry := structures.Tick(unit << shift); expiry < at {
			at, slot = expiry, number<<slotBits|i
		}
	}
	return at, slot
}

// Pop removes a timer that is due, of the heap or of a slot that has expired.
func (c *core) Pop(clock structures.Tick) (timer uint32, at structures.Tick) {
	if c.firing < 0 && c.next <= clock {
		c.next, c.firing = c.first()
	}
	if _, deadline := c.heap.First(); deadline <= min(clock, c.next) {
		return c.heap.Pop(deadline) // nothing, if the heap is empty and the clock at the last tick
	} else if c.next > clock {
		c.cursor = clock
		return 0, min(c.next, deadline)
	}
	c.cursor = c.next - 1 // so that the slot is the next one to expire until it is empty
	if timer = c.takeLast(c.firing); c.firing < 0 {
		c.visited++
	}
	return timer, c.deadlines[timer]
}

// Next returns the tick at which a slot expires next or the earliest deadline in the heap.
func (c *core) Next(structures.Tick) structures.Tick {
	if c.firing < 0 {
		c.next, c.firing = c.first()
	}
	_, deadline := c.heap.First()
	return min(c.next, deadline)
}

func (c *core) Work() structures.Work {
	w := c.heap.Work()
	w.SlotsVisited = c.visited
	return w
}

// expiry returns the tick at which a slot expires.
func (c *core) expiry(slot int) structures.Tick {
	shift := stepBits * (slot >> slotBits)
	unit := uint64(c.cursor)>>shift + 1
	unit += (uint64(slot) - unit) % slots
	return structures.Tick(unit << shift)
}

// Walk adds the levels that hold a timer, and the heap. The span of a slot is the deadlines that it takes; as a timer may be
// put into a later slot than its own, the spans overlap.
func (c *core) Walk(b *snapshot.Builder) {
	rules.Must(c.cursor >= 0 && c.cursor <= b.Clock, "cursor %d, clock %d", c.cursor, b.Clock)
	for number := range c.levels {
		c.walkLevel(b, number)
	}
	at, slot := c.first()
	rules.Must(c.next <= at && (c.firing < 0 || c.next == at && c.expiry(c.firing) == at),
		"next is %d, slot %d; the first slot to expire is %d, at %d", c.next, c.firing, slot, at)
	c.heap.WalkRest(b, 0, func(timer uint32) structures.Tick {
		if c.places[timer] != inHeap {
			return 0
		}
		return c.deadlines[timer]
	})
}

func (c *core) walkLevel(b *snapshot.Builder, number int) {
	l, shift := &c.levels[number], stepBits*number
	b.Begin(shape.Part{
		Name: fmt.Sprintf("level %d", number), Kind: shape.Slots, Size: slots, Now: int(uint64(b.Clock) >> shift % slots),
	})
	rules.Must(c.inUse>>number&1 == 1 == (l.occupied.First() >= 0),
		"level %d is marked as in use and has no timers, or neither", number)
	for i, n := range l.counts {
		rules.Must(l.occupied.Has(i) == (n > 0), "level %d, slot %d holds %d of %d timers, or is marked wrongly",
			number, i, n, c.perSlot)
		if n == 0 {
			continue
		}
		slot := number<<slotBits | i
		to := c.expiry(slot)
		b.Cell(shape.Cell{Index: i, From: to - (1+probes)<<shift + 1, To: to}, func(yield func(uint32, structures.Tick) bool) {
			for index, timer := range l.timers[uint32(i)*c.perSlot:][:n] {
				rules.Must(c.places[timer] == uint32(slot)<<indexBits|uint32(index),
					"timer %d, number %d of slot %d, has another place",
					timer, index, slot)
				if !yield(timer, c.deadlines[timer]) {
					return
				}
			}
		})
	}
	b.DropEmpty()
	l.occupied.Check()
}
