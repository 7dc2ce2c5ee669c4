package driver_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// BenchmarkOperations compares a driver with package time, with few timers pending and with a
// million, which are due in more than an hour. Command timerbench live compares structures.
//
//	go test -run '^$' -bench . -count 6 ./driver >new.txt
//	benchstat -col /of new.txt
func BenchmarkOperations(b *testing.B) {
	const delay = time.Minute
	for _, n := range []int{1, 1_000_000} {
		rng := rand.New(rand.NewPCG(1, 1))
		d := newDriver(b)
		timers, olds := make([]driver.Timer, n), make([]*time.Timer, n)
		for i := range n {
			d.Init(&timers[i], nothing)
			timers[i].Reset(far(rng))
			olds[i] = time.AfterFunc(far(rng), nothing)
		}
		anyTimer := func() *driver.Timer { return &timers[rng.IntN(n)] }
		anyOld := func() *time.Timer { return olds[rng.IntN(n)] }
		handle, c, oldC := d.Schedule(delay, nothing), d.NewTimer(delay), time.NewTimer(delay)
		batch := make([]*driver.Timer, 32)
		pick := func() {
			for i := range batch {
				batch[i] = anyTimer()
			}
		}
		ran := make(chan struct{})
		run := func() { ran <- struct{}{} }
		for _, op := range []struct {
			name             string
			ofTime, ofDriver func()
		}{
			{"AfterFunc+Stop", func() { time.AfterFunc(delay, nothing).Stop() }, func() { d.AfterFunc(delay, nothing).Stop() }},
			{"Schedule+Stop", nil, func() { d.Schedule(delay, nothing).Stop() }},
			{"Reset-later", func() { anyOld().Reset(3 * time.Hour) }, func() { anyTimer().Reset(3 * time.Hour) }},
			{"Reset", func() { anyOld().Reset(far(rng)) }, func() { anyTimer().Reset(far(rng)) }},
			{"Reset-later-of-32", func() {
				for range batch {
					anyOld().Reset(3 * time.Hour)
				}
			}, func() {
				pick()
				for _, t := range batch {
					t.Reset(3 * time.Hour)
				}
			}},
			{"ResetAll-of-32", nil, func() { pick(); driver.ResetAll(batch, 3*time.Hour) }},
			{"Handle.Reset", nil, func() { handle.Reset(far(rng)) }},
			{"NewTimer+Stop", func() { time.NewTimer(delay).Stop() }, func() { d.NewTimer(delay).Stop() }},
			{"NewTimer.Reset", func() { oldC.Reset(delay) }, func() { c.Reset(delay) }},
			{"NewTimer(0)", func() { <-time.NewTimer(0).C }, func() { <-d.NewTimer(0).C }},
			{"AfterFunc(0)", func() { time.AfterFunc(0, run); <-ran }, func() { d.AfterFunc(0, run); <-ran }},
			{"Fire-1000", func() { fire(func(delay time.Duration, f func()) { time.AfterFunc(delay, f) }) },
				func() { fire(func(delay time.Duration, f func()) { d.Schedule(delay, f) }) }},
		} {
			for of, f := range map[string]func(){"time": op.ofTime, "driver": op.ofDriver} {
				if f == nil {
					continue
				}
				b.Run(fmt.Sprintf("n=%d/op=%s/of=%s", n, op.name, of), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
		}
		for _, old := range olds {
			old.Stop()
		}
	}
}

func nothing() {}

// far is a long delay.
func far(rng *rand.Rand) time.Duration {
	return time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))
}

// fire starts a thousand timers that are due at the same time, and waits until all have run.
func fire(start func(time.Duration, func())) {
	var all sync.WaitGroup
	all.Add(1000)
	for range 1000 {
		start(1, all.Done)
	}
	all.Wait()
}
