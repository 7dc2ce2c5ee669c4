package conform

import (
	"math/rand/v2"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// named is a case for a fault that timer libraries have had.
type named struct {
	name string
	ops  []op
	last bool // after the first generated programs, which are shrunk faster

	// slow says that a program may take too long for it, which is a note and no failure: the case jumps over more
	// ticks than a loop over all of them can visit.
	slow bool
}

// levels are the bits of a tick at which wheels have the boundaries of their levels: slots of 64, 256, 512, 1024 and
// 4096, and the levels above them.
var levels = []int{5, 6, 8, 9, 10, 12, 14, 16, 18, 20}

// many is more than some libraries accept between two ticks.
const many = 120_000

// namedCases returns the named cases for a program that supports the given number of timers; 0 means any number.
func namedCases(limit int) []named {
	var list []named
	add := func(name string, ops ...[]op) { list = append(list, named{name: name, ops: slices.Concat(ops...)}) }
	s := func(slot uint32, at tick) op { return newOp(schedule, slot, at) }
	r := func(slot uint32, at tick) op { return newOp(reschedule, slot, at) }
	c := func(slot uint32) op { return newOp(cancel, slot, 0) }
	p := func(at ...tick) (out []op) {
		for _, t := range at {
			out = append(out, newOp(pop, 0, t))
		}
		return out
	}
	on := func(ops ...op) []op { return ops }

	add("one timer", on(s(0, 3)), p(1, 2, 3, 4))
	add("nothing pending", p(1, 2, 1000), on(s(0, 1001)), p(1001, 5000))
	add("equal deadlines", on(s(0, 5), s(1, 5), s(2, 5), s(3, 6), s(4, 5), c(1), r(2, 6)), p(4, 5, 6))
	add("a Pop fires several ticks at once", on(s(0, 9), s(1, 3), s(2, 6), s(3, 3), s(4, 12)), p(10, 12))
	add("a slot is reused after its timer fired", on(s(0, 2)), p(2), on(s(0, 5)), p(3, 4, 5))
	add("a slot is reused after a cancel", on(s(0, 9), c(0), s(0, 4)), p(4, 9), on(s(0, 12), c(0), s(0, 20)), p(12, 20))
	add("cancel just before the deadline", on(s(0, 7), s(1, 7), s(2, 7)), p(6), on(c(1)), p(7, 8))
	add("cancel all timers of a tick", on(s(0, 40), s(1, 40), c(0), c(1)), p(40), on(s(0, 41)), p(41))
	add("move earlier", on(s(0, 50), s(1, 60), r(1, 5), r(0, 4)), p(4, 5, 50, 60))
	add("move later", on(s(0, 5), s(1, 5), r(0, 9), r(0, 70)), p(5, 9, 69, 70))
	add("move to the same tick", on(s(0, 5), r(0, 5), r(0, 5)), p(5, 6))
	add("a near timer after a far one", on(s(0, 1<<20)), p(1, 2), on(s(1, 4)), p(3, 4), on(s(2, 5000)), p(5000), on(s(3, 5001)), p(5001, 1<<20))
	add("a next deadline that hides an earlier one", on(s(0, 1000), s(1, 500)), p(1), on(r(0, 10)), p(10), on(s(0, 900), c(1), s(1, 20)), p(20), on(c(0), s(0, 30)), p(30, 1000))
	add("cancel inside a tick", on(s(0, 5), s(1, 5), s(2, 6), s(3, 6)), p(5), on(c(2), s(0, 6), s(1, 7)), p(5), on(c(0), r(1, 6)), p(6), on(s(0, 7), c(0)), p(6, 7))
	add("a far timer among near ones", on(s(0, 1<<35), s(1, 2), s(2, 1<<31)), p(1, 2), on(s(3, 70)), p(70), on(c(0), c(2)), p(71))
	for _, far := range []struct {
		name string
		by   func(bit int) []op
	}{
		{"deadlines at the boundary of a level", func(bit int) []op {
			b := tick(1) << bit
			return append(on(s(0, b-1), s(1, b), s(2, b+1), s(3, 2*b-1), s(4, 2*b)), p(b-2, b-1, b, b+1, 2*b-1, 2*b)...)
		}},
		{"a clock at the boundary of a level", func(bit int) []op {
			b := tick(1) << bit
			return slices.Concat(p(b-1), on(s(0, b), s(1, b+1), s(2, 2*b-1), s(3, 2*b)), p(b, b+1, 2*b-1), on(s(4, 3*b-1)), p(2*b, 3*b-1))
		}},
		{"a jump over a whole wheel", func(bit int) []op {
			b := tick(1) << bit
			return slices.Concat(p(3), on(s(0, b/2), s(1, b), s(2, b+2), s(3, 2*b+3), s(4, 5)), p(b+1, b+2), on(s(5, b+3)), p(b+3, 4*b))
		}},
		{"moves by a revolution", func(bit int) []op {
			b := tick(1) << bit
			return slices.Concat(on(s(0, 10), s(1, 12), s(2, b+10)), p(4), on(r(0, b+10), r(1, b+5), r(2, 10)), p(5, 10, 12, b+4, b+5, b+10, 2*b+10))
		}},
		{"cancels after a cascade", func(bit int) []op {
			b := tick(1) << bit
			return slices.Concat(on(s(0, b+3), s(1, b+3), s(2, b+3), s(3, b+4)), p(b), on(c(1)), p(b+2), on(c(2), r(3, b+3)), p(b+3, b+4))
		}},
	} {
		for _, bit := range levels {
			add(far.name, far.by(bit))
		}
	}
	n := uint32(many)
	if limit > 0 {
		n = uint32(min(many, limit))
	}
	var crowd []op
	for slot := range n {
		crowd = append(crowd, s(slot, 2+tick(n-slot)%7))
	}
	list = append(list, named{name: "many timers between two ticks", last: true, ops: append(crowd, p(1, 2, 3, 4, 5, 6, 7, 8)...)})
	var far []op
	for _, bit := range []int{24, 30, 32, 36, 40} {
		b := tick(1) << bit
		far = slices.Concat(far, on(s(0, b-2)), p(b-2), on(s(1, b), s(2, b+1)), p(b-1, b, b+1))
	}
	return append(list, named{name: "deadlines at far powers of two", last: true, slow: true, ops: far})
}

// perBatch is the number of generated programs that one instance replays (chosen).
const perBatch = 100

// dialect is what generated programs do. The protocol has no deadlines in the past and no IDs that name nothing.
var dialect = model.Dialect{
	Ops: []byte{
		model.DoSchedule, model.DoSchedule, model.DoSchedule, model.DoSchedule, model.DoSchedule, model.DoSchedule,
		model.DoCancel, model.DoCancel, model.DoReschedule, model.DoReschedule, model.DoReschedule,
		model.DoStep, model.DoToNext, model.DoBeforeNext, model.DoJump,
	},
	Kinds: []byte{model.AtNear, model.AtMiddle, model.AtMiddle, model.AtMiddle, model.AtFar, model.AtBoundary, model.AtOther},
}

// batch returns generated programs of operations, one after the other on one clock. Each is on delays of one magnitude,
// and begins and ends without pending timers.
func batch(seed uint64) []op {
	r, w := rand.New(rand.NewPCG(seed, 0)), &recorder{ids: make(map[uint32]structures.ID)}
	for range perBatch {
		p := model.Player{World: w, Dialect: dialect, Program: model.Random(r.Uint64(), 2+r.IntN(240))}
		if p.Far = byte(1 + r.IntN(14)); r.IntN(10) == 0 {
			p.Far = byte(15 + r.IntN(6))
		}
		for p.Jump = p.Far; len(p.Program) > 0; {
			p.Step()
		}
		last := w.m.Clock + 1
		for _, e := range w.m.Pending {
			last = max(last, e.Deadline)
		}
		p.PopAll(last)
	}
	return w.ops
}

// recorder is a model.World that records what it executes, as far as the protocol allows it.
type recorder struct {
	m   model.Model[uint64]
	ids map[uint32]structures.ID // by slot
	ops []op
}

// Model returns the model.
func (r *recorder) Model() *model.Model[uint64] { return &r.m }

// Do executes an operation.
func (r *recorder) Do(o op) (at tick, ok bool) {
	last := len(r.ops)
	switch o.Kind {
	case model.Next:
		return r.m.Next()
	case schedule:
		o.At, ok = max(o.At, r.m.Clock+1), true
		r.ids[o.Slot] = r.m.Schedule(o.At, uint64(o.Slot))
	case reschedule:
		o.At = max(o.At, r.m.Clock+1)
		ok = r.m.Reschedule(r.ids[o.Slot], o.At)
	case cancel:
		ok = r.m.Cancel(r.ids[o.Slot])
	case pop:
		o.At = max(o.At, r.m.Clock, 1)
		_, ok = r.m.Pop(o.At)
		if last > 0 && r.ops[last-1] == o { // a Pop fires all timers of its tick
			return 0, ok
		}
	}
	if ok || o.Kind == pop {
		r.ops = append(r.ops, o)
	}
	return 0, ok
}
