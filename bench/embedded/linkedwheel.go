// Code generated from hwheel.go by go generate. DO NOT EDIT.

package embedded

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// linkedwheelForm has the timed loops of linkedwheel.
type linkedwheelForm struct {
	records[linkedwheel.Timer[uint64]]
	*linkedwheel.Wheel[uint64]
}

func newLinkedwheel() *linkedwheelForm { return &linkedwheelForm{Wheel: linkedwheel.New[uint64]()} }

func (f *linkedwheelForm) ScheduleAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		t.Value = o.NextValue()
		f.Schedule(t, ops[i].At)
		o.Scheduled(idOf(t))
	}
}

func (f *linkedwheelForm) CancelAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		o.Cancelled(idOf(t), ops[i].Number, f.Cancel(t))
	}
}

func (f *linkedwheelForm) RescheduleAll(ops []script.Op) (refused uint64) {
	for i := range ops {
		if !f.Reschedule(f.at(ops[i].Key), ops[i].At) {
			refused++
		}
	}
	return refused
}

func (f *linkedwheelForm) PopAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		at := ops[i].At
		for t := f.Wheel.Pop(at); t != nil; t = f.Wheel.Pop(at) {
			o.Fired(at, t.Deadline(), t.Value, idOf(t))
		}
	}
}

func (f *linkedwheelForm) TryIdle(ops []script.Op) (granted uint64) {
	for i := range ops {
		if at := ops[i].At; at > 0 && f.Reschedule(&f.idle, at) || at == 0 && f.Cancel(&f.idle) {
			granted++
		}
	}
	return granted
}

func (f *linkedwheelForm) Refuses(key uint32) bool {
	return !f.Cancel(f.at(key)) && !f.Reschedule(f.at(key), 1<<40)
}

// Pop fires one timer, whose ID is its address.
func (f *linkedwheelForm) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	t := f.Wheel.Pop(now)
	if t == nil {
		return fired, false
	}
	return structures.Timer[uint64]{ID: idOf(t), Deadline: t.Deadline(), Value: t.Value}, true
}
