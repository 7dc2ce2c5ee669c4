package sketch

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Frame is one operation with the snapshot of the structure after it.
type Frame struct {
	Title    string
	Detail   string // what was done, in words; empty: the title says it
	Snapshot shape.Snapshot
	Work     structures.Work
	Counted  bool // the structure counts its work
	Fired    []structures.Tick
}

// The population has near and far deadlines, two of them equal, seen from tick 100. The deadlines
// span three levels of the usual wheels and less than a revolution.
var deadlines = []structures.Tick{300, 103, 700, 110, 1500, 118, 70_000, 210, 103, 5000, 420, 180}

const start = 100

// Steps runs the operations on a new, empty structure in one sequence: each step begins with the
// state after the step before. It returns nil if the structure has no snapshot.
func Steps(s structures.Scheduler[uint64]) []Frame {
	shown, ok := s.(shape.Shown)
	if !ok || len(shown.Snapshot().Parts) == 0 {
		return nil
	}
	r := recorder{s: s, shown: shown}
	ids := make(map[structures.Tick]structures.ID)
	r.do("The population", fmt.Sprintf("%d timers, scheduled at tick %d. Then Next was called.", len(deadlines), start), func() {
		s.Pop(start)
		for i, at := range deadlines {
			ids[at] = s.Schedule(at, uint64(i))
		}
		s.Next()
	})
	r.do("Schedule a timer for tick 350", "", func() { s.Schedule(350, 0) })
	r.do("Cancel the timer of tick 210", "", func() { s.Cancel(ids[210]) })
	r.do("Reschedule a timer to later, from tick 118 to 900", "", func() { s.Reschedule(ids[118], 900) })
	r.do("Reschedule a timer to earlier, from tick 5000 to 130", "", func() { s.Reschedule(ids[5000], 130) })
	r.do("Pop at tick 103 until nothing is due", "", func() { r.pop(103) })
	advance := func(at structures.Tick) {
		r.do(fmt.Sprintf("Advance to tick %d and pop until nothing is due", at), "", func() { r.pop(at) })
	}
	if advance(512); len(r.fired) == 0 { // a coarse structure may fire everything later
		r.steps = r.steps[:len(r.steps)-1]
		at, _ := s.Next()
		advance(at)
	}
	return r.steps
}

type recorder struct {
	s     structures.Scheduler[uint64]
	shown shape.Shown
	steps []Frame
	fired []structures.Tick
}

func (r *recorder) do(title, detail string, operation func()) {
	before, counted := work(r.s)
	r.fired = nil
	operation()
	after, _ := work(r.s)
	r.steps = append(r.steps, Frame{
		Title: title, Detail: detail, Snapshot: r.shown.Snapshot(), Work: after.Sub(before), Counted: counted, Fired: r.fired,
	})
}

func (r *recorder) pop(now structures.Tick) {
	for t := range structures.Due(r.s, now) {
		r.fired = append(r.fired, t.Deadline)
	}
}

// work returns the work counters of a structure, or zero counters if it has none.
func work(s structures.Scheduler[uint64]) (w structures.Work, ok bool) {
	c, ok := s.(interface{ Work() structures.Work })
	if ok {
		w = c.Work()
	}
	return w, ok
}
