package schedtest

import (
	"strings"
	"testing"
)

// swapsValues swaps the values of two timers that fire one after the other, once.
type swapsValues struct {
	reference
	fires int
	done  bool
	kept  *timer
}

func (s *swapsValues) Pop(now tick) (timer, bool) {
	if s.kept != nil {
		t := *s.kept
		s.kept = nil
		return t, true
	}
	t, ok := s.reference.Pop(now)
	if s.fires++; ok && s.fires >= 500 && !s.done {
		if next, ok := s.reference.Pop(now); ok {
			t.Value, next.Value = next.Value, t.Value
			s.kept, s.done = &next, true
		}
	}
	return t, ok
}

func (s *swapsValues) Len() int {
	if s.kept != nil {
		return s.reference.Len() + 1
	}
	return s.reference.Len()
}

// hoards keeps what is cancelled once there are many of them.
type hoards struct {
	reference
	dead [][]byte
	n    int
}

func (s *hoards) Cancel(i id) bool {
	ok := s.reference.Cancel(i)
	if s.n++; ok && s.n > 1000 {
		s.dead = append(s.dead, make([]byte, 100))
	}
	return ok
}

// losesOne loses one timer of many.
type losesOne struct {
	reference
	fires int
}

func (s *losesOne) Pop(now tick) (timer, bool) {
	t, ok := s.reference.Pop(now)
	if s.fires++; ok && s.fires == 700 {
		s.reference.Schedule(now, t.Value)
		return s.reference.Pop(now)
	}
	return t, ok
}

func TestManyReportsWhatFewTimersDoNotShow(t *testing.T) {
	for name, c := range map[string]struct {
		new  func() scheduler
		says string // none: nothing is reported
	}{
		"sound":        {func() scheduler { return &reference{} }, ""},
		"swaps values": {func() scheduler { return &swapsValues{} }, "that value belongs to"},
		"hoards":       {func() scheduler { return &hoards{} }, "dead entries are bounded"},
		"loses one":    {func() scheduler { return &losesOne{} }, "broken"},
		"early":        {newFaulty(early), "broken"},
		"late":         {newFaulty(late), "broken"},
	} {
		got := strings.Join(record(func(r reporter) { many(r, 2000, newConfig(c.new, nil)) }), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}
