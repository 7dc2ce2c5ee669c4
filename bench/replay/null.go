package replay

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Null returns the floor, a scheduler that costs only what the harness costs: reading the script, the array of
// IDs, calls through the interface, and the checksum.
func Null() structures.Scheduler[uint64] { return &null{} }

// null stores no timers. It answers Pop from the block's list of timers that fire.
type null struct {
	fires     []script.Fire
	len       int
	issued    structures.ID
	cancelled structures.ID // the last cancelled ID, which the replayer uses as a stale one
}

// Expect takes the timers that fire in the next block.
func (s *null) Expect(fires []script.Fire) { s.fires = fires }

func (s *null) Schedule(structures.Tick, uint64) structures.ID {
	s.len++
	s.issued++
	return s.issued
}

func (s *null) Reschedule(id structures.ID, _ structures.Tick) bool { return id != s.cancelled }

func (s *null) Cancel(id structures.ID) bool {
	if id == s.cancelled {
		return false
	}
	s.len--
	s.cancelled = id
	return true
}

func (s *null) Pop(now structures.Tick) (t structures.Timer[uint64], ok bool) {
	if len(s.fires) == 0 || s.fires[0].At > now {
		return t, false
	}
	t.Deadline, t.Value = s.fires[0].At, s.fires[0].Value
	t.ID = structures.ID(t.Value + 1) // the ID from Schedule: values start at 0
	s.fires = s.fires[1:]
	s.len--
	return t, true
}

func (s *null) Next() (structures.Tick, bool) {
	if len(s.fires) == 0 {
		return 0, false
	}
	return s.fires[0].At, true
}

func (s *null) Len() int { return s.len }
