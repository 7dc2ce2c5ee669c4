// Code generated from hwheel.go by go generate. DO NOT EDIT.

package embedded

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// linkedwheelForm has the timed loop of linkedwheel.
type linkedwheelForm struct {
	records[linkedwheel.Timer[uint64]]
	*linkedwheel.Wheel[uint64]
}

func newLinkedwheel() *linkedwheelForm {
	f := &linkedwheelForm{Wheel: linkedwheel.New[uint64]()}
	f.value = func(t *linkedwheel.Timer[uint64], key uint32) { t.Value = uint64(key) }
	return f
}

func (f *linkedwheelForm) Do(batches []script.Batch, all []script.Op) (a replay.Answers) {
	for _, batch := range batches {
		ops := all[:batch.Len]
		all = all[batch.Len:]
		switch batch.Kind {
		case script.KindSchedule:
			for i := range ops {
				f.Schedule(f.at(ops[i].Key), ops[i].At)
			}
			a.Scheduled += uint64(len(ops))
		case script.KindCancel:
			for i := range ops {
				if f.Cancel(f.at(ops[i].Key)) {
					a.Cancelled++
				} else {
					a.Refused++
				}
			}
		case script.KindReschedule:
			for i := range ops {
				if !f.Reschedule(f.at(ops[i].Key), ops[i].At) {
					a.Refused++
				}
			}
		case script.KindFire, script.KindWake:
			for i := range ops {
				at := ops[i].At
				for t := f.Wheel.Pop(at); t != nil; t = f.Wheel.Pop(at) {
					a.Fired++
					a.Keys += script.Checksum(at, t.Value)
				}
			}
		case script.KindRefused:
			for i := range ops {
				if at := ops[i].At; at > 0 && f.Reschedule(&f.idle, at) || at == 0 && f.Cancel(&f.idle) {
					a.Granted++
				}
			}
		}
	}
	return a
}

func (f *linkedwheelForm) Refuses(key uint32) bool {
	return !f.Cancel(f.at(key)) && !f.Reschedule(f.at(key), 1<<40)
}

// Pop fires one timer, which has no ID.
func (f *linkedwheelForm) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	t := f.Wheel.Pop(now)
	if t == nil {
		return fired, false
	}
	return structures.Timer[uint64]{Deadline: t.Deadline(), Value: t.Value}, true
}
