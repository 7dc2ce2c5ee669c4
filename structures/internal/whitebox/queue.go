package whitebox

import (
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

// FindsDamageToQueue is FindsDamage for the queue in a scheduler. Besides the given
// kinds of damage, the queue must miss a timer that it has not been given, and must
// not accept a slot that is not in use.
func FindsDamageToQueue[C any, Q slotted.Queue[C]](r Reporter, makeSound func() *slotted.Scheduler[int, C, Q], damages map[string]func(*C)) {
	r.Helper()
	type scheduler = slotted.Scheduler[int, C, Q]
	all := map[string]func(*scheduler){
		"a timer is missing": func(s *scheduler) {
			table, _ := slotted.Parts(s)
			table.Put(0)
		},
		"a slot is not in use": func(s *scheduler) {
			table, _ := slotted.Parts(s)
			other, _ := table.Put(0)
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
