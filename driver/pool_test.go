package driver_test

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// With Workers(n), n functions run at a time and not more, and none waits while fewer run. Otherwise a function that blocks
// delays no other one.
func TestWorkersLimitHowManyRun(t *testing.T) {
	const n = 700
	for limit, opt := range map[int]driver.Option{1: driver.Workers(1), 2: driver.Workers(2), 7: driver.Workers(7), n: driver.Goroutines()} {
		driver.Alone(t, func(t *testing.T, d *driver.Driver) {
			start := time.Now()
			var mu sync.Mutex
			running, most := 0, 0
			add := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				running += n
				most = max(most, running)
			}
			var all sync.WaitGroup
			all.Add(n)
			for i := range n {
				d.Schedule(time.Duration(1+i%2)*ms, func() {
					add(1)
					time.Sleep(time.Second)
					add(-1)
					all.Done()
				})
			}
			all.Wait()
			if took := time.Since(start).Round(time.Second); most != limit || took != n/time.Duration(limit)*time.Second {
				t.Errorf("%d ran at a time, want %d; took %v", most, limit, took)
			}
		}, opt)
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
