package skiplist

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
)

// Parts returns the list of level 0, each timer with the height of its tower.
func (c *core) Parts(_ structures.Tick, show snapshot.Show) []structures.Part {
	p := structures.Part{Name: "skip list", Shape: structures.List}
	for l := c.links[head]; l.next != head; l = c.links[l.next] {
		p.Cells = append(p.Cells, structures.Cell{
			Index: len(p.Cells), Levels: int(c.height(l.next)),
			Entries: []structures.Entry{show(c.owner[l.next], l.deadline)},
		})
	}
	return []structures.Part{p}
}
