// Code generated from loop.go of package replay by go generate. DO NOT EDIT.

package loops

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// heapLoop has the timed loop of heap.
type heapLoop struct {
	replay.Table[heap.Timer[uint64], *heap.Timer[uint64]]
	s *heap.Heap[uint64]
}

// Run has few variables, because Go keeps none in a register during a call.
func (l *heapLoop) Run(batches []script.Batch, ops []script.Op) (a replay.Answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.Scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.At(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.Cancelled += uint64(end - i)
			for ; i < end; i++ {
				a.Must(l.s.Cancel(l.At(ops[i].Key)))
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				a.Must(l.s.Reschedule(l.At(ops[i].Key), ops[i].At))
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.Fire(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.Idle, at) || at == 0 && l.s.Cancel(&l.Idle) {
					a.Granted++
				}
			}
		}
	}
	return a
}

// hwheelLoop has the timed loop of hwheel.
type hwheelLoop struct {
	replay.Table[hwheel.Timer[uint64], *hwheel.Timer[uint64]]
	s *hwheel.Wheel[uint64]
}

// Run has few variables, because Go keeps none in a register during a call.
func (l *hwheelLoop) Run(batches []script.Batch, ops []script.Op) (a replay.Answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.Scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.At(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.Cancelled += uint64(end - i)
			for ; i < end; i++ {
				a.Must(l.s.Cancel(l.At(ops[i].Key)))
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				a.Must(l.s.Reschedule(l.At(ops[i].Key), ops[i].At))
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.Fire(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.Idle, at) || at == 0 && l.s.Cancel(&l.Idle) {
					a.Granted++
				}
			}
		}
	}
	return a
}

// linkedwheelLoop has the timed loop of linkedwheel.
type linkedwheelLoop struct {
	replay.Table[linkedwheel.Timer[uint64], *linkedwheel.Timer[uint64]]
	s *linkedwheel.Wheel[uint64]
}

// Run has few variables, because Go keeps none in a register during a call.
func (l *linkedwheelLoop) Run(batches []script.Batch, ops []script.Op) (a replay.Answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.Scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.At(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.Cancelled += uint64(end - i)
			for ; i < end; i++ {
				a.Must(l.s.Cancel(l.At(ops[i].Key)))
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				a.Must(l.s.Reschedule(l.At(ops[i].Key), ops[i].At))
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.Fire(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.Idle, at) || at == 0 && l.s.Cancel(&l.Idle) {
					a.Granted++
				}
			}
		}
	}
	return a
}
