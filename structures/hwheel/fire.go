package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// firing is the slot of level 0 whose timers fire. Its invariants:
//
//   - rest holds the entries that are not staged yet. They are in no slot.
//   - A staged entry is live as long as the record has the state that was staged
//     with it: any change of the timer changes that state.
//   - All staged timers have the deadline tick.
type firing struct {
	tick   structures.Tick
	rest   list
	staged [stageLen]struct {
		state state
		index uint32
	}
	n, done int // staged entries, and those of them that are dealt with
}

// stageLen is the largest number of staged entries. Their records have been
// prefetched, so the first cache must hold them all.
const stageLen = 64

// processNextSlot processes the next slot that starts by the clock: it makes a slot
// of level 0 the one that fires, and cascades others. It reports whether there was
// one. All entries of the slot that fired before must be dealt with.
func (w *Wheel[T]) processNextSlot() bool {
	w.insertArrivals()
	s := w.nextSlot()
	if !s.known || s.start > w.clock {
		w.nextWork = s.start
		return false
	}
	w.nextWork = s.start // a bound: the next search finds out more
	if s.slot > int(w.mask0) {
		w.cascade(s.start)
		return true
	}
	w.firing.tick = s.start
	w.firing.rest = w.takeEntries(s.slot)
	w.cursor = min(s.start, math.MaxInt64-1)
	w.work.SlotsVisited++
	return true
}

// cascade moves the timers of all slots above level 0 that start at tick to levels
// below. It goes from the highest level down. No timer moves from one of these slots
// to another: the levels below reach all deadlines of a slot when it starts.
func (w *Wheel[T]) cascade(tick structures.Tick) {
	w.cursor = tick - 1
	w.nextAbove = tick
	for level := w.levels - 1; level >= 1; level-- {
		if w.slotStart(level, tick) != tick {
			continue
		}
		slot := w.slotAt(level, tick)
		if !w.occupied.Has(slot) {
			continue
		}
		rest := w.takeEntries(slot)
		if rest != 0 {
			w.work.SlotsVisited++
		}
		for rest != 0 {
			header, held := w.entries.chunk(rest)
			w.entries.prefetchAfter(*header)
			if level == 1 {
				w.cascadeToLevel0(held)
			} else {
				w.reinsertAll(held)
			}
			next, _ := linksOf(*header)
			w.entries.freeChunk(rest)
			rest = next
		}
	}
}

// cascadeToLevel0 moves entries of level 1 to level 0. An entry has the bits of the
// deadline that this needs, so no record is loaded. Dead entries move, too.
func (w *Wheel[T]) cascadeToLevel0(held []entry) {
	w.work.Moved += uint64(len(held))
	for _, e := range held {
		w.addEntry(w.slot0(structures.Tick(uint16(e))), e)
	}
}

// reinsertAll moves the timers of entries to the slots for their deadlines.
func (w *Wheel[T]) reinsertAll(held []entry) {
	w.records.prefetchAll(held)
	for _, e := range held {
		w.reinsert(e)
	}
}

// reinsert moves the timer of an entry to the slot for its deadline, or drops the
// entry if it is dead. The entry must not be in a list any more.
func (w *Wheel[T]) reinsert(e entry) {
	r := w.records.at(e.index())
	if !r.state.owns(e) {
		w.countDropped(1)
		return
	}
	w.work.Moved++
	w.insert(e.index(), r)
}

// stage takes entries of the slot that fires. It stages the timers that are due,
// reinserts those that were moved to a later deadline, and drops dead entries.
func (w *Wheel[T]) stage() {
	f := &w.firing
	var later [stageLen]entry
	due, laters, seen := 0, 0, 0
	for f.rest != 0 && due+laters <= stageLen-chunkLen {
		header, held := w.entries.chunk(f.rest)
		for _, e := range held {
			r := w.records.at(e.index())
			// A branch on the fate of an entry would often be mispredicted. So
			// the entry is written to both arrays, and one count or none grows.
			f.staged[due&(stageLen-1)].state = r.state | staged
			f.staged[due&(stageLen-1)].index = e.index()
			later[laters&(stageLen-1)] = e
			pending, now := 0, 0
			if r.state.pendingInSlot() {
				pending = 1
			}
			if r.deadline == f.tick {
				now = 1
			}
			due += pending & now
			laters += pending &^ now
		}
		seen += len(held)
		next, _ := linksOf(*header)
		w.entries.freeChunk(f.rest)
		f.rest = next
	}
	w.prefetchNextStage()
	for i := range f.staged[:due] {
		w.records.at(f.staged[i].index).state = f.staged[i].state
	}
	w.countDropped(seen - due - laters)
	for _, e := range later[:laters] {
		w.reinsert(e)
	}
	f.n, f.done = due, 0
	w.records.free.makeRoom(stageLen + 2*maintainEvery)
	if w.tooManyDead() {
		w.sweep(due * sweepSpeed / 2) // there will be fewer live entries
	}
}

// prefetchNextStage prefetches the records of the entries that will be staged next:
// the rest of the slot that fires, or else those of the next tick.
func (w *Wheel[T]) prefetchNextStage() {
	l := w.firing.rest
	if l == 0 {
		l = w.lists[w.slot0(w.firing.tick+1)]
	}
	for n := 0; l != 0 && n <= stageLen-chunkLen; {
		header, held := w.entries.chunk(l)
		w.records.prefetchAll(held)
		n += len(held)
		l, _ = linksOf(*header)
	}
}
