package hwheel

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns level 0, the other levels that hold a timer, the timers that were moved and have
// no new slot yet, and the arrival buffer, for snapshots. The place that a timer has left shows
// as a stale entry, filed for the first tick of its slot.
func (w *Wheel[T]) Parts(rs *records.Set[T]) []shape.Part {
	var parts []shape.Part
	for level := range uint(Levels) {
		if p := w.levelPart(rs, level); level == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	for _, p := range []shape.Part{
		snapshot.List("moved timers", w.movedEntries(rs)),
		snapshot.List("arrival buffer", w.arrivalEntries()),
	} {
		if len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

func (w *Wheel[T]) levelPart(rs *records.Set[T], level uint) shape.Part {
	p := shape.Part{
		Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: ringLen,
		Width: 1 << widthBits(level), Now: int(slotOf(level, rs.Clock)),
	}
	if w.levels[level] == nil {
		return p
	}
	for slot, l := range w.levels[level].lists {
		if l != 0 {
			first, last := w.spanOf(level, uint32(slot))
			p.Cells = append(p.Cells, shape.Cell{
				Index: slot, From: first, To: last, Entries: w.entriesOf(rs, l, first, last),
			})
		}
	}
	return p
}

// entriesOf returns the entries of a slot from first to last, in the order in which they
// were added. Those of timers that stayed when they were moved to a later slot are filed
// for last.
func (w *Wheel[T]) entriesOf(
	rs *records.Set[T], l list, first, last structures.Tick,
) []shape.Entry {
	var out []shape.Entry
	for n := l.chunk(); n != 0; {
		c := w.chunks.chunk.At(n)
		for rest := *w.chunks.mask.At(n); rest != 0; rest &= rest - 1 {
			place := bits.TrailingZeros16(rest)
			index := c.timers[place]
			r := rs.At(index)
			if r.Where.InSlot() { // otherwise it has left
				id := records.IDOf(index, r.Generation)
				out = append(out, shape.Entry{ID: id, Deadline: r.Deadline, Filed: min(r.Deadline, last)})
			} else {
				out = append(out, shape.Entry{Deadline: first, Filed: first})
			}
		}
		n = c.next
	}
	slices.Reverse(out)
	return out
}

func (w *Wheel[T]) movedEntries(rs *records.Set[T]) []shape.Entry {
	var out []shape.Entry
	for _, d := range w.left[:w.departed] {
		if r := rs.At(d.index); r.Pending() {
			id := records.IDOf(d.index, r.Generation)
			out = append(out, shape.Entry{ID: id, Deadline: r.Deadline, Filed: r.Deadline})
		}
	}
	return out
}

func (w *Wheel[T]) arrivalEntries() []shape.Entry {
	var out []shape.Entry
	for position, id := range w.ids[:w.arrived] {
		at := w.records[position].Deadline
		out = append(out, shape.Entry{ID: id, Deadline: at, Filed: at})
	}
	return out
}
