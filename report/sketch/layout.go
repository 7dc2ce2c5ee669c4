package sketch

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// show adds a snapshot below and marks the changes since the previous snapshot. It only names unchanged
// parts. Without a previous snapshot it shows all parts and marks nothing.
func (s *Sketch) show(before *shape.Snapshot, now shape.Snapshot) {
	marks := compare(before, now)
	var unchanged []string
	for i, p := range now.Parts {
		if before != nil && !marks[i].changed {
			unchanged = append(unchanged, p.Name)
			continue
		}
		s.note(heading(p))
		switch {
		case len(p.Cells) == 0:
			s.note("  no timers")
		case p.Kind == shape.Slots:
			s.slots(p, marks[i].labels)
		case p.Kind == shape.Heap || p.Kind == shape.Tree:
			s.nodes(p, marks[i].labels)
		default:
			s.sequence(p, marks[i].labels)
		}
	}
	if len(unchanged) > 0 {
		s.note(strings.Join(unchanged, ", ") + ": as before")
	}
	if before != nil {
		for _, p := range before.Parts {
			if !slices.ContainsFunc(now.Parts, func(q shape.Part) bool { return q.Name == p.Name }) {
				s.note(p.Name + ": empty now")
			}
		}
	}
}

func heading(p shape.Part) string {
	if p.Kind != shape.Slots {
		return p.Name + ":"
	}
	out := fmt.Sprintf("%s: %s slots", p.Name, show.Grouped(p.Size))
	if p.Width > 0 {
		out += " of " + show.Count(int64(p.Width), "tick")
	}
	if p.Now >= 0 {
		out += fmt.Sprintf(", the clock is at slot %d", p.Now)
	}
	return out + ":"
}

const indent = 2

// slots lays out slots in a row, starting at the clock, with the number of empty slots between them.
func (s *Sketch) slots(p shape.Part, labels [][]string) {
	first := max(0, slices.IndexFunc(p.Cells, func(c shape.Cell) bool { return c.Index > p.Now }))
	x, y, last := indent, len(s.grid), p.Now
	for i := range p.Cells {
		at := (first + i) % len(p.Cells)
		c := p.Cells[at]
		title, foot := fmt.Sprintf(" %d ", c.Index), span(p, c)
		width := max(utf8.RuneCountInString(title), utf8.RuneCountInString(foot)) + 2
		for _, l := range labels[at] {
			width = max(width, utf8.RuneCountInString(l)+4)
		}
		gap := ""
		if p.Width > 0 {
			empty := c.Index - last - 1
			if empty < 0 {
				empty += p.Size
			}
			if empty > 0 && (i > 0 || p.Now >= 0) {
				gap = "·" + show.Grouped(empty) + "·"
			}
		}
		last = c.Index
		if x+utf8.RuneCountInString(gap)+width > Columns && x > indent {
			x, y = indent, len(s.grid)
		}
		s.write(x, y+1, gap)
		x += utf8.RuneCountInString(gap)
		s.frame(x, y, width, title, labels[at], foot)
		x += width
		if p.Width == 0 {
			x++
		}
	}
}

// span returns the ticks of a slot, unless its number and its timers show them.
func span(p shape.Part, c shape.Cell) string {
	switch {
	case c.From != c.To:
		return fmt.Sprintf("%d–%d", c.From, c.To)
	case p.Width > 0 && c.Entries[0].Filed > c.To:
		return fmt.Sprintf("next: %d", c.From)
	}
	return ""
}

// node is a text of a list or a tree, and where it stands.
type node struct {
	x, y int
	text string
}

func (n node) width() int { return utf8.RuneCountInString(n.text) }

// nodesOf returns a node for each cell of a part, without its place. r marks a red one.
func nodesOf(p shape.Part, labels [][]string) []node {
	out := make([]node, len(p.Cells))
	for i, c := range p.Cells {
		if out[i].text = strings.Join(labels[i], " "); c.Red {
			out[i].text += "r"
		}
	}
	return out
}

// sequence lays out a list in a row that goes on below. A skip list has a row for each level, the highest at the top, and lines
// along the levels.
func (s *Sketch) sequence(p shape.Part, labels [][]string) {
	levels, before, between := 1, 0, 0 // columns before a node, and rows before the list goes on
	if p.Cells[0].Levels > 0 {
		before, between = 2, 1
	}
	for _, c := range p.Cells {
		levels = max(levels, c.Levels)
	}
	x, top := indent, len(s.grid)
	ends := slices.Repeat([]int{indent}, levels)
	for i, n := range nodesOf(p, labels) {
		if x+before+n.width() > Columns && x > indent {
			x, top, ends = indent, top+levels+between, slices.Repeat([]int{indent}, levels)
		}
		for level := range max(1, p.Cells[i].Levels) {
			n.x, n.y = x+before, top+levels-1-level
			if before > 0 {
				s.along(ends[level], n.x-1, n.y)
			}
			s.write(n.x, n.y, n.text)
			ends[level] = n.x + n.width()
		}
		x += n.width() + 2
	}
}

