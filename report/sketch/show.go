package sketch

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Legend explains the marks of a sketch.
const Legend = `A number is a deadline.  +new  >moved  xleft: its timer was cancelled or moved
(stale since before)  110→900: filed under tick 110, the timer moved to 900
since.  r: red node.  ·5·: five empty slots.`

// Drawing draws all steps, one below the other, within that many columns.
func Drawing(steps []Frame, columns int) Sketch {
	all := Sketch{Columns: columns}
	var before *shape.Snapshot
	for i, step := range steps {
		if i > 0 {
			all.Rows++
		}
		all.Note(Heading, fmt.Sprintf("%d. %s", i, step.Title))
		if step.Detail != "" {
			all.Note(Plain, "   "+step.Detail)
		}
		if len(step.Fired) > 0 {
			fired := strings.ReplaceAll(strings.Trim(fmt.Sprint(step.Fired), "[]"), " ", ", ")
			all.Note(Plain, "   fired: "+fired)
		}
		all.Note(Plain, "   work: "+describe(step.Work))
		all.Add(Of(before, step.Snapshot, columns))
		before = &step.Snapshot
	}
	return all
}

// describe says in words what work a step took.
func describe(work structures.Work) string {
	var out []string
	for _, w := range []struct {
		n         uint64
		one, many string
	}{
		{work.Comparisons, "comparison", "comparisons"},
		{work.SlotsVisited, "slot visited", "slots visited"},
		{work.EmptySlots, "of them empty", "of them empty"},
		{work.Moved, "timer moved or passed", "timers moved or passed"},
		{work.Dropped, "stale entry dropped", "stale entries dropped"},
	} {
		switch w.n {
		case 0:
		case 1:
			out = append(out, "1 "+w.one)
		default:
			out = append(out, fmt.Sprint(w.n)+" "+w.many)
		}
	}
	return cmp.Or(strings.Join(out, ", "), "none that is counted")
}
