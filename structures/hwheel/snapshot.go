package hwheel

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns level 0, the other levels that hold an entry, the slot that fires and
// the arrival buffer. Of an entry that its timer has left for a later deadline it says
// for which tick the entry was made, as far as that is known: above level 2 it says the
// first tick of the slot. It costs O(n + slots), and is not for hot paths.
func (w *Wheel[T]) Snapshot() shape.Snapshot {
	var parts []shape.Part
	for level := range w.levels {
		first, size := 0, int(w.mask0)+1
		if level > 0 {
			first, size = w.firstSlot(level), int(w.ringMask)+1
		}
		p := shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: size, Width: 1 << w.widthBits(level),
			Now: int(uint64(w.clock) >> w.widthBits(level) & uint64(size-1)),
		}
		number := uint64(w.cursor)>>w.widthBits(level) + 1 // of the slot after that of the cursor
		for slot := w.occupied.Next(first); slot >= 0 && slot < first+size; slot = w.occupied.Next(slot + 1) {
			ahead := (uint64(slot-first) - number) & uint64(size-1)
			from := structures.Tick((number + ahead) << w.widthBits(level))
			cell := shape.Cell{Index: slot - first, From: from, To: from + (p.Width - 1), Entries: w.entriesOf(w.lists[slot], level, from)}
			if w.sweeper.slot == slot {
				cell.Entries = append(w.entriesOf(w.sweeper.rest, level, from), cell.Entries...)
			}
			p.Cells = append(p.Cells, cell)
		}
		if level == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	for _, p := range []shape.Part{snapshot.List("the slot that fires", w.firingEntries()), snapshot.List("arrival buffer", w.arrivalEntries())} {
		if len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	return shape.Snapshot{Parts: parts}
}

// entriesOf returns the entries of a list of a slot that starts at from, first to last.
func (w *Wheel[T]) entriesOf(l list, level int, from structures.Tick) []shape.Entry {
	var out []shape.Entry
	for l != 0 {
		header, held := w.entries.chunk(l)
		for _, e := range slices.Backward(held) {
			out = append(out, w.shown(e, level, from))
		}
		l, _ = linksOf(*header)
	}
	slices.Reverse(out)
	return out
}

// shown returns an entry of a slot that starts at from as snapshots show it.
func (w *Wheel[T]) shown(e entry, level int, from structures.Tick) shape.Entry {
	r := w.records.at(e.index())
	live := r.state.owns(e)
	filed := from
	switch bits := w.widthBits(level); {
	case bits <= 16: // the entry holds so many bits of the tick
		filed += structures.Tick(uint64(uint16(e)) & (1<<bits - 1))
	case live && w.slotStart(level, r.deadline) == from:
		filed = r.deadline
	}
	if !live {
		return shape.Entry{Deadline: filed, Filed: filed}
	}
	return shape.Entry{ID: idOf(e.index(), r.state), Deadline: r.deadline, Filed: filed}
}

// firingEntries returns what is left of the slot that fires. A timer that was moved away
// and back is staged twice: the second entry is shown as stale, as it will be dropped.
func (w *Wheel[T]) firingEntries() []shape.Entry {
	var out []shape.Entry
	staged := make(map[uint32]bool)
	f := &w.firing
	for _, e := range f.staged[f.done:f.n] {
		shown := shape.Entry{Deadline: f.tick, Filed: f.tick}
		if w.records.at(e.index).state == e.state && !staged[e.index] {
			staged[e.index] = true
			shown.ID = idOf(e.index, e.state)
		}
		out = append(out, shown)
	}
	return append(out, w.entriesOf(f.rest, 0, f.tick)...)
}

// arrivalEntries returns the timers of the arrival buffer, by position.
func (w *Wheel[T]) arrivalEntries() []shape.Entry {
	var out []shape.Entry
	for position, id := range w.arrivals.ids {
		if w.arrivals.has(position) {
			at := w.arrivals.records[position].deadline
			out = append(out, shape.Entry{ID: id, Deadline: at, Filed: at})
		}
	}
	return out
}
