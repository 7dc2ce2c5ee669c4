package live

import (
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// What crosses: a timer fires before, while or after an operation asks about it, and the
// answer comes before or after its function runs.
func TestSlotJudgesWhatCrosses(t *testing.T) {
	armed := func() *slot {
		s := &slot{}
		s.ask()
		s.answered(func() { s.arm(10, 20) })
		return s
	}
	// stopped asks a timer that is due at 10 to stop.
	stopped := func(s *slot, pending bool, now int64, meanwhile func()) {
		was, due := s.ask()
		meanwhile()
		s.answered(func() {
			s.disarm(was, pending, due, now)
			s.stopped = pending
		})
	}
	none := func() {}
	for name, c := range map[string]struct {
		run  func(s *slot)
		want Wrong
	}{
		"fires":                              {func(s *slot) { s.fire(10) }, Wrong{}},
		"fires at the latest":                {func(s *slot) { s.fire(20) }, Wrong{}},
		"fires early":                        {func(s *slot) { s.fire(9) }, Wrong{Early: 1}},
		"fires late":                         {func(s *slot) { s.fire(21) }, Wrong{Late: 1}},
		"fires twice":                        {func(s *slot) { s.fire(10); s.fire(11) }, Wrong{Twice: 1}},
		"never fires":                        {func(*slot) {}, Wrong{Lost: 1}},
		"is stopped":                         {func(s *slot) { stopped(s, true, 5, none) }, Wrong{}},
		"is stopped and fires":               {func(s *slot) { stopped(s, true, 5, none); s.fire(10) }, Wrong{Stopped: 1}},
		"fires while it is stopped":          {func(s *slot) { stopped(s, true, 10, func() { s.fire(10) }) }, Wrong{Stopped: 1}},
		"fires while Stop comes too late":    {func(s *slot) { stopped(s, false, 11, func() { s.fire(10) }) }, Wrong{}},
		"fires after Stop has come too late": {func(s *slot) { stopped(s, false, 11, none); s.fire(12) }, Wrong{}},
		"is said to fire, and does not":      {func(s *slot) { stopped(s, false, 11, none) }, Wrong{Lost: 1}},
		"was refused":                        {func(s *slot) { stopped(s, false, 5, none) }, Wrong{Refused: 1}},
		"was claimed":                        {func(s *slot) { s.fire(10); stopped(s, true, 11, none) }, Wrong{Claimed: 1}},
		"fires again after a new start, each in time": {func(s *slot) {
			stopped(s, false, 11, none)
			s.ask()
			s.answered(func() { s.arm(30, 40) })
			s.fire(12)
			s.fire(30)
		}, Wrong{}},
		"is not judged": {func(s *slot) { s.unjudged = true; s.fire(1) }, Wrong{}},
	} {
		s := armed()
		c.run(s)
		if settled := s.settled(); settled != (c.want[Lost] == 0) {
			t.Errorf("%s: settled is %t", name, settled)
		}
		var got Wrong
		if s.end(new(results.LiveCheck), &got); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
