package driver_test

import (
	"context"
	"fmt"
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

// BenchmarkContext compares contexts of a driver with those of package context, among others that are pending, in turns of 2,000:
// the time of WithTimeout, the use and the cancel.
//
//	go test -run '^$' -bench Context -benchtime 300x ./driver
func BenchmarkContext(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		for _, use := range uses {
			b.Run(fmt.Sprintf("n=%d/use=%s", n, use.name), func(b *testing.B) {
				var ns [2][]float64
				withs := []timeout{context.WithTimeout, newDriver(b).WithTimeout}
				ends := [2][][2]func(){make([][2]func(), n), make([][2]func(), n)}
				for b.Loop() {
					for i, with := range withs {
						start := time.Now()
						for j := range 2000 {
							end := &ends[i][(len(ns[i])*2000+j)%n]
							if end[0] != nil {
								end[0]()
								end[1]()
							}
							ctx, cancel := with(context.Background(), time.Hour)
							end[0], end[1] = use.start(ctx), cancel
						}
						ns[i] = append(ns[i], float64(time.Since(start))/2000)
					}
				}
				for i, name := range []string{"time", "driver"} {
					for _, end := range ends[i] {
						if end[0] != nil {
							end[0]()
							end[1]()
						}
					}
					b.ReportMetric(median(ns[i]), name+"-ns")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
