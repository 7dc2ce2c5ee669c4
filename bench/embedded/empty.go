// Code generated from hwheel.go by go generate. DO NOT EDIT.

package embedded

import (
	"github.com/timerbench/timerbench/bench/embedded/empty"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// emptyForm has the timed loop of empty.
type emptyForm struct {
	records[empty.Timer[uint64]]
	*empty.Wheel[uint64]
}

func newEmpty() *emptyForm {
	f := &emptyForm{Wheel: empty.New[uint64]()}
	f.value = func(t *empty.Timer[uint64], key uint32) { t.Value = uint64(key) }
	return f
}

// Do has few variables, because Go keeps none in a register during a call.
func (f *emptyForm) Do(batches []script.Batch, ops []script.Op) (a replay.Answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.Scheduled += uint64(end - i)
			for ; i < end; i++ {
				f.Schedule(f.at(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.Cancelled += uint64(end - i)
			for ; i < end; i++ {
				if !f.Cancel(f.at(ops[i].Key)) {
					a.Cancelled--
					a.Refused++
				}
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				if !f.Reschedule(f.at(ops[i].Key), ops[i].At) {
					a.Refused++
				}
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := f.Wheel.Pop(ops[i].At); t != nil; t = f.Wheel.Pop(ops[i].At) {
					a.Fired++
					a.Keys += script.Checksum(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && f.Reschedule(&f.idle, at) || at == 0 && f.Cancel(&f.idle) {
					a.Granted++
				}
			}
		}
	}
	return a
}

func (f *emptyForm) Refuses(key uint32) bool {
	return !f.Cancel(f.at(key)) && !f.Reschedule(f.at(key), 1<<40)
}

// Pop fires one timer, which has no ID.
func (f *emptyForm) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	t := f.Wheel.Pop(now)
	if t == nil {
		return fired, false
	}
	return structures.Timer[uint64]{Deadline: t.Deadline(), Value: t.Value}, true
}
