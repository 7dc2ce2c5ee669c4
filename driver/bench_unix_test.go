//go:build unix

package driver_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// BenchmarkMemory reports what a timer takes in all, what its owner has of it included: a
// pointer to it, the Timer or the Handle; and the CPU time of a garbage collection. The
// functions are all one: what they refer to is not counted. Run it with GOMAXPROCS=1, as
// more collectors cost more, and one structure at a time, as Go's heap remembers.
func BenchmarkMemory(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	measure := func(b *testing.B, fill func(n int) any) {
		before := heap()
		keep := fill(residents)
		bytes := float64(heap()-before) / residents
		var took []float64
		for b.Loop() {
			start := cpuTime()
			runtime.GC()
			took = append(took, 1e3*(cpuTime()-start))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(bytes, "B/timer")
		b.ReportMetric(median(took), "ms/GC")
		runtime.KeepAlive(keep)
	}
	b.Run("of=time", func(b *testing.B) {
		measure(b, func(n int) any {
			timers := make([]*time.Timer, n)
			for i := range timers {
				timers[i] = time.AfterFunc(far(rng), nothing)
			}
			return timers
		})
	})
	for _, c := range contenders {
		for of, fill := range map[string]func(d *driver.Driver, n int) any{
			"AfterFunc": func(d *driver.Driver, n int) any {
				timers := make([]*driver.Timer, n)
				for i := range timers {
					timers[i] = d.AfterFunc(far(rng), nothing)
				}
				return timers
			},
			"Init": func(d *driver.Driver, n int) any {
				timers := make([]driver.Timer, n)
				for i := range timers {
					d.Init(&timers[i], nothing)
					timers[i].Reset(far(rng))
				}
				return timers
			},
			"Schedule": func(d *driver.Driver, n int) any {
				timers := make([]driver.Handle, n)
				for i := range timers {
					timers[i] = d.Schedule(far(rng), nothing)
				}
				return timers
			},
		} {
			b.Run("of="+of+"/structure="+c.name, func(b *testing.B) {
				measure(b, func(n int) any {
					d := newDriver(b, driver.StructureFunc(c.new))
					return fill(d, n)
				})
			})
		}
	}
}

// heap returns the size of what lives.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// cpuTime returns the CPU time that the process has taken so far, in seconds.
func cpuTime() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// BenchmarkWall reports the CPU time that a second takes with so many jobs by the wall clock
// pending, none of them due.
func BenchmarkWall(b *testing.B) {
	for _, n := range []int{1e5, 1e6} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			d := newDriver(b)
			rng := rand.New(rand.NewPCG(1, 1))
			for range n {
				d.Every(driver.Periodic(time.Now().Add(far(rng)), 1000*time.Hour), nothing)
			}
			runtime.GC()
			begin := cpuTime()
			for b.Loop() {
				time.Sleep(time.Second)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e3*(cpuTime()-begin)/float64(b.N), "CPU-ms/s")
		})
	}
}

// BenchmarkFire reports the CPU time that a timer takes from when it is due until its
// function, which does next to nothing, has run: of 100,000 that are due within 10 ms. The
// time to start them is not counted.
func BenchmarkFire(b *testing.B) {
	const n = 100_000
	for _, c := range []struct {
		name string
		opts []driver.Option // nil: package time
	}{
		{"time", nil},
		{"Goroutines", []driver.Option{driver.Goroutines()}},
		{"Workers", []driver.Option{driver.Workers(2)}},
		{"Inline", []driver.Option{driver.Inline()}},
	} {
		b.Run("of="+c.name, func(b *testing.B) {
			start := func(delay time.Duration, f func()) { time.AfterFunc(delay, f) }
			if c.opts != nil {
				d := newDriver(b, c.opts...)
				start = func(delay time.Duration, f func()) { d.Schedule(delay, f) }
			}
			rng := rand.New(rand.NewPCG(1, 1))
			var took []float64
			for b.Loop() {
				var wg sync.WaitGroup
				wg.Add(n)
				f := wg.Done
				for range n {
					start(200*time.Millisecond+time.Duration(rng.IntN(10_000_000)), f)
				}
				begin := cpuTime()
				wg.Wait()
				took = append(took, (cpuTime()-begin)*1e9/n)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took), "CPU-ns/timer")
		})
	}
}
