package list

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Snapshot returns the list, in the order of the array. It costs O(n), and is not for
// hot paths.
func (l *List[T]) Snapshot() structures.Snapshot {
	var entries []structures.Entry
	for i, slot := range l.core.slots {
		entries = append(entries, l.table.Entry(slot, l.core.deadlines[i]))
	}
	return structures.Snapshot{Parts: []structures.Part{snapshot.List("list, unsorted", entries)}}
}
