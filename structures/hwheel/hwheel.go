// Package hwheel is a hierarchical timer wheel for large numbers of timers.
//
// A level of 256 slots of one tick each holds the timers due soon. One above it
// has slots of 256 ticks, the next one of 65,536 ticks, and so on. When the clock
// reaches a slot of a higher level, its timers cascade: they go down to the levels
// below. So a timer is scheduled and cancelled in O(1), whatever its delay, and
// fires on its tick exactly.
//
// Pedigree. The hierarchy is scheme 7 of Varghese and Lauck, "Hashed and
// Hierarchical Timing Wheels" (SOSP 1987); package hwheellist is the classical
// form of it, with a linked list per slot. There every fire, cascade and cancel is
// a walk along links, each step of which waits for the memory that the last one
// points to. This package is built so that nothing waits for memory which could
// have been asked for before:
//
//   - A slot is a list of entries of 8 bytes in chunks of two cache lines. To add
//     one is a store; to go through them is to read memory in order.
//   - What is known of a timer stands in one record of 16 bytes and its value. The
//     records of the timers due at the next tick are asked for while those of this
//     one fire (package prefetch).
//   - Entries are not looked for. A cancelled timer leaves a dead one behind, and a
//     sweep takes those away, a few at a time, so that they stay below three quarters
//     of the live ones and a constant. A timer that is moved to a later deadline keeps its
//     entry, and is taken to its new deadline when the old one comes.
//   - Levels overlap: each reaches 4096 of its slots ahead, so that a timer of up to
//     a million ticks cascades once in its life, and one of 250 million ticks twice.
//     The cascade to the lowest level touches no record.
//   - Timers wait at a desk until 32 of them have come. Most that are cancelled at
//     once have been nowhere else.
//   - Memory grows by pages, so that no call copies more than the first one.
//
// Costs. Schedule, Reschedule and Cancel O(1); Pop O(1), plus the cascades; Next as
// Pop. The Pop that cascades a slot does it as a whole: with ten million timers
// spread over a minute of milliseconds 40,000 at a time, in 0.2 ms; but a bunch of
// timers on a high level is one long Pop when its slot is reached. Measured
// figures, and what was tried, are in docs/performance.md.
//
// Ties. Timers of one deadline fire in no order.
//
// Memory. 24 bytes and the value for a timer, dead entries not counted. An empty
// wheel takes 19 KiB, whatever the size of a value; timers further than 256 ticks
// away add 16 KiB for each level that they need, 113 KiB at most. Memory grows by
// pages of 64 to 96 KiB, or of one value that is larger.
//
// Pick it for many timers, of any delays, mostly cancelled or mostly firing. Pick
// package hwheellist where timers of one deadline must fire in order, package
// wheel for the same where delays fit a revolution, and a heap where timers are
// few. A driver without ticks is hardly ever woken up for nothing: Next names the
// start of a slot that cascades, where nothing may fire, only if the slot holds more
// than 15 timers or another slot starts before they are due.
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

// Wheel is a hierarchical timer wheel. Make it with New. It keeps the contract
// of structures.Scheduler, and is for one goroutine at a time.
type Wheel[T any] struct {
	now    structures.Tick // the clock
	next   structures.Tick // there is nothing to do before it
	linked int             // timers in the wheel; the others are at the desk
	dead   int             // entries that count no more
	spare  int             // entries that may die before the next look at whether to sweep
	desk   desk[T]

	geometry
	records  records[T]
	entries  entries
	lists    []list // by slot, up to the highest level that was ever used
	occupied fifo.Occupancy
	busy     [maxLevels]int // by level: occupied slots

	cursor  structures.Tick // all slots up to it have been served
	upper   structures.Tick // no slot of another level than 0 that holds any starts before it
	soonest soonest
	serving serving
	sweeper sweeper
	work    structures.Work
}

var _ structures.Scheduler[int] = (*Wheel[int])(nil)

// New returns an empty wheel whose clock stands at tick 0. It panics when an
// option is invalid.
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
	w := &Wheel[T]{
		geometry: g,
		next:     math.MaxInt64,
		upper:    math.MaxInt64,
		soonest:  unknown,
		lists:    make([]list, g.base(1)),
		occupied: fifo.NewOccupancy(g.slots()),
	}
	return w
}

// reserve makes room for n timers: for their records, those at the desk twice, for
// the lists of all slots, and for as many entries. Each slot of the two lowest
// levels may have a chunk that is not full. The first chunk is never used.
func (w *Wheel[T]) reserve(n uint64) {
	if n == 0 {
		return
	}
	w.records.reserve(n + 2*deskLen)
	w.extend(w.slots() - 1)
	full, partly := n/(chunkLen-1), min(n, uint64(w.base(2)))
	w.entries.reserve(chunkLen * (1 + full + partly))
}

