package embedded

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
)

// hwheelForm has the timed loops of hwheel.
type hwheelForm struct {
	records[hwheel.Timer[uint64]]
	*hwheel.Wheel[uint64]
}

func newHwheel() *hwheelForm { return &hwheelForm{Wheel: hwheel.New[uint64]()} }

func (f *hwheelForm) ScheduleAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		t.Value = o.NextValue()
		f.Schedule(t, ops[i].At)
		o.Scheduled(idOf(t))
	}
}

func (f *hwheelForm) CancelAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		t := f.at(ops[i].Key)
		o.Cancelled(idOf(t), ops[i].Number, f.Cancel(t))
	}
}

func (f *hwheelForm) RescheduleAll(ops []script.Op) (refused uint64) {
	for i := range ops {
		if !f.Reschedule(f.at(ops[i].Key), ops[i].At) {
			refused++
		}
	}
	return refused
}

func (f *hwheelForm) PopAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		at := ops[i].At
		for t := f.Wheel.Pop(at); t != nil; t = f.Wheel.Pop(at) {
			o.Fired(at, t.Deadline(), t.Value, idOf(t))
		}
	}
}

func (f *hwheelForm) TryIdle(ops []script.Op) (granted uint64) {
	for i := range ops {
		if at := ops[i].At; at > 0 && f.Reschedule(&f.idle, at) || at == 0 && f.Cancel(&f.idle) {
			granted++
		}
	}
	return granted
}

func (f *hwheelForm) Refuses(key uint32) bool {
	return !f.Cancel(f.at(key)) && !f.Reschedule(f.at(key), 1<<40)
}

// Pop fires one timer, whose ID is its address.
func (f *hwheelForm) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	t := f.Wheel.Pop(now)
	if t == nil {
		return fired, false
	}
	return structures.Timer[uint64]{ID: idOf(t), Deadline: t.Deadline(), Value: t.Value}, true
}
