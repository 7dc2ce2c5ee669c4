package ladder_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/ladder"
)

// A timer goes to the level for its distance from the clock, wherever the timers before it were.
func TestTheBaseFollowsTheClock(t *testing.T) {
	const now, n = 3<<18 + 2<<12, 1000
	l := ladder.New[int]()
	l.Schedule(1<<40, 0)
	l.Schedule(now, 0) // from a slot that starts at 3<<18
	for range structures.Due(l, now) {
	}
	before := l.Work().Moved
	for i := range n {
		l.Schedule(structures.Tick(now+1+i%63), 0)
	}
	mustBeSound(t, l)
	for range structures.Due(l, now+63) {
	}
	if moved := l.Work().Moved - before; moved > n*5/4 || l.Len() != 1 {
		t.Errorf("%d timers of one tick each were moved %d times, want hardly more than once each", n, moved)
	}
}
