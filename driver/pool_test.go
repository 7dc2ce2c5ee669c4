package driver_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// A function that blocks delays no other one.
func TestFunctionsThatBlockDelayNoOthers(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		release := make(chan struct{})
		for i := range 500 {
			d.Schedule(time.Duration(1+i/100)*time.Second, func() { <-release })
			d.Schedule(time.Duration(1+i/100)*time.Second, l.Note("f"))
		}
		time.Sleep(3 * time.Second)
		var want []string
		for i := range 300 {
			want = append(want, fmt.Sprint(1+i/100, "s f"))
		}
		l.Want(t, want...)
		close(release)
		time.Sleep(time.Hour)
	})
}

// With Workers(n), n functions run at a time and not more, and none waits while fewer run.
func TestWorkersLimitHowManyRun(t *testing.T) {
	for _, limit := range []int{1, 2, 7} {
		driver.Alone(t, func(t *testing.T, d *driver.Driver) {
			start := time.Now()
			var running, most, done atomic.Int64
			for i := range 70 {
				d.Schedule(time.Duration(i%2)*ms+ms, func() {
					n := running.Add(1)
					most.Store(max(most.Load(), n))
					time.Sleep(time.Second)
					running.Add(-1)
					done.Add(1)
				})
			}
			for done.Load() < 70 {
				time.Sleep(100 * ms)
			}
			if took := time.Since(start).Round(time.Second); most.Load() != int64(limit) || took != time.Duration(70/limit)*time.Second {
				t.Errorf("%d ran at a time, want %d; took %v", most.Load(), limit, took)
			}
		}, driver.Workers(limit))
	}
}

// A panic is reported with its stack, and no other timer is lost. The same holds for a function
// that ends its goroutine.
func TestPanicsAreReportedAndLoseNoOtherTimer(t *testing.T) {
	var mu sync.Mutex
	var values []any
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		values = nil
		l := newLog()
		for i := range 30 {
			d.Schedule(time.Second, l.Note("f"))
			switch i % 3 {
			case 0:
				d.AfterFunc(time.Second, explode)
			case 1:
				d.AfterFunc(time.Second, runtime.Goexit)
			}
			d.AfterFunc(2*time.Second, l.Note("f"))
		}
		time.Sleep(time.Minute)
		l.Want(t, slices.Repeat([]string{"1s f", "2s f"}, 30)...)
		if len(values) != 10 || values[0] != "bang" {
			t.Errorf("reported: %v", values)
		}
	}, driver.OnPanic(func(value any, stack []byte) {
		mu.Lock()
		defer mu.Unlock()
		values = append(values, value)
		if !bytes.Contains(stack, []byte("explode")) {
			t.Errorf("the stack does not show who panicked:\n%s", stack)
		}
	}))
}

func explode() { panic("bang") }