// nodes lays out a tree with a row for each depth and a row for the lines between. A search tree
// reads from left to right. In any other tree a parent is above the middle of its children.
func (s *Sketch) nodes(p shape.Part, labels [][]string) {
	children := make([][]int, len(p.Cells))
	for i, c := range p.Cells {
		if c.Parent >= 0 {
			children[c.Parent] = append(children[c.Parent], i)
		}
	}
	all := nodesOf(p, labels)
	middle := func(i int) int { return all[i].x + all[i].width()/2 }
	x, top := indent, len(s.grid)
	var place func(i, depth int)
	place = func(i, depth int) {
		all[i].y = top + 2*depth
		set := func() {
			all[i].x = x
			x += all[i].width() + 1
		}
		from := x
		if p.Kind == shape.Tree && p.Arity == 2 {
			for _, child := range children[i] {
				if p.Cells[child].Child == 0 {
					place(child, depth+1)
				}
			}
			set()
			for _, child := range children[i] {
				if p.Cells[child].Child > 0 {
					place(child, depth+1)
				}
			}
			return
		}
		for _, child := range children[i] {
			place(child, depth+1)
		}
		if n := len(children[i]); n > 0 {
			all[i].x = max(from, (middle(children[i][0])+middle(children[i][n-1]))/2-all[i].width()/2)
			x = max(x, all[i].x+all[i].width()+1)
			return
		}
		set()
	}
	if place(0, 0); x-1 > Columns {
		s.outline(all, children, 0, 0)
		return
	}
	for i, n := range all {
		s.write(n.x, n.y, n.text)
		if parent := p.Cells[i].Parent; parent >= 0 {
			s.below(middle(parent), all[parent].y, middle(i), n.y)
		}
	}
}

// outline lays out the nodes below one of a tree that is too wide for nodes, with a row for each node, indented by its depth.
func (s *Sketch) outline(all []node, children [][]int, i, depth int) {
	s.write(indent+3*depth, len(s.grid), all[i].text)
	for _, child := range children[i] {
		s.outline(all, children, child, depth+1)
	}
}

// effect is the effect of an operation on an entry: what its text begins with.
type effect string

const (
	same  effect = ""  // none
	added effect = "+" // a new timer
	moved effect = ">" // it stands elsewhere in an array or a tree, or has another deadline
	gone  effect = "x" // its timer has left it: it is stale from now on
	stale effect = "(" // it was stale before
)

// marked is a part with a label for each entry of its cells.
type marked struct {
	labels  [][]string
	changed bool
}

// place is the position of an entry.
type place struct {
	part   string
	cell   int             // Slots and Heap: the index
	parent structures.ID   // Tree: the first timer of the parent
	child  int             // Tree, if binary: which child it is
	red    bool            // Tree
	at     structures.Tick // the deadline of the timer
}

// compare labels all entries of a snapshot.
func compare(before *shape.Snapshot, now shape.Snapshot) []marked {
	was := make(map[structures.ID]place)
	staleAt := make(map[structures.Tick]int) // stale entries by deadline
	parts := make(map[string]shape.Part)
	if before != nil {
		for _, p := range before.Parts {
			parts[p.Name] = p
			each(p, func(_ int, e shape.Entry, at place) {
				if e.Stale() {
					staleAt[e.Filed]++
				} else {
					was[e.ID] = at
				}
			})
		}
	}
	var out []marked
	for _, p := range now.Parts {
		m := marked{labels: make([][]string, len(p.Cells))}
		old, known := parts[p.Name]
		// A moving clock changes a drawing of slots too.
		m.changed = !known || p.Now != old.Now || p.Size != old.Size || p.Width != old.Width || entries(p) != entries(old)
		each(p, func(cell int, e shape.Entry, at place) {
			mark := same
			previous, known := was[e.ID]
			switch {
			case before == nil:
				if e.Stale() {
					mark = stale
				}
			case e.Stale() && staleAt[e.Filed] > 0:
				staleAt[e.Filed]--
				mark = stale
			case e.Stale():
				mark = gone
			case !known:
				mark = added
			case previous != at:
				mark = moved
			}
			m.changed = m.changed || mark != same && mark != stale
			label := string(mark) + fmt.Sprint(e.Filed)
			if e.Moved() {
				label += "→" + fmt.Sprint(e.Deadline)
			}
			if mark == stale {
				label += ")"
			}
			m.labels[cell] = append(m.labels[cell], label)
		})
		out = append(out, m)
	}
	return out
}

// each calls do with each entry of a part, the place of its cell in Cells, and its position.
func each(p shape.Part, do func(cell int, e shape.Entry, at place)) {
	for i, c := range p.Cells {
		at := place{part: p.Name}
		switch p.Kind {
		case shape.Slots, shape.Heap:
			at.cell = c.Index
		case shape.Tree:
			if c.Parent >= 0 {
				at.parent = p.Cells[c.Parent].Entries[0].ID
				if p.Arity == 2 {
					at.child = 1 + c.Child
				}
			}
			at.red = c.Red
		}
		for _, e := range c.Entries {
			at.at = e.Deadline
			do(i, e, at)
		}
	}
}

func entries(p shape.Part) (n int) {
	for _, c := range p.Cells {
		n += len(c.Entries)
	}
	return n
}
