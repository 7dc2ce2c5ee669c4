package driver

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver/internal/machine"
	"github.com/timerbench/timerbench/structures"
)

func TestDeadlinesAreRoundedUp(t *testing.T) {
	for _, c := range []struct {
		tick, now int64
		delay     time.Duration
		want      structures.Tick
	}{
		{1000, 0, 0, atOnce},
		{1000, 0, 1, 1},
		{1000, 0, 1000, 1},
		{1000, 0, 1001, 2},
		{1000, 1, 999, 1},
		{1000, 1, 1000, 2},
		{1000, 4999, 1, 5},
		{1000, 5000, 1, 6},
		{1000, 5001, -1, atOnce},
		{1000, 5001, math.MinInt64, atOnce},
		{1000, 5001, math.MaxInt64, math.MaxInt64/1000 + 1},
		{1, 5, 7, 12},
		{1, 5, math.MaxInt64, never - 1},
		{1, math.MaxInt64, math.MaxInt64, never - 1},
		{int64(maxTick), math.MaxInt64, math.MaxInt64, math.MaxInt64/structures.Tick(maxTick) + 1},
	} {
		var clock clock
		clock.setTick(c.tick)
		if got := clock.deadline(c.now, c.delay).tick; got != c.want {
			t.Errorf("tick %d ns: %d ns after %d ns is tick %d, want %d", c.tick, c.delay, c.now, got, c.want)
		}
	}
}

// The multiplication of ticks is the division, for any tick and time.
func TestTicksDivides(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	ticks := []int64{1, 2, 3, 7, 1000, 1 << 20, 1e5, 1e6, int64(maxTick) - 1, int64(maxTick)}
	for range 1000 {
		ticks = append(ticks, 1+rng.Int64N(int64(maxTick)))
	}
	for _, tick := range ticks {
		var c clock
		c.setTick(tick)
		for i := range 1000 {
			ns := rng.Int64() >> rng.IntN(63)
			if i%2 == 0 {
				ns = max(0, ns/tick*tick-int64(i)&1)
			}
			for _, ns := range []int64{ns, 0, math.MaxInt64, math.MaxInt64 / tick * tick, math.MaxInt64/tick*tick - 1} {
				if got := c.ticks(ns); int64(got) != ns/tick {
					t.Fatalf("%d ns are %d ticks of %d ns, want %d", ns, got, tick, ns/tick)
				}
			}
		}
	}
}

// A shared reading of the clock is never before the time, never long after it, and never goes back.
func TestSoonIsNeverBeforeNow(t *testing.T) {
	var c clock
	c.init(time.Millisecond, nil)
	if machine.Steady() != (c.window > 0) {
		t.Errorf("the counter of the processor is steady: %t, and the window is %d", machine.Steady(), c.window)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			last := int64(0)
			for range 100_000 {
				before := c.now()
				soon := c.soon()
				after := c.now()
				if soon < before || soon > after+c.ahead || soon < last {
					t.Errorf("between %d and %d the clock shows %d, %d before", before, after, soon, last)
					return
				}
				last = soon
			}
		})
	}
	wg.Wait()
}

// If ticks are short, or time is virtual, every call reads the clock.
func TestTheClockIsReadWhereItHasToBeExact(t *testing.T) {
	var c clock
	c.init(2*time.Microsecond, nil)
	if c.window != 0 || c.ahead != 0 {
		t.Errorf("window %d, ahead %d", c.window, c.ahead)
	}
	synctest.Test(t, func(t *testing.T) {
		var c clock
		c.init(time.Millisecond, nil)
		time.Sleep(12345)
		if c.window != 0 || c.soon() != 12345 {
			t.Errorf("window %d, %d ns", c.window, c.soon())
		}
	})
}
