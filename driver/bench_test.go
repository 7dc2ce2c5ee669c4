package driver_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/hwheellinux"
)

// These benchmarks compare a driver with package time. The two take turns of about a
// millisecond, so that what else the machine does meets both; what is reported is the
// median of the ratio of two turns that follow each other, as x-time: above 1 the driver
// is faster.
//
//	go test -run '^$' -bench . -benchtime 300x ./driver
//
// With a million timers pending, each of them more than an hour away.
const residents = 1_000_000

func nothing() {}

// contenders are what is compared, by name: package time and a driver for each structure.
var contenders = append(slices.Clone(exact[1:]), // list takes O(n) for everything
	struct {
		name string
		new  func() scheduler
	}{"hwheel-linux", func() scheduler { return hwheellinux.New[driver.Task]() }})

// far is a delay of a resident timer.
func far(rng *rand.Rand) time.Duration {
	return time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))
}

// object is what has a timer in it.
type object struct {
	timer driver.Timer
	_     [64]byte
}

// old is an object as it is with package time.
type old struct {
	timer *time.Timer
	_     [64]byte
}

// turn runs n operations in each of g goroutines and returns the time that one takes.
func turn(g, n int, op func(rng *rand.Rand, n int)) float64 {
	seed := seeds.Add(1)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range g {
		wg.Go(func() { op(rand.New(rand.NewPCG(seed, uint64(i))), n) })
	}
	wg.Wait()
	return float64(time.Since(start).Nanoseconds()) / float64(g*n)
}

var seeds atomic.Uint64

// compare lets two take turns.
func compare(b *testing.B, g int, ofTime, ofDriver func(rng *rand.Rand, n int)) {
	b.Helper()
	var before, after, ratios []float64
	for b.Loop() {
		before = append(before, turn(g, 2000, ofTime))
		after = append(after, turn(g, 2000, ofDriver))
		ratios = append(ratios, before[len(before)-1]/after[len(after)-1])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(before), "ns/time")
	b.ReportMetric(median(after), "ns/driver")
	b.ReportMetric(median(ratios), "x-time")
}

func median(s []float64) float64 {
	slices.Sort(s)
	return s[len(s)/2]
}

func BenchmarkOperations(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	olds := make([]old, residents)
	for i := range olds {
		olds[i].timer = time.AfterFunc(far(rng), nothing)
	}
	defer func() {
		for i := range olds {
			olds[i].timer.Stop()
		}
	}()
	const delay = time.Minute
	stop := func(_ *rand.Rand, n int) {
		for range n {
			time.AfterFunc(delay, nothing).Stop()
		}
	}
	// Each goroutine goes through a part of the timers, from anywhere on.
	reset := func(rng *rand.Rand, n int) {
		i := rng.IntN(len(olds) - n)
		for j := range olds[i : i+n] {
			olds[i+j].timer.Reset(2 * time.Hour)
		}
	}
	resetAny := func(rng *rand.Rand, n int) {
		for range n {
			olds[rng.IntN(len(olds))].timer.Reset(2 * time.Hour)
		}
	}
	for _, c := range contenders {
		b.Run("structure="+c.name, func(b *testing.B) {
			d, err := driver.New(driver.StructureFunc(c.new))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			objects := make([]object, residents)
			for i := range objects {
				d.Init(&objects[i].timer, nothing)
				objects[i].timer.Reset(far(rng))
			}
			runtime.GC()
			for _, op := range []struct {
				name             string
				ofTime, ofDriver func(rng *rand.Rand, n int)
			}{
				{"AfterFunc+Stop", stop, func(_ *rand.Rand, n int) {
					for range n {
						d.AfterFunc(delay, nothing).Stop()
					}
				}},
				{"Schedule+Stop", stop, func(_ *rand.Rand, n int) {
					for range n {
						d.Schedule(delay, nothing).Stop()
					}
				}},
				{"Reset", reset, func(rng *rand.Rand, n int) {
					i := rng.IntN(len(objects) - n)
					for j := range objects[i : i+n] {
						objects[i+j].timer.Reset(2 * time.Hour)
					}
				}},
				{"ResetAny", resetAny, func(rng *rand.Rand, n int) {
					for range n {
						objects[rng.IntN(len(objects))].timer.Reset(2 * time.Hour)
					}
				}},
			} {
				b.Run("op="+op.name, func(b *testing.B) { compare(b, 2, op.ofTime, op.ofDriver) })
			}
		})
	}
}

