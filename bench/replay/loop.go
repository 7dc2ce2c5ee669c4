package replay

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
)

//go:generate go test -run TestLoopsAreGenerated . -update

// hwheelLoop has the timed loop of hwheel.
type hwheelLoop struct {
	table[hwheel.Timer[uint64], *hwheel.Timer[uint64]]
	s *hwheel.Wheel[uint64]
}

func newHwheelLoop(s *hwheel.Wheel[uint64]) *hwheelLoop {
	l := &hwheelLoop{s: s}
	l.structure, l.value = s, func(t *hwheel.Timer[uint64]) *uint64 { return &t.Value }
	return l
}

// run has few variables, because Go keeps none in a register during a call.
func (l *hwheelLoop) run(batches []script.Batch, ops []script.Op) (a answers) {
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
