package hwheel

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

const last = structures.Tick(math.MaxInt64)

// forShapes runs a test on every shape.
func forShapes(t *testing.T, f func(t *testing.T, g geometry)) {
	for _, shape := range shapes {
		t.Run(fmt.Sprintf("fine=%d/ring=%d", shape.fine, shape.ring), func(t *testing.T) {
			f(t, newGeometry(shape.fine, shape.ring))
		})
	}
}

// mustHold fails the test where an invariant is broken.
func mustHold[T any](t *testing.T, w *Wheel[T]) {
	t.Helper()
	if err := w.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}

// tracker does what it is told to a wheel, and to a map of what is pending, and
// stops the test at the first difference.
type tracker struct {
	*testing.T
	w       *Wheel[int]
	ids     []structures.ID // those pending, in no order
	pending map[structures.ID]structures.Tick
}

func newTracker(t *testing.T, w *Wheel[int]) *tracker {
	return &tracker{T: t, w: w, pending: make(map[structures.ID]structures.Tick)}
}

func (s *tracker) schedule(deadline structures.Tick) structures.ID {
	s.Helper()
	id := s.w.Schedule(deadline, int(deadline))
	if _, is := s.pending[id]; is {
		s.Fatalf("ID %#x is that of another timer", id)
	}
	s.pending[id] = deadline
	s.ids = append(s.ids, id)
	return id
}

func (s *tracker) cancel(i int) {
	s.Helper()
	id := s.ids[i]
	if !s.w.Cancel(id) {
		s.Fatalf("timer %#x of tick %d cannot be cancelled", id, s.pending[id])
	}
	delete(s.pending, id)
	s.ids[i] = s.ids[len(s.ids)-1]
	s.ids = s.ids[:len(s.ids)-1]
}

func (s *tracker) reschedule(id structures.ID, deadline structures.Tick) {
	s.Helper()
	if !s.w.Reschedule(id, deadline) {
		s.Fatalf("timer %#x of tick %d cannot be moved", id, s.pending[id])
	}
	s.pending[id] = deadline
}

// pop pops at most n timers, and makes sure that they are those of their ticks.
func (s *tracker) pop(now structures.Tick, n int) (popped int) {
	s.Helper()
	for popped < n {
		timer, ok := s.w.Pop(now)
		if !ok {
			break
		}
		popped++
		if want, is := s.pending[timer.ID]; !is || timer.Deadline != want || want > s.w.clock {
			s.Fatalf("at %d fired %+v, want deadline %d, pending %t", now, timer, want, is)
		}
		delete(s.pending, timer.ID)
	}
	if popped > 0 {
		s.ids = slices.DeleteFunc(s.ids, func(id structures.ID) bool { _, is := s.pending[id]; return !is })
	}
	return popped
}

// drain steps from one tick that Next names to the next one until nothing is
// pending: nothing is early, late, lost or left over.
func (s *tracker) drain() {
	s.Helper()
	s.ids = nil
	deadlines := slices.Sorted(maps.Values(s.pending))
	for {
		at, ok := s.w.Next()
		if ok != (len(s.pending) > 0) {
			s.Fatalf("Next() = %d, %t with %d timers pending", at, ok, len(s.pending))
		}
		if !ok {
			break
		}
		s.pop(at, math.MaxInt)
		for len(deadlines) > 0 && deadlines[0] <= s.w.clock {
			deadlines = deadlines[1:]
		}
		if len(s.pending) != len(deadlines) {
			s.Fatalf("%d timers are pending at tick %d, %d of them due", len(s.pending), s.w.clock, len(s.pending)-len(deadlines))
		}
	}
	mustHold(s.T, s.w)
}
