package schedtest

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/intrusive"
	heaps "github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

type embedded = heaps.Timer[intrusive.Item[uint64]]

// faultyIntrusive is a heap of embedded timers, one of whose methods is replaced.
type faultyIntrusive struct {
	*heaps.Heap[intrusive.Item[uint64]]
	clock    tick
	schedule func(s *faultyIntrusive, t *embedded, at tick)
	move     func(s *faultyIntrusive, t *embedded, at tick) bool
	cancel   func(s *faultyIntrusive, t *embedded) bool
	pop      func(s *faultyIntrusive, now tick) *embedded
	next     func(s *faultyIntrusive) (tick, bool)
}

func (s *faultyIntrusive) Schedule(t *embedded, at tick) {
	if s.schedule != nil {
		s.schedule(s, t, at)
		return
	}
	s.Heap.Schedule(t, at)
}

func (s *faultyIntrusive) Reschedule(t *embedded, at tick) bool {
	if s.move != nil {
		return s.move(s, t, at)
	}
	return s.Heap.Reschedule(t, at)
}

func (s *faultyIntrusive) Cancel(t *embedded) bool {
	if s.cancel != nil {
		return s.cancel(s, t)
	}
	return s.Heap.Cancel(t)
}

func (s *faultyIntrusive) Pop(now tick) *embedded {
	s.clock = max(s.clock, now)
	if s.pop != nil {
		return s.pop(s, now)
	}
	return s.Heap.Pop(now)
}

func (s *faultyIntrusive) Next() (tick, bool) {
	if s.next != nil {
		return s.next(s)
	}
	return s.Heap.Next()
}

// The IDs on top of intrusive timers hide no fault of the structure below.
func TestBrokenIntrusiveStructuresAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		faulty faultyIntrusive
		says   string // none: nothing is reported
	}{
		"sound": {},
		"a move to later is lost": {faultyIntrusive{move: func(s *faultyIntrusive, t *embedded, at tick) bool {
			return at >= t.Deadline() || s.Heap.Reschedule(t, at)
		}}, "broken"},
		"Cancel forgets": {faultyIntrusive{cancel: func(s *faultyIntrusive, t *embedded) bool {
			return t.Deadline()%8 == 3 || s.Heap.Cancel(t)
		}}, "Len"},
		"fires early": {faultyIntrusive{pop: func(s *faultyIntrusive, now tick) *embedded {
			return s.Heap.Pop(model.Add(now, 1))
		}}, "never early"},
		"a deadline in the past fires at once": {faultyIntrusive{schedule: func(s *faultyIntrusive, t *embedded, at tick) {
			if s.Heap.Schedule(t, at); at <= s.clock {
				s.Heap.Pop(model.Add(s.clock, 1))
			}
		}}, "broken"},
		"the second of two equal deadlines is lost": {faultyIntrusive{pop: func(s *faultyIntrusive, now tick) *embedded {
			t := s.Heap.Pop(now)
			if at, ok := s.Heap.Next(); t != nil && ok && at == t.Deadline() {
				s.Heap.Pop(now)
			}
			return t
		}}, "Len"},
		"Next hides a timer": {faultyIntrusive{next: func(s *faultyIntrusive) (tick, bool) {
			at, ok := s.Heap.Next()
			return model.Add(at, 1), ok
		}}, `"Next"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(failures(newConfig(func() scheduler {
				s := c.faulty
				s.Heap = heaps.New[intrusive.Item[uint64]]()
				return intrusive.WithIDs(&s, func(t *embedded) *intrusive.Item[uint64] { return &t.Value })
			}, []Option{inShort}), ""), "\n")
			if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
				t.Errorf("reported %.1000q, want %q", got, c.says)
			}
		})
	}
}
