package skiplist

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Parts returns the list of level 0, each timer with the height of its tower.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []shape.Part {
	p := shape.Part{Name: "skip list", Kind: shape.List}
	for l := c.links[head]; l.next != head; l = c.links[l.next] {
		p.Cells = append(p.Cells, shape.Cell{
			Index: len(p.Cells), Levels: int(c.height(l.next)),
			Entries: []shape.Entry{show(c.owner[l.next], l.deadline)},
		})
	}
	return []shape.Part{p}
}
