package replay

import (
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// Floors returns the entries of the floors: of the structures by ID, and of those whose timers are fields of the caller's
// structs. A floor costs only what the harness costs: reading the script, the table of timers, calls and checksums. It
// stores no timers and fires those that the block names. So it knows no stale IDs, and its answers cannot be checked one by
// one.
func Floors() (byID, inStructs entry.Entry) {
	return entry.Entry{Name: results.Floor, New: func() structures.Scheduler[uint64] { return &floorByID{} }},
		entry.Entry{Name: results.IntrusiveFloor, NewIntrusive: func() any {
			w := &floorInStructs{}
			l := &floorLoop{TableOf(w, func(t *floorTimer) *uint64 { return &t.Value }), w}
			w.idle = &l.Idle
			return l
		}}
}

// floor is the timers that a floor is told of.
type floor struct {
	fires []script.Fire
	next  int
	len   int
}

// Expect takes the timers that fire in the next block.
func (t *floor) Expect(fires []script.Fire) { t.fires, t.next = fires, 0 }

// Next returns the tick of the next timer.
func (t *floor) Next() (structures.Tick, bool) {
	if t.next == len(t.fires) {
		return 0, false
	}
	return t.fires[t.next].At, true
}

// Len returns the number of pending timers.
func (t *floor) Len() int { return t.len }

// pop returns the next timer if it is due; nil: none is.
func (t *floor) pop(now structures.Tick) *script.Fire {
	if t.next == len(t.fires) || t.fires[t.next].At > now {
		return nil
	}
	t.next++
	t.len--
	return &t.fires[t.next-1]
}

// floorByID is the floor of structures by ID.
type floorByID struct {
	floor
	issued    structures.ID
	cancelled structures.ID // the last cancelled ID, which the replayer uses as a stale one
}

func (s *floorByID) Schedule(structures.Tick, uint64) structures.ID {
	s.len++
	s.issued++
	return s.issued
}

func (s *floorByID) Reschedule(id structures.ID, _ structures.Tick) bool { return id != s.cancelled }

func (s *floorByID) Cancel(id structures.ID) bool {
	if id == s.cancelled {
		return false
	}
	s.len--
	s.cancelled = id
	return true
}

func (s *floorByID) Pop(now structures.Tick) (t structures.Timer[uint64], ok bool) {
	f := s.pop(now)
	if f == nil {
		return t, false
	}
	t.Deadline, t.Value = f.At, f.Value
	t.ID = structures.ID(t.Value + 1) // the ID from Schedule: values start at 0
	return t, true
}

// floorInStructs is the floor of structures whose timers are fields.
type floorInStructs struct {
	floor
	idle  *floorTimer // the only timer that is not pending
	fired floorTimer
}

type floorTimer struct{ Value uint64 }

// Deadline returns 0, as a timer does not know when it fired.
func (t *floorTimer) Deadline() structures.Tick { return 0 }

func (w *floorInStructs) Schedule(*floorTimer, structures.Tick) { w.len++ }

func (w *floorInStructs) Reschedule(t *floorTimer, _ structures.Tick) bool { return t != w.idle }

func (w *floorInStructs) Cancel(t *floorTimer) bool {
	if t == w.idle {
		return false
	}
	w.len--
	return true
}

func (w *floorInStructs) Pop(now structures.Tick) *floorTimer {
	f := w.pop(now)
	if f == nil {
		return nil
	}
	w.fired.Value = uint64(f.Key)
	return &w.fired
}
