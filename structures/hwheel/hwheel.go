// Package hwheel is a hierarchical timer wheel for large numbers of timers.
//
// Level 0 has 256 slots of one tick each, for the timers that are due soon. Level 1
// has slots of 256 ticks, level 2 has slots of 65,536 ticks, and so on. When the
// clock reaches a slot of a higher level, its timers cascade: they move to the
// levels below. So Schedule and Cancel cost O(1) for any delay, and every timer
// fires exactly at its tick.
//
// Pedigree. The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and
// Hierarchical Timing Wheels" (SOSP 1987). Package hwheellist is its classical form,
// with a linked list per slot. There, a fire, a cascade and a cancel follow links,
// and each step waits for memory that the step before points to. This package
// differs so that its memory is prefetched or read in order:
//
//   - A slot is a list of entries of 8 bytes, in chunks of two cache lines. Adding
//     an entry is one store. A walk along a list reads memory in order.
//   - Each timer has one record: 16 bytes and the value. The records of the next
//     tick are prefetched while the timers of this tick fire (package prefetch).
//   - No operation searches for an entry. Cancel leaves a dead entry in the slot. A
//     sweep removes dead entries, a few at a time, and keeps them below three
//     quarters of the live ones and a constant. A timer that is moved to a later
//     deadline keeps its entry. It moves on when its old deadline comes.
//   - Levels overlap: each level from 1 on has 4096 slots. So a timer of up to a
//     million ticks cascades once, and one of up to 250 million ticks twice. The
//     cascade to level 0 loads no record.
//   - New timers wait in an arrival buffer until there are 32. Most of those that
//     are cancelled soon never leave it.
//   - Memory grows by pages. No call copies more than one page.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop is O(1) and the cascades, and
// so is Next. One Pop cascades a whole slot: among ten million timers spread over a
// minute of milliseconds that is 40,000 timers in 0.2 ms. Many timers in one slot of
// a high level make one long Pop: 100,000 timers that are all due at one far tick took
// 1.6 ms in the Pop that reaches them, whatever came before. Measured figures, and what
// was tried, are in docs/performance.md.
//
// Ties. Timers with equal deadlines fire in unspecified order.
//
// Memory. A timer takes 24 bytes and the value, dead entries not counted. An empty
// wheel takes 19 KiB, whatever the size of a value. Timers of more than 256 ticks
// add 16 KiB for each level that they need, 113 KiB at most. Memory grows by pages
// of 64 to 96 KiB, or of one value if that is larger.
//
// Pick it for many timers with any delays, whether most are cancelled or most fire.
// Pick package hwheellist if timers with equal deadlines must fire in order, package
// wheel if moreover all delays fit one revolution, and a heap for few timers. A
// tickless driver is rarely woken up for nothing: Next names the start of a slot that
// cascades only if the slot holds more than 15 timers, or if another slot starts
// before its first deadline.
package hwheel

import (
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/option"
)

type config struct{ capacity int }

// Option sets one of the parameters of a Wheel.
type Option func(*config)

// Capacity reserves room for n timers of up to a million ticks, n at least 0, by
// default 0. New panics otherwise. A wheel grows beyond it as needed.
func Capacity(n int) Option { return func(c *config) { c.capacity = n } }

// Wheel is a hierarchical timer wheel. Make it with New. It keeps the contract of
// structures.Scheduler, and is for one goroutine at a time.
//
// A pending timer is in the arrival buffer, or has one live entry, which is in a
// slot or staged. Invariants of the wheel as a whole:
//
//   - The cursor is at most the clock. A slot that holds entries starts after the
//     cursor, and at most one revolution of its level after it.
//   - A live entry is in a slot that starts at or before the deadline of its timer.
//   - Between calls of Pop and Next, a staged timer is due.
//   - No timer in the arrival buffer is due before nextWork, and no slot that holds
//     entries starts before it. If a timer is staged, nextWork is not after the
//     clock.
//   - No slot above level 0 that holds entries starts before nextAbove.
//   - A slot is occupied if it holds entries, or if the sweep has taken them out to
//     put the live ones back. lists has all slots up to the highest level that was
//     ever occupied.
//   - There are inSlots live entries, and dead other ones.
type Wheel[T any] struct {
	clock       structures.Tick
	nextWork    structures.Tick
	inSlots     int // timers that are not in the arrival buffer
	dead        int
	maintenance int // entries that may die before the next call of maintain
	arrivals    arrivals[T]

	geometry
	records       records[T]
	entries       entries
	lists         []list // by slot
	occupied      fifo.Occupancy
	occupiedSlots [maxLevels]int // by level

	cursor    structures.Tick
	nextAbove structures.Tick
	next      slotStart // the slot to process next, if it is known
	firing    firing
	sweeper   sweeper
	work      structures.Work
}

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// New returns an empty wheel whose clock is at tick 0. It panics if an option is
// invalid.
func New[T any](opts ...Option) *Wheel[T] {
	var c config
	for _, opt := range opts {
		opt(&c)
	}
	option.Between("hwheel", "Capacity", c.capacity, 0, maxTimers)
	w := newWheel[T](newGeometry(8, 12))
	w.reserve(uint64(c.capacity))
	return w
}

func newWheel[T any](g geometry) *Wheel[T] {
	return &Wheel[T]{
		geometry:  g,
		nextWork:  math.MaxInt64,
		nextAbove: math.MaxInt64,
		next:      noSlot,
		lists:     make([]list, g.firstSlot(1)),
		occupied:  fifo.NewOccupancy(g.slotCount()),
	}
}

