package replay

import "testing"

func TestTheStubRefusesStaleIDs(t *testing.T) {
	s := &stub{}
	a, b := s.Schedule(1, 1), s.Schedule(2, 2)
	if !s.Reschedule(a, 3) || !s.Cancel(a) || s.Len() != 1 {
		t.Fatal("a pending timer is refused")
	}
	c := s.Schedule(4, 4)
	if s.Cancel(a) || s.Reschedule(a, 5) || s.Cancel(0) || s.Cancel(99) {
		t.Error("an ID that names no timer is taken")
	}
	if !s.Cancel(c) || !s.Cancel(b) || s.Len() != 0 {
		t.Error("a pending timer is refused")
	}
}
