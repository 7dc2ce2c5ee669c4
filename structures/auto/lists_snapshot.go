package auto

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// listParts returns the front, and the levels of lists that hold a record. A free record shows
// as a stale entry.
func (t *Timers[T]) listParts() []shape.Part {
	parts := []shape.Part{snapshot.List("front", t.frontEntries())}
	for level := range uint32(listLevels) {
		if t.lists.occupied[level] != 0 {
			parts = append(parts, t.listPart(level))
		}
	}
	return parts
}

// frontEntries returns the entries of the front, the earliest timer first. Stale ones have no ID.
func (t *Timers[T]) frontEntries() []shape.Entry {
	var out []shape.Entry
	seen := make(map[uint32]bool)
	for _, e := range slices.Backward(t.lists.front.entries) {
		shown := shape.Entry{Deadline: e.deadline, Filed: e.deadline}
		if r := t.records.At(e.index); stands(e, r) && !r.where.inList() && !seen[e.index] {
			shown.ID = idOf(e.index, e.generation)
			seen[e.index] = true
		}
		out = append(out, shown)
	}
	return out
}

func (t *Timers[T]) listPart(level uint32) shape.Part {
	p := &t.lists
	width := structures.Tick(1) << (level * digitBits)
	part := shape.Part{
		Name: fmt.Sprintf("lists %d", level), Kind: shape.Slots, Size: digitMask + 1,
		Width: width, Now: int(t.clock / width & digitMask),
	}
	for slot := range digitMask + 1 {
		at := position(level<<digitBits) | position(slot)
		if p.occupied[level]>>slot&1 == 0 {
			continue
		}
		start := p.startOf(at)
		part.Cells = append(part.Cells, shape.Cell{Index: slot, From: start, To: at.last(start), Entries: t.listEntries(at, start)})
	}
	return part
}

// listEntries returns the entries of a slot that starts at start. A timer in front of the
// limit would be in the front, so it is filed for the limit at the earliest.
func (t *Timers[T]) listEntries(at position, start structures.Tick) []shape.Entry {
	var out []shape.Entry
	p := &t.lists
	for n := p.heads[at]; n != 0; n = p.nodes[n].behind {
		index := p.nodes[n].index
		shown := shape.Entry{Deadline: start, Filed: start}
		if r := t.records.At(index); r.generation&1 == 1 {
			shown = shape.Entry{ID: idOf(index, r.generation), Deadline: r.deadline, Filed: max(start, p.front.limit)}
		}
		out = append(out, shown)
	}
	return out
}
