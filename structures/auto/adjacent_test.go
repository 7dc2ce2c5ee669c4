package auto_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
)

// Where more timers than the front holds are due at the same tick, and more at the next one,
// those of the first tick fire first.
func TestManyTimersOfAdjacentTicks(t *testing.T) {
	for _, ticks := range []int{1, 2, 3, 5, 20, 100} {
		t.Run(fmt.Sprint(ticks), func(t *testing.T) {
			s := auto.New[structures.Tick]()
			rng := rand.New(rand.NewPCG(uint64(ticks), 1))
			pending := make(map[structures.Tick]int)
			for now := range structures.Tick(300) {
				for s.Len() < 3000 {
					at := now + 1 + structures.Tick(rng.IntN(ticks))
					s.Schedule(at, at)
					pending[at]++
				}
				mustBeSound(t, s)
				for due := range structures.Due(s, now) {
					if due.Value != now {
						t.Fatalf("a timer of tick %d fired at tick %d", due.Value, now)
					}
					pending[now]--
				}
				if pending[now] != 0 {
					t.Fatalf("%d timers of tick %d did not fire", pending[now], now)
				}
			}
		})
	}
}
