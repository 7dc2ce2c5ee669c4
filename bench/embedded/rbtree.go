// Code generated from hwheel.go by go generate. DO NOT EDIT.

package embedded

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/rbtree"
)

// rbtreeForm has the timed loops of rbtree.
type rbtreeForm struct {
	records[rbtree.Timer[uint64]]
	*rbtree.Tree[uint64]
}

func newRbtree() *rbtreeForm { return &rbtreeForm{Tree: rbtree.New[uint64]()} }

func (f *rbtreeForm) ScheduleAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		t.Value = o.NextValue()
		f.Schedule(t, ops[i].At)
		o.Scheduled(idOf(t))
	}
}

func (f *rbtreeForm) CancelAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		o.Cancelled(idOf(t), ops[i].Number, f.Cancel(t))
	}
}

func (f *rbtreeForm) RescheduleAll(ops []script.Op) (refused uint64) {
	for i := range ops {
		if !f.Reschedule(f.at(ops[i].Key), ops[i].At) {
			refused++
		}
	}
	return refused
}

func (f *rbtreeForm) PopAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		at := ops[i].At
		for t := f.Tree.Pop(at); t != nil; t = f.Tree.Pop(at) {
			o.Fired(at, t.Deadline(), t.Value, idOf(t))
		}
	}
}

func (f *rbtreeForm) TryIdle(ops []script.Op) (granted uint64) {
	for i := range ops {
		if at := ops[i].At; at > 0 && f.Reschedule(&f.idle, at) || at == 0 && f.Cancel(&f.idle) {
			granted++
		}
	}
	return granted
}

func (f *rbtreeForm) Refuses(key uint32) bool {
	return !f.Cancel(f.at(key)) && !f.Reschedule(f.at(key), 1<<40)
}

// Pop fires one timer, whose ID is its address.
func (f *rbtreeForm) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	t := f.Tree.Pop(now)
	if t == nil {
		return fired, false
	}
	return structures.Timer[uint64]{ID: idOf(t), Deadline: t.Deadline(), Value: t.Value}, true
}
