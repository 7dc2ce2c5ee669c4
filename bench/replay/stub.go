package replay

import "github.com/timerbench/timerbench/structures"

// Stub returns a scheduler that does only what checked IDs require: it keeps a record of 24 bytes per timer, marks
// the records of cancelled timers, and reuses them. It does not order timers, and no timer fires.
func Stub() structures.Scheduler[uint64] { return &stub{} }

type stub struct {
	records []stubRecord
	free    []uint32 // records of cancelled timers, for reuse
	read    uint32   // assigned so that the compiler keeps the loads of Prefetch
}

type stubRecord struct {
	deadline structures.Tick
	value    uint64
	version  uint32 // odd while the timer is pending
}

func (s *stub) Schedule(deadline structures.Tick, value uint64) structures.ID {
	var at uint32
	if last := len(s.free) - 1; last >= 0 {
		at, s.free = s.free[last], s.free[:last]
	} else {
		at = uint32(len(s.records))
		s.records = append(s.records, stubRecord{})
	}
	r := &s.records[at]
	r.deadline, r.value = deadline, value
	r.version++
	return structures.ID(r.version)<<32 | structures.ID(at)
}

func (s *stub) find(id structures.ID) *stubRecord {
	at := uint64(uint32(id))
	if at < uint64(len(s.records)) && s.records[at].version == uint32(id>>32) {
		return &s.records[at]
	}
	return nil
}

// Prefetch loads the records independently of each other.
func (s *stub) Prefetch(ids []structures.ID) {
	sum := uint32(0)
	for _, id := range ids {
		if at := uint64(uint32(id)); at < uint64(len(s.records)) {
			sum += s.records[at].version
		}
	}
	s.read = sum
}

func (s *stub) Cancel(id structures.ID) bool {
	r := s.find(id)
	if r == nil {
		return false
	}
	r.version++
	s.free = append(s.free, uint32(id))
	return true
}

func (s *stub) Reschedule(id structures.ID, deadline structures.Tick) bool {
	r := s.find(id)
	if r == nil {
		return false
	}
	r.deadline = deadline
	return true
}

func (s *stub) Pop(structures.Tick) (t structures.Timer[uint64], ok bool) { return t, false }

func (s *stub) Next() (structures.Tick, bool) { return 0, s.Len() > 0 }

func (s *stub) Len() int { return len(s.records) - len(s.free) }
