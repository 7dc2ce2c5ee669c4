package skiplisthuandu

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ordered"
)

// Part returns the list, each element with the number of its levels.
func (c *container) Part(entry func(*ordered.Key) structures.Entry) structures.Part {
	p := structures.Part{Name: "skip list", Shape: structures.List}
	for e := c.list.Front(); e != nil; e = e.Next() {
		p.Cells = append(p.Cells, structures.Cell{
			Index: len(p.Cells), Levels: e.Level(), Entries: []structures.Entry{entry(e.Key().(*ordered.Key))},
		})
	}
	return p
}
