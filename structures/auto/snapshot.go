package auto

import "github.com/timerbench/timerbench/structures/shape"

// Snapshot returns what a snapshot of package ladder shows, as long as there are timers in
// lists, and what one of package hwheel shows from then on that there are some in the wheel.
// It costs O(n + slots), and is not for hot paths.
func (t *Timers[T]) Snapshot() shape.Snapshot {
	if t.wheel == nil || t.wheel.Len() == 0 {
		return shape.Snapshot{Parts: t.lists.Parts(&t.records)}
	}
	parts := t.wheel.Parts(&t.records)
	if t.lists.Len() > 0 {
		parts = append(t.lists.Parts(&t.records), parts...)
	}
	return shape.Snapshot{Parts: parts}
}
