package workload

import (
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

func TestResetEarlierMovesEachTimerForwardAndBack(t *testing.T) {
	t.Parallel()
	const n = 1_000
	s, fill := scriptOf(t, "reset-earlier", n)
	if fill.Want.Pending != n {
		t.Fatalf("%d timers, want %d", fill.Want.Pending, n)
	}
	b := s.Next(100*n, nil)
	within(t, "turns of a goroutine in 20 ms", float64(b.Count(script.KindReschedule))/2/n/(float64(b.Ticks)/20), 1, 0.02)
	if len(b.Fires) > 0 || b.Count(script.KindCancel) > 0 {
		t.Error("timers fire or are cancelled")
	}
	now, moves := structures.Tick(0), 0
	for kind, op := range b.All() {
		if kind != script.KindReschedule {
			now = op.At
			continue
		}
		want := now + 5_000
		if moves++; moves%2 == 0 {
			want = now + 10_000
		}
		if op.At != want {
			t.Fatalf("move %d at tick %d goes to %d, want %d", moves, now, op.At, want)
		}
	}
}
