package schedtest

import (
	"strings"
	"testing"
)

// swapsValues swaps the values of two timers that fire one after the other, once.
var swapsValues = faulty{
	pop: func(s *faulty, now tick) (timer, bool) {
		if len(s.kept) > 0 {
			t := s.kept[0]
			s.kept = nil
			return t, true
		}
		t, ok := s.Model.Pop(now)
		if s.n++; ok && s.n >= 500 && s.asked == nil {
			if next, ok := s.Model.Pop(now); ok {
				t.Value, next.Value = next.Value, t.Value
				s.kept, s.asked = []timer{next}, map[id]tick{} // it is done
			}
		}
		return t, ok
	},
	len: func(s *faulty) int { return s.Model.Len() + len(s.kept) },
}

func TestManyReportsWhatFewTimersDoNotShow(t *testing.T) {
	for name, c := range map[string]struct {
		faulty faulty
		says   string // none: nothing is reported
	}{
		"sound":        {},
		"swaps values": {swapsValues, "that value belongs to"},
		"keeps what is cancelled once there are many": {faulty{cancel: func(s *faulty, i id) bool {
			if s.n++; s.n > 1000 {
				s.slots[0] = append(s.slots[0], make([]byte, 100)...)
			}
			return s.Model.Cancel(i)
		}}, "dead entries are bounded"},
		"loses one": {popped(func(s *faulty, t timer, ok bool) (timer, bool) {
			if s.n++; ok && s.n == 700 {
				s.Model.Schedule(s.Clock, t.Value)
				return s.Model.Pop(s.Clock)
			}
			return t, ok
		}), "broken"},
		"early": {early, "broken"},
		"late":  {late, "broken"},
	} {
		got := strings.Join(record(func(r reporter) { many(r, 2000, newConfig(newFaulty(c.faulty), nil)) }), "\n")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: reported %q, want %q", name, got, c.says)
		}
	}
}
