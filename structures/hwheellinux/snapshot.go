package hwheellinux

import (
	"fmt"

	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Snapshot returns level 0, the other levels that hold a timer, and the due list. The
// span of a list is the deadlines that it takes, the last of which is when it expires.
// It costs O(n + lists), and is not for hot paths.
func (w *Wheel[T]) Snapshot() shape.Snapshot {
	c := &w.core
	var parts []shape.Part
	for level := range levels {
		shift := stepBits * level
		p := shape.Part{
			Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: lists,
			Width: 1 << shift, Now: int(uint64(c.cursor) >> shift & (lists - 1)),
		}
		for i := range lists {
			list := level<<listBits | i
			if c.heads[list].Empty() {
				continue
			}
			to := expiryOf(list, c.cursor)
			from := (to-1)&^(p.Width-1) + 1
			p.Cells = append(p.Cells, shape.Cell{Index: i, From: from, To: to, Entries: c.nodes.Entries(c.heads[list], w.table.Entry)})
		}
		if level == 0 || len(p.Cells) > 0 {
			parts = append(parts, p)
		}
	}
	if !c.due.Empty() {
		parts = append(parts, snapshot.List("due", c.nodes.Entries(c.due, w.table.Entry)))
	}
	return shape.Snapshot{Parts: parts}
}