// BenchmarkChannel compares channel timers, and what is due at once: alone, and with a
// million timers pending.
func BenchmarkChannel(b *testing.B) {
	const delay = time.Minute
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, residents} {
		d := newDriver(b)
		for range n {
			d.Schedule(far(rng), nothing)
			defer time.AfterFunc(far(rng), nothing).Stop()
		}
		for _, op := range []struct {
			name             string
			ofTime, ofDriver func(rng *rand.Rand, n int)
		}{
			{"NewTimer+Stop", func(_ *rand.Rand, n int) {
				for range n {
					time.NewTimer(delay).Stop()
				}
			}, func(_ *rand.Rand, n int) {
				for range n {
					d.NewTimer(delay).Stop()
				}
			}},
			{"Reset", func(_ *rand.Rand, n int) {
				t := time.NewTimer(delay)
				for range n {
					t.Reset(delay)
				}
				t.Stop()
			}, func(_ *rand.Rand, n int) {
				t := d.NewTimer(delay)
				for range n {
					t.Reset(delay)
				}
				t.Stop()
			}},
			{"NewTimer(0)", func(_ *rand.Rand, n int) {
				for range n / 20 {
					<-time.NewTimer(0).C
				}
			}, func(_ *rand.Rand, n int) {
				for range n / 20 {
					<-d.NewTimer(0).C
				}
			}},
			{"AfterFunc(0)", func(_ *rand.Rand, n int) {
				atOnce(n/20, time.AfterFunc)
			}, func(_ *rand.Rand, n int) {
				atOnce(n/20, d.AfterFunc)
			}},
		} {
			for _, g := range []int{1, 2} {
				b.Run(fmt.Sprintf("n=%d/op=%s/goroutines=%d", n, op.name, g), func(b *testing.B) { compare(b, g, op.ofTime, op.ofDriver) })
			}
		}
	}
}

// atOnce waits for n functions that are due at once, one after the other.
func atOnce[T any](n int, afterFunc func(time.Duration, func()) T) {
	done := make(chan struct{})
	for range n {
		afterFunc(0, func() { done <- struct{}{} })
		<-done
	}
}

// BenchmarkLateness reports how late functions begin to run, for timers of 1 to 100 ms that
// are started at a given rate, a million pending beside them. Those of package time and of
// the driver run at the same time.
func BenchmarkLateness(b *testing.B) {
	d, err := driver.New()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	rng := rand.New(rand.NewPCG(1, 1))
	for range residents {
		d.Schedule(far(rng), nothing)
		defer time.AfterFunc(far(rng), nothing).Stop()
	}
	for _, rate := range []int{100, 10_000, 100_000} {
		b.Run("rate="+map[int]string{100: "100", 10_000: "1e4", 100_000: "1e5"}[rate], func(b *testing.B) {
			var mu sync.Mutex
			var all [2][]float64
			var wg sync.WaitGroup
			note := func(i int, due time.Time) {
				l := float64(time.Since(due))
				mu.Lock()
				all[i] = append(all[i], l)
				mu.Unlock()
				wg.Done()
			}
			for b.Loop() { // each for 10 ms
				for range rate / 100 {
					delay := time.Millisecond + time.Duration(rng.IntN(int(99*time.Millisecond)))
					wg.Add(2)
					due := time.Now().Add(delay)
					time.AfterFunc(delay, func() { note(0, due) })
					due2 := time.Now().Add(delay)
					d.Schedule(delay, func() { note(1, due2) })
				}
				time.Sleep(10 * time.Millisecond)
			}
			wg.Wait()
			for i, of := range []string{"time", "driver"} {
				slices.Sort(all[i])
				b.ReportMetric(all[i][len(all[i])/2]/1e3, "p50-µs/"+of)
				b.ReportMetric(all[i][len(all[i])*99/100]/1e3, "p99-µs/"+of)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
