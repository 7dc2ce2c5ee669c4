package ladder

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the front, and the levels of lists that hold a record, for snapshots. A free
// record shows as a stale entry.
func (q *Queue[T]) Parts(rs *records.Set[T]) []shape.Part {
	parts := []shape.Part{snapshot.List("front", q.frontEntries(rs))}
	for level := range uint32(Levels) {
		if q.occupied[level] != 0 {
			parts = append(parts, q.levelPart(rs, level))
		}
	}
	return parts
}

// frontEntries returns the entries of the front, the earliest timer first. Stale ones have no ID.
func (q *Queue[T]) frontEntries(rs *records.Set[T]) []shape.Entry {
	var out []shape.Entry
	seen := make(map[uint32]bool)
	for _, e := range slices.Backward(q.front.entries) {
		shown := shape.Entry{Deadline: e.deadline, Filed: e.deadline}
		if r := rs.At(e.index); current(e, r) && !r.Where.InList() && !seen[e.index] {
			shown.ID = records.IDOf(e.index, e.generation)
			seen[e.index] = true
		}
		out = append(out, shown)
	}
	return out
}

func (q *Queue[T]) levelPart(rs *records.Set[T], level uint32) shape.Part {
	width := structures.Tick(1) << (level * digitBits)
	part := shape.Part{
		Name: fmt.Sprintf("lists %d", level), Kind: shape.Slots, Size: digitMask + 1,
		Width: width, Now: int(rs.Clock / width & digitMask),
	}
	for slot := range digitMask + 1 {
		if q.occupied[level]>>slot&1 == 0 {
			continue
		}
		at := position(level<<digitBits) | position(slot)
		first, last := q.startOf(at), at.last(q.startOf(at))
		part.Cells = append(part.Cells, shape.Cell{
			Index: slot, From: first, To: last, Entries: q.listEntries(rs, at, first),
		})
	}
	return part
}

// listEntries returns the entries of a slot that starts at start. A timer in front of the
// limit would be in the front, so it is filed for the limit at the earliest.
func (q *Queue[T]) listEntries(
	rs *records.Set[T], at position, start structures.Tick,
) []shape.Entry {
	var out []shape.Entry
	for n := q.nodes.heads[at]; n != 0; n = q.nodes.all[n].behind {
		index := q.nodes.all[n].index
		shown := shape.Entry{Deadline: start, Filed: start}
		if r := rs.At(index); r.Pending() {
			shown.ID = records.IDOf(index, r.Generation)
			shown.Deadline, shown.Filed = r.Deadline, max(start, q.front.limit)
		}
		out = append(out, shown)
	}
	return out
}
