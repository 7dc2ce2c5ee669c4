package list

import (
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns the list, in the order of the array. It costs O(n), and is not for
// hot paths.
func (l *List[T]) Snapshot() shape.Snapshot {
	var entries []shape.Entry
	for i, slot := range l.core.slots {
		entries = append(entries, l.table.Entry(slot, l.core.deadlines[i]))
	}
	return shape.Snapshot{Parts: []shape.Part{snapshot.List("list, unsorted", entries)}}
}
