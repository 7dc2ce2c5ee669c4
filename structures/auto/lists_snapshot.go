package auto

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// listParts returns the front, and the levels of lists that hold a record. A free record shows as a
// stale entry.
func (t *Timers[T]) listParts() []structures.Part {
	parts := []structures.Part{snapshot.List("front", t.frontEntries())}
	for level := range uint32(listLevels) {
		if t.lists.occupied[level] != 0 {
			parts = append(parts, t.listPart(level))
		}
	}
	return parts
}

func (t *Timers[T]) listPart(level uint32) structures.Part {
	p := &t.lists
	shift := level * digitBits
	part := structures.Part{
		Name: fmt.Sprintf("lists %d", level), Shape: structures.Slots, Size: digitMask + 1,
		Width: 1 << shift, Now: int(t.clock >> shift & digitMask),
	}
	for slot := range uint32(digitMask + 1) {
		position := level<<digitBits | slot
		if p.occupied[level]>>slot&1 == 0 {
			continue
		}
		start := p.startOf(position)
		var entries []structures.Entry
		for n := p.heads[position]; n != 0; n = p.nodes[n].behind {
			index := p.nodes[n].index
			r := t.records.At(index)
			if r.generation&1 == 1 {
				entries = append(entries, structures.Entry{ID: idOf(index, r.generation), Deadline: r.deadline, Filed: max(start, p.front.limit)})
			} else {
				entries = append(entries, structures.Entry{Deadline: start, Filed: start})
			}
		}
		part.Cells = append(part.Cells, structures.Cell{Index: int(slot), From: start, To: start | (1<<shift - 1), Entries: entries})
	}
	return part
}
