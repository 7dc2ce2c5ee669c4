package hwheel

import "github.com/timerbench/timerbench/structures/shape"

// Snapshot returns level 0, the other levels that hold a timer, the timers that were moved and
// have no new slot yet, and the arrival buffer. The place that a timer has left shows as a
// stale entry, filed for the first tick of its slot. It costs O(n + slots), and is not for hot
// paths.
func (w *Wheel[T]) Snapshot() shape.Snapshot {
	return shape.Snapshot{Parts: w.wheel.Parts(&w.records)}
}
