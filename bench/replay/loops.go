// Code generated from loop.go by go generate. DO NOT EDIT.

package replay

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
	"github.com/timerbench/timerbench/structures/intrusive/rbtree"
)

// heapLoop has the timed loop of heap.
type heapLoop struct {
	table[heap.Timer[uint64], *heap.Timer[uint64]]
	s *heap.Heap[uint64]
}

func newHeapLoop(s *heap.Heap[uint64]) *heapLoop {
	l := &heapLoop{s: s}
	l.structure, l.value = s, func(t *heap.Timer[uint64]) *uint64 { return &t.Value }
	return l
}

// run has few variables, because Go keeps none in a register during a call.
func (l *heapLoop) run(batches []script.Batch, ops []script.Op) (a answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.at(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.cancelled += uint64(end - i)
			for ; i < end; i++ {
				if !l.s.Cancel(l.at(ops[i].Key)) {
					a.cancelled--
					a.refused++
				}
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				if !l.s.Reschedule(l.at(ops[i].Key), ops[i].At) {
					a.refused++
				}
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.fired++
					a.keys += script.Checksum(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.idle, at) || at == 0 && l.s.Cancel(&l.idle) {
					a.granted++
				}
			}
		}
	}
	return a
}

// linkedwheelLoop has the timed loop of linkedwheel.
type linkedwheelLoop struct {
	table[linkedwheel.Timer[uint64], *linkedwheel.Timer[uint64]]
	s *linkedwheel.Wheel[uint64]
}

func newLinkedwheelLoop(s *linkedwheel.Wheel[uint64]) *linkedwheelLoop {
	l := &linkedwheelLoop{s: s}
	l.structure, l.value = s, func(t *linkedwheel.Timer[uint64]) *uint64 { return &t.Value }
	return l
}

// run has few variables, because Go keeps none in a register during a call.
func (l *linkedwheelLoop) run(batches []script.Batch, ops []script.Op) (a answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.at(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.cancelled += uint64(end - i)
			for ; i < end; i++ {
				if !l.s.Cancel(l.at(ops[i].Key)) {
					a.cancelled--
					a.refused++
				}
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				if !l.s.Reschedule(l.at(ops[i].Key), ops[i].At) {
					a.refused++
				}
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.fired++
					a.keys += script.Checksum(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.idle, at) || at == 0 && l.s.Cancel(&l.idle) {
					a.granted++
				}
			}
		}
	}
	return a
}

// rbtreeLoop has the timed loop of rbtree.
type rbtreeLoop struct {
	table[rbtree.Timer[uint64], *rbtree.Timer[uint64]]
	s *rbtree.Tree[uint64]
}

func newRbtreeLoop(s *rbtree.Tree[uint64]) *rbtreeLoop {
	l := &rbtreeLoop{s: s}
	l.structure, l.value = s, func(t *rbtree.Timer[uint64]) *uint64 { return &t.Value }
	return l
}

// run has few variables, because Go keeps none in a register during a call.
func (l *rbtreeLoop) run(batches []script.Batch, ops []script.Op) (a answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.at(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.cancelled += uint64(end - i)
			for ; i < end; i++ {
				if !l.s.Cancel(l.at(ops[i].Key)) {
					a.cancelled--
					a.refused++
				}
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				if !l.s.Reschedule(l.at(ops[i].Key), ops[i].At) {
					a.refused++
				}
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.fired++
					a.keys += script.Checksum(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.idle, at) || at == 0 && l.s.Cancel(&l.idle) {
					a.granted++
				}
			}
		}
	}
	return a
}

// emptyLoop has the timed loop of no structure.
type emptyLoop struct {
	table[emptyTimer, *emptyTimer]
	s *emptyWheel
}

func newEmptyLoop(s *emptyWheel) *emptyLoop {
	l := &emptyLoop{s: s}
	l.structure, l.value = s, func(t *emptyTimer) *uint64 { return &t.Value }
	return l
}

// run has few variables, because Go keeps none in a register during a call.
func (l *emptyLoop) run(batches []script.Batch, ops []script.Op) (a answers) {
	i := 0
	for b := range batches {
		end := i + batches[b].Len
		switch batches[b].Kind {
		case script.KindSchedule:
			a.scheduled += uint64(end - i)
			for ; i < end; i++ {
				l.s.Schedule(l.at(ops[i].Key), ops[i].At)
			}
		case script.KindCancel:
			a.cancelled += uint64(end - i)
			for ; i < end; i++ {
				if !l.s.Cancel(l.at(ops[i].Key)) {
					a.cancelled--
					a.refused++
				}
			}
		case script.KindReschedule:
			for ; i < end; i++ {
				if !l.s.Reschedule(l.at(ops[i].Key), ops[i].At) {
					a.refused++
				}
			}
		case script.KindFire, script.KindWake:
			for ; i < end; i++ {
				for t := l.s.Pop(ops[i].At); t != nil; t = l.s.Pop(ops[i].At) {
					a.fired++
					a.keys += script.Checksum(ops[i].At, t.Value)
				}
			}
		case script.KindRefused:
			for ; i < end; i++ {
				if at := ops[i].At; at > 0 && l.s.Reschedule(&l.idle, at) || at == 0 && l.s.Cancel(&l.idle) {
					a.granted++
				}
			}
		}
	}
	return a
}
