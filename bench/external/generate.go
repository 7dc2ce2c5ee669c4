package external

import (
	"math/rand/v2"

	"github.com/timerbench/timerbench/structures/schedtest/model"
)

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
	r, w := rand.New(rand.NewPCG(seed, 0)), &recorder{reference: newReference()}
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
	*reference
	ops []op
}

// Model returns the model.
func (r *recorder) Model() *model.Model[uint64] { return &r.m }

// Do executes an operation.
func (r *recorder) Do(o op) (at tick, ok bool) {
	switch o.Kind {
	case schedule, reschedule:
		o.At = max(o.At, r.m.Clock+1)
	case pop:
		o.At = max(o.At, r.m.Clock, 1)
	case model.Next:
		return r.m.Next()
	}
	if ok = r.valid(o); !ok {
		return 0, false
	}
	if last := len(r.ops) - 1; last < 0 || r.ops[last] != o { // a Pop fires all timers of its tick
		r.ops = append(r.ops, o)
	}
	if o.Kind != pop {
		r.do(o)
		return 0, true
	}
	t, ok := r.m.Pop(o.At)
	delete(r.ids, uint32(t.Value))
	return 0, ok
}
