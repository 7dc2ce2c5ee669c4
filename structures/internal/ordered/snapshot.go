package ordered

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Shown is a container that shows its shape. Part makes entries by calling entry with
// each key. It must not change the container.
type Shown interface {
	Part(entry func(*Key) shape.Entry) shape.Part
}

// Parts returns the shape of the container or, if that does not show it, the keys in
// order.
func (q *Queue) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	of := func(k *Key) shape.Entry { return show(k.Slot, k.Deadline) }
	if c, ok := q.in.(Shown); ok {
		return []shape.Part{c.Part(of)}
	}
	var keys []shape.Entry
	q.in.Ascend(func(k *Key) bool {
		keys = append(keys, of(k))
		return true
	})
	return []shape.Part{snapshot.List("the keys, in order (the container does not show its nodes)", keys)}
}
