package driver_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

const residents = 1_000_000

func nothing() {}

// each runs body in g goroutines, which share b.N among them.
func each(b *testing.B, g int, body func(rng *rand.Rand, n int)) {
	b.Helper()
	var wg sync.WaitGroup
	b.ResetTimer()
	for i := range g {
		wg.Go(func() { body(rand.New(rand.NewPCG(1, uint64(i))), b.N/g) })
	}
	wg.Wait()
	b.StopTimer()
}

func later(rng *rand.Rand) time.Duration {
	return time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))
}

func BenchmarkDriver(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	d, err := driver.New()
	if err != nil {
		b.Fatal(err)
	}
	timers := make([]*driver.Timer, residents)
	for i := range timers {
		timers[i] = d.AfterFunc(later(rng), nothing)
	}
	old := make([]*time.Timer, residents)
	for i := range old {
		old[i] = time.AfterFunc(later(rng), nothing)
	}
	runtime.GC()
	const delay = time.Minute
	for _, op := range []struct {
		name string
		body func(rng *rand.Rand, n int)
	}{
		{"AfterFunc+Stop/of=time", func(_ *rand.Rand, n int) {
			for range n {
				time.AfterFunc(delay, nothing).Stop()
			}
		}},
		{"AfterFunc+Stop/of=driver", func(_ *rand.Rand, n int) {
			for range n {
				d.AfterFunc(delay, nothing).Stop()
			}
		}},
		{"Schedule+Stop/of=driver", func(_ *rand.Rand, n int) {
			for range n {
				d.Schedule(delay, nothing).Stop()
			}
		}},
		{"Reset/of=time", func(rng *rand.Rand, n int) {
			for range n {
				old[rng.IntN(len(old))].Reset(2 * time.Hour)
			}
		}},
		{"Reset/of=driver", func(rng *rand.Rand, n int) {
			for range n {
				timers[rng.IntN(len(old))].Reset(2 * time.Hour)
			}
		}},
	} {
		for _, g := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/g=%d", op.name, g), func(b *testing.B) { each(b, g, op.body) })
		}
	}
	for _, t := range old {
		t.Stop()
	}
	_ = d.Close()
}
