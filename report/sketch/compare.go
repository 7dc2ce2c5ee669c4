package sketch

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// marked is a part with a label for each entry of its cells.
type marked struct {
	labels  [][]Label
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
	stale := make(map[structures.Tick]int) // stale entries by deadline
	parts := make(map[string]shape.Part)
	if before != nil {
		for _, p := range before.Parts {
			parts[p.Name] = p
			each(p, func(_ int, e shape.Entry, at place) {
				if e.Stale() {
					stale[e.Filed]++
				} else {
					was[e.ID] = at
				}
			})
		}
	}
	var out []marked
	for _, p := range now.Parts {
		m := marked{labels: make([][]Label, len(p.Cells))}
		old, known := parts[p.Name]
		ids, oldIDs := idsOf(p), idsOf(old)
		// A moving clock changes a drawing of slots too.
		m.changed = !known || p.Now != old.Now || p.Size != old.Size || p.Width != old.Width || len(ids) != len(oldIDs)
		stay := inOrder(oldIDs, ids)
		each(p, func(cell int, e shape.Entry, at place) {
			mark := Same
			previous, known := was[e.ID]
			switch {
			case before == nil:
				if e.Stale() {
					mark = Stale
				}
			case e.Stale() && stale[e.Filed] > 0:
				stale[e.Filed]--
				mark = Stale
			case e.Stale():
				mark = Left
			case !known:
				mark = Added
			case previous != at || p.Kind == shape.List && !stay[e.ID]:
				mark = Moved
			}
			m.changed = m.changed || mark != Same && mark != Stale
			m.labels[cell] = append(m.labels[cell], Label{entryText(e, mark), mark})
		})
		out = append(out, m)
	}
	return out
}

func entryText(e shape.Entry, mark Mark) string {
	out := mark.Sign() + fmt.Sprint(e.Filed)
	if e.Moved() {
		out += "→" + fmt.Sprint(e.Deadline)
	}
	if mark == Stale {
		out += ")"
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

func idsOf(p shape.Part) []structures.ID {
	var out []structures.ID
	each(p, func(_ int, e shape.Entry, _ place) { out = append(out, e.ID) })
	return out
}

// inOrder returns the longest subsequence of IDs that both lists share. All other IDs have
// moved.
func inOrder(a, b []structures.ID) map[structures.ID]bool {
	longest := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range slices.Backward(longest) {
		longest[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0 && i < len(a); j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	out := make(map[structures.ID]bool)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out[a[i]] = true
			i++
			j++
		case longest[i+1][j] > longest[i][j+1]: // of two choices, the one that came forward has moved
			i++
		default:
			j++
		}
	}
	return out
}
