package auto

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns the front and the levels of lists while the timers are few. Otherwise it
// returns level 0, the other levels that hold a timer, the timers that were moved and have no
// new slot yet, and the arrival buffer, and the lists before that as long as they hold timers.
// The place that a timer has left shows as a stale entry, filed for the first tick of its slot.
// It costs O(n + slots), and is not for hot paths.
func (t *Timers[T]) Snapshot() shape.Snapshot {
	if t.mode == few {
		return shape.Snapshot{Parts: t.listParts()}
	}
	var parts []shape.Part
	if t.mode == changing {
		parts = t.listParts()
	}
	for level := range uint(levelCount) {
		if p := t.levelPart(level); level == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	for _, p := range []shape.Part{snapshot.List("moved timers", t.movedEntries()), snapshot.List("arrival buffer", t.arrivalEntries())} {
		if len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	return shape.Snapshot{Parts: parts}
}

func slotNow(level uint, clock structures.Tick) int { return int(slotOf(level, clock)) }

func (t *Timers[T]) levelPart(level uint) shape.Part {
	p := shape.Part{
		Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: ringLen,
		Width: 1 << widthBits(level), Now: slotNow(level, t.clock),
	}
	if t.levels[level] == nil {
		return p
	}
	for slot, l := range t.levels[level].lists {
		if l != 0 {
			first, last := t.spanOf(level, uint32(slot))
			p.Cells = append(p.Cells, shape.Cell{Index: slot, From: first, To: last, Entries: t.entriesOf(l, first, last)})
		}
	}
	return p
}

// entriesOf returns the entries of a slot from first to last, in the order in which they
// were added. Those of timers that stayed when they were moved to a later slot are filed
// for last.
func (t *Timers[T]) entriesOf(l list, first, last structures.Tick) []shape.Entry {
	var out []shape.Entry
	for n := l.chunk(); n != 0; {
		c := t.chunks.chunk.At(n)
		for rest := *t.chunks.mask.At(n); rest != 0; rest &= rest - 1 {
			place := bits.TrailingZeros16(rest)
			index := c.timers[place]
			r := t.records.At(index)
			if r.where.inSlot() { // otherwise it has left
				out = append(out, shape.Entry{ID: idOf(index, r.generation), Deadline: r.deadline, Filed: min(r.deadline, last)})
			} else {
				out = append(out, shape.Entry{Deadline: first, Filed: first})
			}
		}
		n = c.next
	}
	slices.Reverse(out)
	return out
}

func (t *Timers[T]) movedEntries() []shape.Entry {
	var out []shape.Entry
	for _, d := range t.buffers.left[:t.buffers.departed] {
		if r := t.records.At(d.index); r.generation&1 == 1 {
			out = append(out, shape.Entry{ID: idOf(d.index, r.generation), Deadline: r.deadline, Filed: r.deadline})
		}
	}
	return out
}

func (t *Timers[T]) arrivalEntries() []shape.Entry {
	var out []shape.Entry
	for position, id := range t.buffers.ids[:t.buffers.arrived] {
		at := t.buffers.records[position].deadline
		out = append(out, shape.Entry{ID: id, Deadline: at, Filed: at})
	}
	return out
}
