//go:build unix

package driver_test

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/hwheellinux"
	"github.com/timerbench/timerbench/structures/wheelfixed"
)

// BenchmarkIdle measures 100,000 timers of 30 s that are restarted when they fire, for 5 s per contender.
//
//	go test -run '^$' -bench Idle -benchtime 1x ./driver
func BenchmarkIdle(b *testing.B) {
	const n, delay, measured = 100_000, 30 * time.Second, 5 * time.Second
	measure := func(name string, opts []driver.Option, start func(*driver.Driver, time.Duration, func())) {
		b.Run(name, func(b *testing.B) {
			d := newDriver(b, opts...)
			var stop atomic.Bool // the timers of package time outlive the benchmark
			for i := range n {
				var again func()
				again = func() {
					if !stop.Load() {
						start(d, delay, again)
					}
				}
				start(d, delay*time.Duration(i+1)/n+10*ms, again)
			}
			b.ResetTimer()
			for range b.N {
				wakeups, cpu := d.Stats().Wakeups, processorTime(b)
				time.Sleep(measured)
				b.ReportMetric(float64(d.Stats().Wakeups-wakeups)/measured.Seconds(), "wakeups/s")
				b.ReportMetric(float64(processorTime(b)-cpu)/float64(measured)*1000, "cpu-ms/s")
			}
			stop.Store(true)
			_ = d.Close()
		})
	}
	measure("of=time", nil, func(_ *driver.Driver, delay time.Duration, f func()) { time.AfterFunc(delay, f) })
	exact := func(d *driver.Driver, delay time.Duration, f func()) { d.AfterFunc(delay, f) }
	measure("of=driver", nil, exact)
	for _, percent := range []time.Duration{1, 5, 10} {
		window := delay * percent / 100
		measure(fmt.Sprintf("of=window-%d%%", percent), nil, func(d *driver.Driver, delay time.Duration, f func()) {
			d.AfterWindow(delay-window, delay, f)
		})
	}
	measure("of=hwheel-linux", []driver.Option{driver.Structure(hwheellinux.New[driver.Task])}, exact)
	measure("of=wheel-fixed", []driver.Option{driver.Structure(wheelfixed.New[driver.Task])}, exact)
}

// processorTime returns the processor time of the process.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
