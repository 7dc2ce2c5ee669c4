package micro

import (
	"slices"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// References returns what structures are held against. It takes part where nothing
// fires.
//
//   - null does nothing: what it takes is the loop, the calls and the array of IDs.
//   - stub keeps a record for each timer and orders nothing: what any structure must
//     do whose IDs are checked.
//   - time.AfterFunc is Go's own timers. They take 150 bytes each, so they take part up
//     to ten million.
func References() []catalog.Entry {
	return []catalog.Entry{
		{Name: "null", New: func() structures.Scheduler[uint64] { return &null{} }},
		{Name: "stub", New: func() structures.Scheduler[uint64] { return &stub{} }},
		{Name: "time.AfterFunc", Limit: 10_000_000, New: func() structures.Scheduler[uint64] { return gotimer.New() }},
	}
}

func (q *Sequence) references() []catalog.Entry {
	if !q.Workload.Kind().NothingFires {
		return nil
	}
	return slices.DeleteFunc(References(), func(e catalog.Entry) bool { return e.Limit > 0 && q.N > e.Limit })
}

// null counts, and nothing else.
type null struct{ len int }

func (s *null) Schedule(structures.Tick, uint64) structures.ID {
	s.len++
	return 1
}

func (s *null) Cancel(structures.ID) bool {
	s.len--
	return true
}

func (s *null) Reschedule(structures.ID, structures.Tick) bool            { return true }
func (s *null) Pop(structures.Tick) (t structures.Timer[uint64], ok bool) { return t, false }
func (s *null) Next() (structures.Tick, bool)                             { return 0, false }
func (s *null) Len() int                                                  { return s.len }

// stub keeps a record of 24 bytes for each timer. It checks IDs, marks the records of
// timers that are cancelled, and uses them again. Nothing ever fires.
type stub struct {
	records []stubRecord
	free    []uint32 // records of cancelled timers
}

type stubRecord struct {
	deadline structures.Tick
	value    uint64
	version  uint32 // odd: pending
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

// find returns the record of a pending timer, or nil.
func (s *stub) find(id structures.ID) *stubRecord {
	if at := uint64(uint32(id)); at < uint64(len(s.records)) && s.records[at].version == uint32(id>>32) {
		return &s.records[at]
	}
	return nil
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
func (s *stub) Next() (structures.Tick, bool)                             { return 0, s.Len() > 0 }
func (s *stub) Len() int                                                  { return len(s.records) - len(s.free) }
