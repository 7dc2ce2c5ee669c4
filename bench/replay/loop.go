package replay

import "github.com/timerbench/timerbench/bench/script"

//go:generate go test -run TestLoopsAreGenerated . -update

// floorLoop has the timed loop of no structure.
type floorLoop struct {
	Table[floorTimer, *floorTimer]
	s *floorInStructs
}

// Run has few variables, because Go keeps none in a register during a call.
func (l *floorLoop) Run(batches []script.Batch, ops []script.Op) (a Answers) {
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
