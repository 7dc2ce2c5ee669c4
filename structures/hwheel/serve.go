package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// serving is the slot of level 0 whose timers are firing.
type serving struct {
	tick structures.Tick
	rest list // entries not looked at yet

	// What was looked at last and will fire, each with the word that its record
	// has as long as nothing happens to its timer.
	staged [stageLen]struct {
		word  word
		index uint32
	}
	n, done int // entries in staged; those of them that are dealt with
}

// stageLen is how many entries are staged at a time at most. Their records were
// asked for before, so there must not be more than the first cache holds.
const stageLen = 64

// serve finds something to do up to the clock, once everything that was staged has
// been dealt with: it makes the next slot of level 0 the one to serve, or cascades
// slots of the other levels. It reports whether there was anything.
func (w *Wheel[T]) serve() bool {
	w.settle()
	slot, tick, ok := w.nextSlot()
	if !ok || tick > w.now {
		w.next = tick
		w.catchUp()
		return false
	}
	if slot > int(w.low) {
		w.cascade(tick)
		return true
	}
	w.serving.tick = tick
	w.serving.rest = w.detach(slot)
	w.cursor = min(tick, math.MaxInt64-1)
	w.next = tick // not known better
	w.work.SlotsVisited++
	return true
}

// soonest is the slot that is to be served next, as long as that is known: most
// often it is asked for several times before it changes. A driver that steps from
// one tick that Next names to the next takes half the time with it.
type soonest struct {
	known bool
	slot  int
	tick  structures.Tick // at which it starts
}

// unknown is what is known when that slot has gone.
var unknown = soonest{tick: math.MaxInt64}

// nextSlot returns the slot that is to be served next, and the tick at which it
// starts; ok is false, and tick the largest there is, when there is none.
func (w *Wheel[T]) nextSlot() (slot int, tick structures.Tick, ok bool) {
	if !w.soonest.known {
		w.soonest = w.findSoonest()
	}
	return w.soonest.slot, w.soonest.tick, w.soonest.known
}

func (w *Wheel[T]) findSoonest() soonest {
	slot, tick, ok := 0, structures.Tick(math.MaxInt64), false
	if w.busy[0] > 0 {
		slot, tick, ok = w.firstOn(0)
	}
	if w.upper <= tick && w.upper < math.MaxInt64 {
		// upper is a bound. Slots have come to be empty since, perhaps.
		above, first, found := w.firstAbove()
		w.upper = first
		if found && first <= tick {
			return soonest{true, above, first}
		}
	}
	return soonest{ok, slot, tick}
}

// firstOn returns the first slot of a level that is not empty, and the tick at
// which it starts.
func (w *Wheel[T]) firstOn(level int) (slot int, tick structures.Tick, ok bool) {
	shift, base, size := w.shift(level), 0, int(w.low)+1
	if level > 0 {
		base, size = w.base(level), int(w.mask)+1
	}
	// The ring is walked from the slot after the cursor's to its end, then from
	// its beginning.
	first := uint64(w.cursor)>>shift + 1
	from := int(first & uint64(size-1))
	if i := w.occupied.Next(base + from); i >= 0 && i < base+size {
		return i, structures.Tick((first + uint64(i-base-from)) << shift), true
	}
	if i := w.occupied.Next(base); i >= 0 && i < base+from {
		return i, structures.Tick((first + uint64(i-base-from+size)) << shift), true
	}
	return 0, math.MaxInt64, false
}

// firstAbove returns the slot of another level than 0 that starts first and is not
// empty, and the tick at which it does: of those that start at one tick the one of
// the highest level.
func (w *Wheel[T]) firstAbove() (slot int, first structures.Tick, ok bool) {
	first = math.MaxInt64
	for level := 1; level < w.levels; level++ {
		if w.busy[level] == 0 {
			continue
		}
		if i, tick, found := w.firstOn(level); found && tick <= first {
			slot, first, ok = i, tick, true
		}
	}
	return slot, first, ok
}

// cascade moves the timers of the slots that start at tick down. None of them goes
// to another one of these slots: what that one holds is in reach of the levels
// below it.
func (w *Wheel[T]) cascade(tick structures.Tick) {
	w.cursor = tick - 1
	w.upper = tick
	for level := w.levels - 1; level >= 1; level-- {
		if w.start(level, tick) != tick {
			continue
		}
		slot := w.at(level, tick)
		if !w.occupied.Has(slot) {
			continue
		}
		rest := w.detach(slot)
		if rest != 0 {
			w.work.SlotsVisited++
		}
		for rest != 0 {
			link, held := w.entries.chunk(rest)
			w.entries.lookAhead(*link)
			if level == 1 {
				w.spread(held)
			} else {
				w.relinkAll(held)
			}
			next, _ := linkOf(*link)
			w.entries.give(rest)
			rest = next
		}
	}
	w.next = tick // not known better
}

// spread moves entries from level 1 to level 0. They know where to: no record is
// touched, and a dead one is found out when its time comes.
func (w *Wheel[T]) spread(held []entry) {
	w.work.Moved += uint64(len(held))
	for _, e := range held {
		w.put(w.near(structures.Tick(uint16(e))), e)
	}
}

// relinkAll puts the timers of entries where they belong.
func (w *Wheel[T]) relinkAll(held []entry) {
	w.records.touchAll(held)
	for _, e := range held {
		w.relink(e)
	}
}

// relink puts the timer of an entry, which is in no list, where it belongs.
func (w *Wheel[T]) relink(e entry) {
	r := w.records.at(e.index())
	if !r.word.counts(e) {
		w.drop(1)
		return
	}
	w.work.Moved++
	w.link(e.index(), r)
}

// stage looks at the next entries of the slot that is being served.
func (w *Wheel[T]) stage() {
	s := &w.serving
	var late [stageLen]entry
	fires, lates, seen := 0, 0, 0
	for s.rest != 0 && fires+lates <= stageLen-chunkLen {
		link, held := w.entries.chunk(s.rest)
		for _, e := range held {
			r := w.records.at(e.index())
			// What becomes of an entry is not to be foreseen, so that
			// branches on it would often go wrong. It is noted as both
			// instead, and counted as what it is.
			s.staged[fires&(stageLen-1)].word = r.word | staged
			s.staged[fires&(stageLen-1)].index = e.index()
			late[lates&(stageLen-1)] = e
			here, now := 0, 0
			if r.word.inWheel() {
				here = 1
			}
			if r.deadline == s.tick {
				now = 1
			}
			fires += here & now
			lates += here &^ now
		}
		seen += len(held)
		next, _ := linkOf(*link)
		w.entries.give(s.rest)
		s.rest = next
	}
	w.lookAhead()
	for i := range s.staged[:fires] {
		w.records.at(s.staged[i].index).word = s.staged[i].word
	}
	w.drop(seen - fires - lates)
	for _, e := range late[:lates] {
		w.relink(e)
	}
	s.n, s.done = fires, 0
	w.records.free.makeRoom(stageLen + 2*sweepEvery)
	if w.tooManyDead() {
		w.sweep(fires * sweepSpeed / 2) // there will be fewer live ones
	}
}

// lookAhead asks for the records of what will be staged next, as far as that is
// known. It is known for the next tick, mostly.
func (w *Wheel[T]) lookAhead() {
	l := w.serving.rest
	if l == 0 {
		l = w.lists[w.near(w.serving.tick+1)]
	}
	for n := 0; l != 0 && n <= stageLen-chunkLen; {
		link, held := w.entries.chunk(l)
		w.records.touchAll(held)
		n += len(held)
		l, _ = linkOf(*link)
	}
}
