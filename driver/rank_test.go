package driver_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// The rank error of a timer that fires is the number of pending timers that are due before it. Among ticks it is 0, for any number of
// shards, because a pass serves all shards tick by tick. docs/published.md has the errors within ticks.
func TestShardsFireInTheOrderOfTicks(t *testing.T) {
	const n, span, tick = 4_000, 50 * time.Millisecond, 100 * time.Microsecond
	for shards, most := range map[int]float64{1: 3.5, 2: 3.5, 8: 3.5} {
		driver.Bubble(t, "", func(t *testing.T) {
			d := newDriver(t, driver.Inline(), driver.Shards(shards), driver.Tick(tick))
			rng := rand.New(rand.NewPCG(68, uint64(shards)))
			start := time.Now()
			var got []time.Duration                         // the deadlines, in the order in which they fire
			d.Schedule(ms, func() { time.Sleep(2 * span) }) // then all are overdue
			for range n {
				due := 2*ms + time.Duration(rng.Int64N(int64(span)))
				d.Schedule(due-time.Since(start), func() { got = append(got, due) })
			}
			driver.Pass(time.Second)
			if len(got) != n || d.Stats().Pending != 0 {
				t.Fatalf("%d shards: %d timers fired", shards, len(got))
			}
			sum, worst := 0, 0
			for i, due := range got {
				rank := 0
				for _, later := range got[i+1:] {
					if later < due {
						rank++
					}
					if (later-1)/tick < (due-1)/tick {
						t.Fatalf("%d shards: a timer due after %v fires before one due after %v", shards, due, later)
					}
				}
				sum, worst = sum+rank, max(worst, rank)
			}
			mean := float64(sum) / n
			if mean > most || slices.IsSorted(got) {
				t.Errorf("%d shards: a rank error of %.2f, want at most %.1f, and some", shards, mean, most)
			}
			t.Logf("%d shards: rank error %.2f on average, %d at most, %d timers a tick", shards, mean, worst, n*int(tick)/int(span))
		})
	}
}
