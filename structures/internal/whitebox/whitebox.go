// Package whitebox helps the tests of the structures of this module. It checks properties that are not part of the
// contract, which schedtest cannot check.
package whitebox

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

// Checked is a structure, or a part of one, that can check itself.
type Checked interface{ CheckInvariants() error }

// FindsDamage checks that CheckInvariants accepts a sound structure and finds each kind of damage.
func FindsDamage[C Checked](r checking.T, makeSound func() C, damages map[string]func(C)) {
	r.Helper()
	for name, damage := range damages {
		c := makeSound()
		if err := c.CheckInvariants(); err != nil {
			r.Fatalf("%s: before: %v", name, err)
		}
		if damage(c); c.CheckInvariants() == nil {
			r.Errorf("%s: broken, and not found", name)
		}
	}
}

// Nine gives a structure nine timers, due at ticks 10 to 18, with values 0 to 8, and returns it.
func Nine[S structures.Scheduler[int]](s S) S {
	for i := range 9 {
		s.Schedule(structures.Tick(10+i), i)
	}
	return s
}

// FindsDamageToQueue is FindsDamage for the queue of a scheduler. The queue must also notice a timer that was not
// added to it, and refuse a slot that is not in use.
func FindsDamageToQueue[C any, Q slotted.Queue[C]](r checking.T, makeSound func() *slotted.Scheduler[int, C, Q], damages map[string]func(*C)) {
	r.Helper()
	take := func(s *slotted.Scheduler[int, C, Q]) (slot uint32) {
		table, _ := slotted.Parts(s)
		table.Reserve()
		slot, _ = table.Take(0)
		return slot
	}
	findsDamage(r, makeSound, map[string]func(*slotted.Scheduler[int, C, Q]){
		"a timer is missing": func(s *slotted.Scheduler[int, C, Q]) { take(s) },
		"a slot is not in use": func(s *slotted.Scheduler[int, C, Q]) {
			table, _ := slotted.Parts(s)
			slot, other := uint32(1), take(s)
			for slot == other || !table.InUse(slot) {
				slot++
			}
			table.Free(slot)
		},
	}, damages, func(s *slotted.Scheduler[int, C, Q]) *C { _, queue := slotted.Parts(s); return queue })
}

// FindsDamageToLists is FindsDamageToQueue for a queue of lists.
func FindsDamageToLists[Q fifo.Queue](r checking.T, makeSound func() *fifo.Scheduler[int], damages map[string]func(Q)) {
	r.Helper()
	findsDamage(r, makeSound, map[string]func(*fifo.Scheduler[int]){
		"a timer is missing": func(s *fifo.Scheduler[int]) {
			lists, _ := fifo.Parts(s)
			lists.At(lists.Take()).Start(0)
		},
		"a slot is not in use": func(s *fifo.Scheduler[int]) {
			lists, _ := fifo.Parts(s)
			lists.At(1).End()
			lists.Release(1, &lists.At(1).Record)
		},
	}, damages, func(s *fifo.Scheduler[int]) Q { _, queue := fifo.Parts(s); return queue.(Q) })
}

// findsDamage is FindsDamage with damages to a scheduler and to its queue.
func findsDamage[S Checked, Q any](r checking.T, makeSound func() S, all map[string]func(S), damages map[string]func(Q), queueOf func(S) Q) {
	r.Helper()
	for name, damage := range damages {
		all[name] = func(s S) { damage(queueOf(s)) }
	}
	FindsDamage(r, makeSound, all)
}
