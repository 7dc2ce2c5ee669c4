package ladder

import "github.com/timerbench/timerbench/structures/shape"

// Snapshot returns the front, and the levels of lists that hold a record. A free record shows
// as a stale entry. It costs O(n + slots), and is not for hot paths.
func (l *Ladder[T]) Snapshot() shape.Snapshot {
	return shape.Snapshot{Parts: l.queue.Parts(&l.records)}
}
