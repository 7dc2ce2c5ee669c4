package hwheel

import (
	"math"

	"github.com/timerbench/timerbench/structures"
)

// slotStart is a slot and the tick at which it starts. If known is false there is
// none, and start is the last tick of all.
type slotStart struct {
	known bool
	slot  int
	start structures.Tick
}

var noSlot = slotStart{start: math.MaxInt64}

// insert gives a timer an entry in the slot for its deadline. The timer must not
// have a live entry.
func (w *Wheel[T]) insert(index uint32, r *record[T]) {
	r.state &^= locationMask // inSlot
	slot, start := w.slotFor(r.deadline, w.cursor)
	if slot > int(w.mask0) {
		w.nextAbove = min(w.nextAbove, start)
	}
	w.nextWork = min(w.nextWork, start)
	if start <= w.next.start && w.next.known {
		w.updateNext(slot, start)
	}
	w.addEntry(slot, newEntry(index, r.state.version(), r.deadline))
}

// updateNext compares the slot to process next with another one that starts no later.
// Of two that start together, the one of the higher level comes first.
func (w *Wheel[T]) updateNext(slot int, start structures.Tick) {
	if start < w.next.start || slot > w.next.slot {
		w.next.slot, w.next.start = slot, start
	}
}

// addEntry adds an entry to a slot. It does the same as entries.push, but a single
// test covers an empty list and a full chunk, and the common case makes no call.
func (w *Wheel[T]) addEntry(slot int, e entry) {
	if uint(slot) < uint(len(w.lists)) {
		if l := w.lists[slot] + 1; l&chunkMask > 1 {
			*w.entries.at(uint32(l)) = e
			w.lists[slot] = l
			return
		}
	}
	w.addEntryInNewChunk(slot, e)
}

func (w *Wheel[T]) addEntryInNewChunk(slot int, e entry) {
	if slot >= len(w.lists) {
		w.growLists(slot)
	}
	if w.lists[slot] == 0 && !w.occupied.Has(slot) {
		w.occupied.Set(slot)
		w.occupiedSlots[w.levelOf(slot)]++
	}
	w.lists[slot] = w.entries.pushChunk(w.lists[slot], e)
}

// growLists makes empty lists for all slots up to the end of the level of slot.
func (w *Wheel[T]) growLists(slot int) {
	lists := make([]list, w.firstSlot(w.levelOf(slot)+1))
	copy(lists, w.lists)
	w.lists = lists
}

// takeEntries removes the entries of a slot and returns them.
func (w *Wheel[T]) takeEntries(slot int) list {
	w.finishSweep(slot)
	l := w.lists[slot]
	w.lists[slot] = 0
	w.markEmpty(slot)
	return l
}

// markEmpty notes that a slot holds no entries.
func (w *Wheel[T]) markEmpty(slot int) {
	if w.occupied.Has(slot) {
		w.occupied.Clear(slot)
		if slot == w.next.slot {
			w.next = noSlot
		}
		w.occupiedSlots[w.levelOf(slot)]--
	}
}

// advanceCursor moves the cursor to the clock, or to the tick before nextWork if that
// is earlier. Then new timers get the level that their delay calls for.
func (w *Wheel[T]) advanceCursor() {
	w.cursor = max(w.cursor, min(w.clock, w.nextWork-1, math.MaxInt64-1))
}

// nextSlot returns the slot to process next: the occupied slot that starts first,
// and of several the one of the highest level. The result is kept, as most calls
// find it unchanged: that halves the time of a driver that steps by Next.
func (w *Wheel[T]) nextSlot() slotStart {
	if !w.next.known {
		w.next = w.findNextSlot()
	}
	return w.next
}

func (w *Wheel[T]) findNextSlot() slotStart {
	s := noSlot
	if w.occupiedSlots[0] > 0 {
		s = w.firstOfLevel(0)
	}
	if w.nextAbove <= s.start && w.nextAbove < math.MaxInt64 {
		above := w.firstAbove()
		w.nextAbove = above.start
		if above.known && above.start <= s.start {
			return above
		}
	}
	return s
}

// firstAbove returns the occupied slot above level 0 that starts first, and of
// several the one of the highest level.
func (w *Wheel[T]) firstAbove() slotStart {
	first := noSlot
	for level := 1; level < w.levels; level++ {
		if w.occupiedSlots[level] == 0 {
			continue
		}
		if s := w.firstOfLevel(level); s.known && s.start <= first.start {
			first = s
		}
	}
	return first
}

// firstOfLevel returns the occupied slot of a level that starts first.
func (w *Wheel[T]) firstOfLevel(level int) slotStart {
	widthBits, base, size := w.widthBits(level), 0, int(w.mask0)+1
	if level > 0 {
		base, size = w.firstSlot(level), int(w.ringMask)+1
	}
	// The revolution begins after the slot of the cursor. It goes to the end of the
	// ring and continues at its start.
	number := uint64(w.cursor)>>widthBits + 1
	from := int(number & uint64(size-1))
	if slot := w.occupied.Next(base + from); slot >= 0 && slot < base+size {
		return slotStart{true, slot, structures.Tick((number + uint64(slot-base-from)) << widthBits)}
	}
	if slot := w.occupied.Next(base); slot >= 0 && slot < base+from {
		return slotStart{true, slot, structures.Tick((number + uint64(slot-base-from+size)) << widthBits)}
	}
	return noSlot
}

// earliestDeadline returns a tick before which nothing fires. s is the slot to
// process next, so its start is such a tick. If the slot is above level 0 and has
// few timers, their deadlines give a later one: then a driver does not wake up only
// to cascade them.
func (w *Wheel[T]) earliestDeadline(s slotStart) structures.Tick {
	level := w.levelOf(s.slot)
	if level == 0 {
		return s.start
	}
	header, held := w.entries.chunk(w.lists[s.slot])
	if next, _ := linksOf(*header); next != 0 {
		return s.start
	}
	at := structures.Tick(math.MaxInt64)
	for _, e := range held {
		if r := w.records.at(e.index()); r.state.owns(e) {
			at = min(at, r.deadline)
		}
	}
	// Only slots of the levels below can start before this one ends. Others of its
	// level start at its end or later. So do those above: if one started with this
	// slot, it would be processed first.
	for below := range level {
		if w.occupiedSlots[below] > 0 {
			at = min(at, w.firstOfLevel(below).start)
		}
	}
	return at
}

// trimSlot removes entries at the end of a slot that are dead, or whose timers belong
// to another slot. It reports whether the slot still holds a timer.
func (w *Wheel[T]) trimSlot(s slotStart) bool {
	w.finishSweep(s.slot)
	level := w.levelOf(s.slot)
	for w.lists[s.slot] != 0 {
		e := *w.entries.at(uint32(w.lists[s.slot]))
		r := w.records.at(e.index())
		if r.state.owns(e) && w.slotStart(level, r.deadline) == s.start {
			return true
		}
		w.lists[s.slot] = w.entries.pop(w.lists[s.slot])
		w.reinsert(e)
	}
	w.markEmpty(s.slot)
	return false
}
