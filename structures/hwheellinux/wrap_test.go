package hwheellinux

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// roundUp returns when a timer fires: at its deadline, rounded up to
// the granularity of the first level whose 63 slots are more than the delay.
func roundUp(deadline, delay structures.Tick) structures.Tick {
	granularity := structures.Tick(1)
	for delay >= 63*granularity {
		granularity *= 8
	}
	return (deadline + granularity - 1) / granularity * granularity
}

// mustFireRoundedUp schedules timers of all delays at tick start, and pops tick by tick or
// at the ticks that Next names: each must fire at its own tick, and Next must name no other.
func mustFireRoundedUp(t *testing.T, start structures.Tick, delays []structures.Tick, ticking bool) {
	t.Helper()
	w := New[structures.Tick]()
	w.Pop(start)
	for _, delay := range delays {
		w.Schedule(start+delay, roundUp(start+delay, delay))
	}
	for now := start; w.Len() > 0; {
		at, _ := w.Next()
		if at <= now {
			t.Fatalf("from tick %d: Next() = %d at %d", start, at, now)
		}
		if now++; !ticking {
			now = at
		}
		fired := false
		for timer := range structures.Due(w, now) {
			if fired = true; timer.Value != now {
				t.Fatalf("from tick %d: deadline %d fired at %d, want %d", start, timer.Deadline, now, timer.Value)
			}
		}
		if fired != (now == at) {
			t.Fatalf("from tick %d: something fired at %d, %t, but Next had named %d", start, now, fired, at)
		}
	}
}

func TestEveryDelayOfTheFirstLevels(t *testing.T) {
	var delays []structures.Tick
	for delay := structures.Tick(1); delay < 63*64+200; delay++ { // some of level 3
		delays = append(delays, delay)
	}
	for start := structures.Tick(0); start < 140; start++ {
		mustFireRoundedUp(t, start, delays, true)
		mustFireRoundedUp(t, start, delays, false)
	}
}

// The last list of a level is that of the cursor itself, a revolution ahead. It must not
// hide those before it. The levels below are empty, so that the cursor is still there when
// the nearer timer expires.
func TestTheLastListOfALevelHidesNoOther(t *testing.T) {
	for level, granularity := 1, structures.Tick(8); level < levels-1; level, granularity = level+1, granularity*8 {
		far := 63*granularity - 1
		for _, start := range []structures.Tick{0, 1, 2, granularity - 1, granularity, granularity + 2, 64*granularity - 1} {
			if start > 1<<61 || far > 1<<61 { // the end of time has a test of its own
				continue
			}
			for near := 63 * granularity / 8; near < far; near += granularity {
				mustFireRoundedUp(t, start, []structures.Tick{far, near}, false)
				mustFireRoundedUp(t, start, []structures.Tick{near, far}, false)
			}
		}
	}
}