// reserve makes room for the records of n timers and of the arrival buffer, for the
// lists of all slots, and for the chunks of n entries. Each slot of the two lowest
// levels may have a chunk that is not full. The first chunk is never used.
func (w *Wheel[T]) reserve(n uint64) {
	if n == 0 {
		return
	}
	w.records.reserve(n + 2*arrivalsLen)
	w.growLists(w.slotCount() - 1)
	full, partly := n/(chunkLen-1), min(n, uint64(w.firstSlot(2)))
	w.entries.reserve(chunkLen * (1 + full + partly))
}

// Schedule adds a pending timer that is due at deadline, in ticks, and returns its
// ID. A deadline at or before the clock counts as the tick after the clock. Schedule
// costs O(1). Every 32nd call moves 32 timers from the arrival buffer to slots.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	if deadline <= w.clock {
		deadline = w.afterClock()
	}
	a := &w.arrivals
	if a.pending == a.open {
		w.makeArrivalRoom()
	}
	position := bits.TrailingZeros32(^a.pending) & arrivalsMask
	a.pending |= 1 << position
	r := a.records[position]
	r.deadline, r.value = deadline, value
	if deadline < w.nextWork {
		w.nextWork = deadline
	}
	return a.ids[position]
}

// afterClock returns the tick after the clock, or the last tick of all.
func (w *Wheel[T]) afterClock() structures.Tick { return w.clock + min(1, math.MaxInt64-w.clock) }

// Reschedule moves a pending timer to deadline. The timer keeps its ID and its value.
// It returns false, and changes nothing, if id is not pending. It costs O(1). To
// move a timer to a later deadline only changes its record.
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	if !w.records.has(id) {
		return false
	}
	r := w.records.at(uint32(id))
	if r.state.generation() != uint32(id>>32) || id>>32&1 == 0 {
		return false
	}
	if deadline >= r.deadline && deadline > w.clock && r.state.location() == inSlot {
		r.deadline = deadline
		return true
	}
	return w.move(uint32(id), r, deadline)
}

// move is the part of Reschedule for all other cases than a later deadline.
func (w *Wheel[T]) move(index uint32, r *record[T], deadline structures.Tick) bool {
	if deadline <= w.clock {
		deadline = w.afterClock()
	}
	switch {
	case r.state&inArrivals != 0:
		if !w.arrivals.has(r.state.position()) {
			return false
		}
		r.deadline = deadline
		w.nextWork = min(w.nextWork, deadline)
	case r.state.location() == inSlot && deadline >= r.deadline:
		r.deadline = deadline
	default:
		r.deadline = deadline
		r.state += nextVersion
		w.advanceCursor()
		w.insert(index, r)
		w.entryDied()
	}
	return true
}

// Cancel removes a pending timer. It returns false, and changes nothing, if id is
// not pending. It costs O(1) amortised: every eighth call may sweep 64 entries.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	if !w.records.has(id) {
		return false
	}
	r := w.records.at(uint32(id))
	if r.state.generation() != uint32(id>>32) || id>>32&1 == 0 {
		return false
	}
	if r.state&inArrivals != 0 {
		return w.cancelArrival(r)
	}
	w.freeRecord(uint32(id), r)
	w.entryDied()
	return true
}

// freeRecord frees the record of a timer that is not in the arrival buffer. The
// entry of the timer is dead from then on.
func (w *Wheel[T]) freeRecord(index uint32, r *record[T]) {
	var none T
	r.value = none
	r.state += nextVersion + nextGeneration
	w.inSlots--
	w.records.free.push(index)
}

// Pop moves the clock to now if now is later. It removes and returns one timer that
// is due: the earliest first, in unspecified order among equal deadlines. It costs
// O(1) if nothing cascades. In its whole life a timer costs O(levels), whatever the
// width of the jumps. One Pop that cascades a slot costs O(timers in the slot).
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	if now > w.clock {
		w.clock = now
	}
	if w.nextWork > w.clock {
		return t, false
	}
	f := &w.firing
	for {
		for f.done < f.n {
			e := &f.staged[f.done&(stageLen-1)]
			f.done++
			r := w.records.at(e.index)
			if r.state != e.state {
				w.countDropped(1) // cancelled or moved since
				continue
			}
			t = structures.Timer[T]{ID: idOf(e.index, e.state), Deadline: f.tick, Value: r.value}
			w.freeRecord(e.index, r)
			return t, true
		}
		switch {
		case f.rest != 0:
			w.stage()
		case w.nextWork > w.clock || !w.processNextSlot():
			return t, false
		}
	}
}

// Next returns the tick at which Pop next fires a timer or cascades a slot with many
// timers. No timer is due before it. It is after the clock, unless a timer is due
// now. ok is false if no timer is pending. Next costs O(1), or the cost of a Pop that
// cascades slots, which the next Pop then saves.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	w.insertArrivals()
	f := &w.firing
	for {
		for ; f.done < f.n; f.done++ {
			if e := &f.staged[f.done]; w.records.at(e.index).state == e.state {
				return f.tick, true
			}
			w.countDropped(1)
		}
		if f.rest != 0 {
			w.stage()
			continue
		}
		s := w.nextSlot()
		if s.known && s.start > w.clock && !w.trimSlot(s) {
			continue
		}
		if s.start > w.clock || !w.processNextSlot() {
			w.nextWork = s.start
			return w.earliestDeadline(s), true
		}
	}
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.inSlots + w.arrivals.len() }

// Work returns the counters of the work done so far:
//
//   - SlotsVisited: slots of level 0 whose timers fired, and slots of other levels
//     that cascaded.
//   - EmptySlots: none, because a bitmap leads to the occupied slots.
//   - Moved: entries that cascaded to level 0, dead ones included, and timers that
//     moved to another slot in any other way.
//   - Dropped: dead entries that were removed.
//   - Comparisons: none, because the slots are in order.
func (w *Wheel[T]) Work() structures.Work { return w.work }
