package heap

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(New[intrusive.Item[T]](), func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) { schedtest.Run(t, withIDs[uint64]) }
func TestRelease(t *testing.T)     { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F)       { schedtest.Fuzz(f, withIDs[uint64]) }

// sample is a heap with its timers.
type sample struct {
	*Heap[int]
	timers [8]Timer[int]
}

func TestCheckInvariantsFindsDamage(t *testing.T) {
	sound := func() *sample {
		s := &sample{Heap: New[int]()}
		for i := range s.timers {
			s.Schedule(&s.timers[i], structures.Tick(10+10*i))
		}
		return s
	}
	whitebox.FindsDamage(t, sound, map[string]func(*sample){
		"a place is wrong":              func(s *sample) { s.timers[5].node.place-- },
		"a deadline is not the entry's": func(s *sample) { s.timers[5].node.deadline = 99 },
		"an entry is before its parent": func(s *sample) { s.entries[0].deadline, s.timers[0].node.deadline = 99, 99 },
		"a timer was overwritten":       func(s *sample) { s.timers[5] = Timer[int]{} },
		"a vacant entry keeps a timer":  func(s *sample) { s.entries = s.entries[:7] },
	})
}
