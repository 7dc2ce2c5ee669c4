package ladder

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Timers with the same delay are in order in their lists, and a new one does not pass the entries of the front.
func TestTimersWithTheSameDelayAreHardlyCompared(t *testing.T) {
	for _, delay := range []structures.Tick{1000, 60_000, 3_000_000} {
		const timers, fires = 100, 20_000
		q, rs := New(MaxFew), newSet()
		for i := range structures.Tick(timers) {
			q.Schedule(rs, 1+i*delay/timers)
		}
		for range fires {
			_, r := q.Pop(rs)
			for ; r == nil; _, r = q.Pop(rs) {
				rs.Clock = q.Next(rs)
			}
			q.Schedule(rs, rs.Clock+delay)
		}
		if err := check(&q, rs); err != nil {
			t.Fatal(err)
		}
		if got := float64(q.Work().Comparisons) / fires; got > 3 {
			t.Errorf("delay %d: %.1f comparisons a timer, want at most 3", delay, got)
		}
	}
}

func TestDescending(t *testing.T) {
	for _, test := range []struct {
		deadlines []structures.Tick
		want      bool
	}{
		{[]structures.Tick{3, 2, 1}, false}, // too few to look at
		{[]structures.Tick{4, 3, 2, 1}, true},
		{[]structures.Tick{4, 4, 1, 1}, true},
		{[]structures.Tick{3, 4, 2, 1}, false},
		{[]structures.Tick{4, 2, 3, 1}, false},
		{[]structures.Tick{4, 3, 1, 2}, false},
		{[]structures.Tick{9, 8, 7, 6, 5, 4}, true},
		{[]structures.Tick{9, 8, 7, 6, 7, 4}, false},
		{[]structures.Tick{9, 8, 7, 6, 5, 6}, false},
	} {
		var timers []entry
		for _, deadline := range test.deadlines {
			timers = append(timers, entry{deadline: deadline})
		}
		if got := descending(timers); got != test.want {
			t.Errorf("%v are sorted: %t, want %t", test.deadlines, got, test.want)
		}
	}
}
