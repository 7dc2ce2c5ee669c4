package skiplisthuandu

import (
	"github.com/timerbench/timerbench/structures/internal/ordered"
	"github.com/timerbench/timerbench/structures/shape"
)

// Part returns the list, each element with the number of its levels.
func (c *container) Part(entry func(*ordered.Key) shape.Entry) shape.Part {
	p := shape.Part{Name: "skip list", Kind: shape.List}
	for e := c.list.Front(); e != nil; e = e.Next() {
		p.Cells = append(p.Cells, shape.Cell{
			Index: len(p.Cells), Levels: e.Level(), Entries: []shape.Entry{entry(e.Key().(*ordered.Key))},
		})
	}
	return p
}
