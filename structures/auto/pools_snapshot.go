package auto

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// poolParts returns the front, the earliest timer first, and the pools that list a record.
// Stale ones are shown.
func (t *Timers[T]) poolParts() []structures.Part {
	p := &t.pools
	var front []structures.Entry
	seen := make(map[uint32]bool)
	for _, e := range slices.Backward(p.front) {
		shown := structures.Entry{Deadline: e.deadline, Filed: e.deadline}
		if r := t.records.At(e.index); p.stands(&t.records, e) && r.where&homeMask == 0 && !seen[e.index] {
			shown.ID = idOf(e.index, e.generation)
			seen[e.index] = true
		}
		front = append(front, shown)
	}
	parts := []structures.Part{snapshot.List("front", front)}
	for pool := uint32(1); pool <= lastPool; pool++ {
		var entries []structures.Entry
		for _, index := range p.lists[pool] {
			r := t.records.At(index)
			shown := structures.Entry{Deadline: r.deadline, Filed: r.deadline}
			if r.isIn(pool) {
				shown.ID = idOf(index, r.generation)
			}
			entries = append(entries, shown)
		}
		if len(entries) > 0 {
			parts = append(parts, snapshot.List(fmt.Sprintf("pool %d", pool), entries))
		}
	}
	return parts
}
