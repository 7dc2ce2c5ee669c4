package whitebox

import (
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

// FindsDamageToQueue is FindsDamage for the queue of a scheduler. The queue must also notice a timer that was not
// added to it, and refuse a slot that is not in use.
func FindsDamageToQueue[C any, Q slotted.Queue[C]](r checking.T, makeSound func() *slotted.Scheduler[int, C, Q], damages map[string]func(*C)) {
	r.Helper()
	type scheduler = slotted.Scheduler[int, C, Q]
	all := map[string]func(*scheduler){
		"a timer is missing": func(s *scheduler) {
			table, _ := slotted.Parts(s)
			table.Reserve()
			table.Take(0)
		},
		"a slot is not in use": func(s *scheduler) {
			table, _ := slotted.Parts(s)
			table.Reserve()
			other, _ := table.Take(0)
			slot := uint32(1)
			for slot == other || !table.InUse(slot) {
				slot++
			}
			table.Free(slot)
		},
	}
	for name, damage := range damages {
		all[name] = func(s *scheduler) {
			_, queue := slotted.Parts(s)
			damage(queue)
		}
	}
	FindsDamage(r, makeSound, all)
}

// FindsDamageToLists is FindsDamageToQueue for a queue of lists.
func FindsDamageToLists[Q fifo.Queue](r checking.T, makeSound func() *fifo.Scheduler[int], damages map[string]func(Q)) {
	r.Helper()
	all := map[string]func(*fifo.Scheduler[int]){
		"a timer is missing": func(s *fifo.Scheduler[int]) {
			lists, _ := fifo.Parts(s)
			lists.At(lists.Take()).Start(0)
		},
		"a slot is not in use": func(s *fifo.Scheduler[int]) {
			lists, _ := fifo.Parts(s)
			lists.At(1).End()
			lists.Release(1, &lists.At(1).Record)
		},
	}
	for name, damage := range damages {
		all[name] = func(s *fifo.Scheduler[int]) {
			_, queue := fifo.Parts(s)
			damage(queue.(Q))
		}
	}
	FindsDamage(r, makeSound, all)
}
