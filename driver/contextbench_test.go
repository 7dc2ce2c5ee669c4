package driver_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// timeout is context.WithTimeout or the method of a driver.
type timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)

// uses are what programs do with a context before they cancel it. They return what ends that.
var uses = []struct {
	name  string
	start func(ctx context.Context) (end func())
}{
	{"none", func(context.Context) func() { return nothing }},
	{"Done", func(ctx context.Context) func() { ctx.Done(); return nothing }},
	{"child", func(ctx context.Context) func() { return second(context.WithCancel(ctx)) }},
	{"child-of-value", func(ctx context.Context) func() {
		return second(context.WithCancel(context.WithValue(ctx, errSlow, 1)))
	}},
}

func second(_ context.Context, cancel context.CancelFunc) func() { return cancel }

// contexts are pending. One after the other is cancelled and replaced.
type contexts struct {
	with  timeout
	use   func(ctx context.Context) (end func())
	under bool        // each has a parent that can be cancelled
	all   [][3]func() // what ends each
	next  int
	bytes float64 // for each
}

func (c *contexts) fill() {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range c.all {
		c.all[i] = c.start()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	c.bytes = float64(int64(after.HeapAlloc+after.StackInuse)-int64(before.HeapAlloc+before.StackInuse)) / float64(len(c.all))
}

func (c *contexts) start() (ends [3]func()) {
	parent := context.Background()
	ends[2] = nothing
	if c.under {
		ctx, leave := context.WithCancel(parent)
		parent, ends[2] = ctx, leave
	}
	ctx, cancel := c.with(parent, time.Hour)
	ends[0], ends[1] = c.use(ctx), cancel
	return ends
}

func (c *contexts) end(i int) {
	for _, f := range c.all[i] {
		f()
	}
}

// turn cancels and replaces n contexts, and returns the ns of each.
func (c *contexts) turn(n int) float64 {
	start := time.Now()
	for range n {
		c.end(c.next)
		c.all[c.next] = c.start()
		c.next = (c.next + 1) % len(c.all)
	}
	return float64(time.Since(start)) / float64(n)
}

// BenchmarkContext compares contexts of a driver with those of package context, in turns of a millisecond: the time
// of WithTimeout, the use and the cancel, and the bytes of a pending context.
//
//	go test -run '^$' -bench Context -benchtime 300x ./driver
func BenchmarkContext(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		for _, under := range []bool{false, true} {
			for _, use := range uses {
				b.Run(fmt.Sprintf("n=%d/cancellable-parent=%v/use=%s", n, under, use.name), func(b *testing.B) {
					both := [2]contexts{{with: context.WithTimeout}, {with: newDriver(b).WithTimeout}}
					for i := range both {
						both[i].use, both[i].under, both[i].all = use.start, under, make([][3]func(), n)
						both[i].fill()
					}
					var ns [2][]float64
					var ratios []float64
					for b.Loop() {
						for i := range both {
							ns[i] = append(ns[i], both[i].turn(2000))
						}
						ratios = append(ratios, ns[1][len(ns[1])-1]/ns[0][len(ns[0])-1])
					}
					for i, name := range []string{"time", "driver"} {
						for j := range both[i].all {
							both[i].end(j)
						}
						b.ReportMetric(median(ns[i]), name+"-ns")
						if n > 1 {
							b.ReportMetric(both[i].bytes, name+"-B")
						}
					}
					b.ReportMetric(median(ratios), "ns-ratio")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