// Schedule adds a pending timer that comes due at deadline, in ticks, and
// returns its ID. A deadline at or before the clock counts as the tick after
// it. It costs O(1); every 32nd call takes as many timers into the wheel.
func (w *Wheel[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	if deadline <= w.now {
		deadline = w.afterNow()
	}
	d := &w.desk
	if d.taken == d.open {
		w.clear()
	}
	position := bits.TrailingZeros32(^d.taken) & deskMask
	d.taken |= 1 << position
	r := d.record[position]
	r.deadline, r.value = deadline, value
	if deadline < w.next {
		w.next = deadline
	}
	return d.ready[position]
}

// afterNow returns the tick after the clock, or the last one there is.
func (w *Wheel[T]) afterNow() structures.Tick { return w.now + min(1, math.MaxInt64-w.now) }

// Reschedule moves a pending timer to deadline; it keeps its ID and its value. It
// returns false, and touches nothing, when id is not pending. It costs O(1): to
// move a timer to a later deadline is to note it, and the timer is taken there
// when its old one comes.
func (w *Wheel[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	if !w.records.has(id) {
		return false
	}
	r := w.records.at(uint32(id))
	if r.word.generation() != uint32(id>>32) || id>>32&1 == 0 {
		return false
	}
	if deadline >= r.deadline && deadline > w.now && r.word.place() == linked {
		r.deadline = deadline
		return true
	}
	return w.move(uint32(id), r, deadline)
}

// move is Reschedule for all other cases than the most frequent one.
func (w *Wheel[T]) move(index uint32, r *record[T], deadline structures.Tick) bool {
	if deadline <= w.now {
		deadline = w.afterNow()
	}
	switch {
	case r.word&atDesk != 0:
		if !w.desk.holds(r.word.position()) {
			return false
		}
		r.deadline = deadline
		w.next = min(w.next, deadline)
	case r.word.place() == linked && deadline >= r.deadline:
		r.deadline = deadline
	default:
		r.deadline = deadline
		r.word += nextStamp
		w.catchUp()
		w.link(index, r)
		w.died()
	}
	return true
}

// Cancel removes a pending timer. It returns false, and touches nothing, when
// id is not pending. It costs O(1), amortised: every eighth call may sweep
// some 64 entries.
func (w *Wheel[T]) Cancel(id structures.ID) bool {
	if !w.records.has(id) {
		return false
	}
	r := w.records.at(uint32(id))
	if r.word.generation() != uint32(id>>32) || id>>32&1 == 0 {
		return false
	}
	if r.word&atDesk != 0 {
		return w.leave(r)
	}
	w.free(uint32(id), r)
	w.died()
	return true
}

// free gives the record of a timer back that is in the wheel. Its entry counts no
// more.
func (w *Wheel[T]) free(index uint32, r *record[T]) {
	var none T
	r.value = none
	r.word += nextStamp + nextGeneration
	w.linked--
	w.records.free.push(index)
}

// link gives a timer, which has none that counts, an entry in the slot for its
// deadline.
func (w *Wheel[T]) link(index uint32, r *record[T]) {
	r.word &^= placeMask // linked
	slot, first := w.place(r.deadline, w.cursor)
	if slot > int(w.low) {
		w.upper = min(w.upper, first)
	}
	w.next = min(w.next, first)
	if first <= w.soonest.tick && w.soonest.known {
		w.precede(slot, first)
	}
	w.put(slot, newEntry(index, r.word.stamp(), r.deadline))
}

// precede takes note of a slot that starts no later than the soonest one. Of those
// that start at one tick the one of the highest level comes first.
func (w *Wheel[T]) precede(slot int, first structures.Tick) {
	if first < w.soonest.tick || slot > w.soonest.slot {
		w.soonest.slot, w.soonest.tick = slot, first
	}
}

// put adds an entry to the list of a slot. It is the same as push, but for what
// it does where the last chunk is full, which includes the empty list: so one test
// is enough, and where there is room it makes no call.
func (w *Wheel[T]) put(slot int, e entry) {
	if uint(slot) < uint(len(w.lists)) {
		if l := w.lists[slot] + 1; l&chunkMask > 1 {
			*w.entries.at(uint32(l)) = e
			w.lists[slot] = l
			return
		}
	}
	w.putChunk(slot, e)
}

// putChunk is put where a list has no room or a slot has no list.
func (w *Wheel[T]) putChunk(slot int, e entry) {
	if slot >= len(w.lists) {
		w.extend(slot)
	}
	if w.lists[slot] == 0 && !w.occupied.Has(slot) {
		w.occupied.Set(slot)
		w.busy[w.levelIn(slot)]++
	}
	w.lists[slot] = w.entries.pushChunk(w.lists[slot], e)
}

// extend makes lists for the slots up to the end of the level of slot.
func (w *Wheel[T]) extend(slot int) {
	lists := make([]list, w.base(w.levelIn(slot)+1))
	copy(lists, w.lists)
	w.lists = lists
}

// detach takes the list of a slot away.
func (w *Wheel[T]) detach(slot int) list {
	w.unsweep(slot)
	l := w.lists[slot]
	w.lists[slot] = 0
	w.vacate(slot)
	return l
}

// vacate takes note of a slot that is empty from now on.
func (w *Wheel[T]) vacate(slot int) {
	if w.occupied.Has(slot) {
		w.occupied.Clear(slot)
		if slot == w.soonest.slot {
			w.soonest = unknown
		}
		w.busy[w.levelIn(slot)]--
	}
}

// Pop moves the clock to now, unless it is there or past it, and removes and
// returns one timer that is due: the earliest first, in no order among timers of
// one deadline. It costs O(1) when nothing is due and nothing cascades. Over its
// life a timer costs O(levels) in all, whatever the width of a jump; the single
// Pop that cascades a slot costs O(timers in it).
func (w *Wheel[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	if now > w.now {
		w.now = now
	}
	if w.next > w.now {
		return t, false // nothing is staged either: what is has been due before
	}
	s := &w.serving
	for {
		for s.done < s.n {
			e := &s.staged[s.done&(stageLen-1)]
			s.done++
			r := w.records.at(e.index)
			if r.word != e.word {
				w.drop(1) // cancelled or moved since
				continue
			}
			t = structures.Timer[T]{ID: idOf(e.index, e.word), Deadline: s.tick, Value: r.value}
			w.free(e.index, r)
			return t, true
		}
		switch {
		case s.rest != 0:
			w.stage()
		case w.next > w.now || !w.serve():
			return t, false
		}
	}
}

// Next returns the tick at which Pop has something to do: to fire a timer, or to
// cascade a slot that holds many. No timer is due before it, and it is after the
// clock unless a timer is due now. ok is false when no timer is pending. It costs
// O(1), or what a Pop at the clock would cost that has slots to cascade, and then
// leaves Pop without.
func (w *Wheel[T]) Next() (at structures.Tick, ok bool) {
	if w.Len() == 0 {
		return 0, false
	}
	w.settle()
	s := &w.serving
	for {
		for ; s.done < s.n; s.done++ {
			if e := &s.staged[s.done]; w.records.at(e.index).word == e.word {
				return s.tick, true
			}
			w.drop(1)
		}
		if s.rest != 0 {
			w.stage()
			continue
		}
		slot, tick, found := w.nextSlot()
		if found && tick > w.now && !w.trim(slot, tick) {
			continue
		}
		if tick > w.now || !w.serve() {
			w.next = tick
			return w.foresee(slot, tick), true
		}
	}
}

// foresee returns a tick before which nothing fires; slot is the one to serve next,
// and starts at tick, which is an answer. There is a better one where the slot is of
// another level than 0 and holds few timers, as then their deadlines can be looked
// up: a driver with few timers is not woken up only to cascade them.
func (w *Wheel[T]) foresee(slot int, tick structures.Tick) structures.Tick {
	level := w.levelIn(slot)
	if level == 0 {
		return tick
	}
	link, held := w.entries.chunk(w.lists[slot])
	if next, _ := linkOf(*link); next != 0 {
		return tick
	}
	at := structures.Tick(math.MaxInt64)
	for _, e := range held {
		if r := w.records.at(e.index()); r.word.counts(e) {
			at = min(at, r.deadline)
		}
	}
	// Other slots that start before it ends are on the levels below. Those of its
	// level start where it ends at the earliest, and those above as well: were there
	// one that starts with it, that one would be served next.
	for below := range level {
		if w.busy[below] > 0 {
			_, start, _ := w.firstOn(below)
			at = min(at, start)
		}
	}
	return at
}

// trim takes entries that have no business there off the end of the list of a slot
// that starts at tick, and reports whether any other is left.
func (w *Wheel[T]) trim(slot int, tick structures.Tick) bool {
	w.unsweep(slot)
	level := w.levelIn(slot)
	for w.lists[slot] != 0 {
		e := *w.entries.at(uint32(w.lists[slot]))
		r := w.records.at(e.index())
		if r.word.counts(e) && w.start(level, r.deadline) == tick {
			return true
		}
		w.lists[slot] = w.entries.pop(w.lists[slot])
		w.relink(e)
	}
	w.vacate(slot)
	return false
}

// Len returns the number of pending timers.
func (w *Wheel[T]) Len() int { return w.linked + w.desk.len() }

// Work returns the counters of the work done so far:
//
//   - SlotsVisited: one for each slot of level 0 whose timers fired, and one for
//     each slot of another level that was cascaded.
//   - EmptySlots: none, as the bitmap leads to occupied slots only.
//   - Moved: one for each entry of a slot that is cascaded to level 0, a dead one
//     included, and for each timer that is taken to its deadline from elsewhere.
//   - Dropped: one for each dead entry removed.
//   - Comparisons: none, as the slots keep the order.
func (w *Wheel[T]) Work() structures.Work { return w.work }
