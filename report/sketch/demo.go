package sketch

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Frame is one operation with the snapshot of the structure after it.
type Frame struct {
	Title    string
	Detail   string // what was done, in words; empty: the title says it
	Snapshot shape.Snapshot
	Work     structures.Work
	Fired    []structures.Tick
}

// The population has near and far deadlines, two of them equal, seen from tick 100. The deadlines
// span three levels of the usual wheels and less than a revolution.
var deadlines = []structures.Tick{300, 103, 700, 110, 1500, 118, 70_000, 210, 103, 5000, 420, 180}

const start = 100

// shown is a structure that has snapshots and counts its work.
type shown interface {
	structures.Scheduler[uint64]
	shape.Shown
	Work() structures.Work
}

// Steps runs the operations on a new, empty structure in one sequence: each step begins with the
// state after the step before. It returns nil if the structure has no snapshot.
func Steps(scheduler structures.Scheduler[uint64]) []Frame {
	s, ok := scheduler.(shown)
	if !ok || len(s.Snapshot().Parts) == 0 {
		return nil
	}
	var steps []Frame
	do := func(title, detail string, operation func(*Frame)) {
		before, f := s.Work(), Frame{Title: title, Detail: detail}
		operation(&f)
		f.Snapshot, f.Work = s.Snapshot(), s.Work().Sub(before)
		steps = append(steps, f)
	}
	pop := func(now structures.Tick) func(*Frame) {
		return func(f *Frame) {
			for t := range structures.Due(s, now) {
				f.Fired = append(f.Fired, t.Deadline)
			}
		}
	}
	ids := make(map[structures.Tick]structures.ID)
	do("The population", fmt.Sprintf("%d timers, scheduled at tick %d. Then Next was called.", len(deadlines), start), func(*Frame) {
		s.Pop(start)
		for i, at := range deadlines {
			ids[at] = s.Schedule(at, uint64(i))
		}
		s.Next()
	})
	do("Schedule a timer for tick 350", "", func(*Frame) { s.Schedule(350, 0) })
	do("Cancel the timer of tick 210", "", func(*Frame) { s.Cancel(ids[210]) })
	do("Reschedule a timer to later, from tick 118 to 900", "", func(*Frame) { s.Reschedule(ids[118], 900) })
	do("Reschedule a timer to earlier, from tick 5000 to 130", "", func(*Frame) { s.Reschedule(ids[5000], 130) })
	do("Pop at tick 103 until nothing is due", "", pop(103))
	advance := func(at structures.Tick) {
		do(fmt.Sprintf("Advance to tick %d and pop until nothing is due", at), "", pop(at))
	}
	if advance(512); steps[len(steps)-1].Fired == nil { // a coarse structure may fire everything later
		steps = steps[:len(steps)-1]
		at, _ := s.Next()
		advance(at)
	}
	return steps
}

// Legend explains the marks of a sketch.
const Legend = `A number is a deadline.  +new  >moved  xleft: its timer was cancelled or moved
(stale since before)  110→900: filed under tick 110, the timer moved to 900
since.  r: red node.  ·5·: five empty slots.`

// Drawing draws all steps, one below the other.
func Drawing(steps []Frame) Sketch {
	var all Sketch
	var before *shape.Snapshot
	for i, step := range steps {
		if i > 0 {
			all.write(0, len(all.grid), "")
		}
		all.note(fmt.Sprintf("%d. %s", i, step.Title))
		if step.Detail != "" {
			all.note("   " + step.Detail)
		}
		if len(step.Fired) > 0 {
			fired := strings.ReplaceAll(strings.Trim(fmt.Sprint(step.Fired), "[]"), " ", ", ")
			all.note("   fired: " + fired)
		}
		all.note("   work: " + describe(step.Work))
		all.show(before, step.Snapshot)
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
