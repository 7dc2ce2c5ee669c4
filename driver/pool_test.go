package driver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// After StopWait has returned, the function no longer uses its data.
func ExampleTimer_StopWait() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	buffer := []byte("not flushed")
	flush := d.AfterFunc(time.Hour, func() { buffer = append(buffer[:0], "flushed"...) })
	if err := flush.StopWait(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(buffer)) // no other goroutine writes to it
	// Output: not flushed
}

// mustStopWait calls StopWait, and checks how long it takes and what it returns.
func mustStopWait(t *testing.T, timer *driver.Timer, ctx context.Context, want time.Duration, err error) {
	t.Helper()
	start := time.Now()
	if got := timer.StopWait(ctx); time.Since(start) != want || !errors.Is(got, err) {
		t.Errorf("StopWait took %v and returned %v, want %v and %v", time.Since(start), got, want, err)
	}
}

func TestStopWaitWaitsForTheFunction(t *testing.T) {
	for name, start := range map[string]func(*driver.Driver, func()) *driver.Timer{
		"AfterFunc": func(d *driver.Driver, f func()) *driver.Timer { return d.AfterFunc(time.Second, f) },
		"at once":   func(d *driver.Driver, f func()) *driver.Timer { return d.AfterFunc(0, f) },
		"At":        func(d *driver.Driver, f func()) *driver.Timer { return d.At(time.Now().Add(time.Second), f) },
		"Every": func(d *driver.Driver, f func()) *driver.Timer {
			return d.Every(driver.Periodic(time.Now(), time.Second), f)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *driver.Driver) {
				running, runs := make(chan struct{}, 1000), 0
				timer := start(d, func() {
					running <- struct{}{}
					time.Sleep(900 * ms)
					runs++ // the race detector knows whether StopWait has waited
				})
				<-running
				mustStopWait(t, timer, t.Context(), 900*ms, nil)
				mustStopWait(t, timer, t.Context(), 0, nil)
				if time.Sleep(3 * time.Second); runs != 1 {
					t.Errorf("%d runs, want 1", runs)
				}
			})
		})
	}
}

// A function that waits to run after its timer has fired does not run.
func TestStopWaitTakesBackWhatHasFired(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		for _, opt := range []driver.Option{driver.Inline(), driver.Workers(1)} {
			driver.Alone(t, func(t *testing.T, d *driver.Driver) {
				release := make(chan struct{})
				d.Schedule(time.Second, func() { <-release })
				if delay == 0 {
					time.Sleep(2 * time.Second)
				}
				timer := d.AfterFunc(delay, explode)
				after := 0
				d.AfterFunc(delay, func() { after++ })
				time.Sleep(2 * time.Second)
				mustStopWait(t, timer, t.Context(), 0, nil)
				close(release)
				time.Sleep(time.Second)
				if s := d.Stats(); after != 1 || s.Pending != 0 || s.Fired != 2 || s.Stopped != 1 {
					t.Errorf("after %v: %d others have run, %+v", delay, after, s)
				}
			}, opt)
		}
	}
}

// StopWait ends with its context or with the function, also by Goexit and after Close.
func TestStopWaitEndsInEachWay(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		slow := d.AfterFunc(time.Second, func() { time.Sleep(time.Hour) })
		exits := d.AfterFunc(2*time.Second, func() { time.Sleep(2 * time.Minute); runtime.Goexit() })
		time.Sleep(3 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		mustStopWait(t, slow, ctx, time.Minute, context.DeadlineExceeded)
		mustStopWait(t, exits, t.Context(), time.Minute-time.Second, nil)
		_ = d.Close()
		mustStopWait(t, slow, t.Context(), time.Hour-2*time.Minute-time.Second, nil)
	})
}

// A function that calls StopWait of its own timer gets an error at once, and the timer is stopped, though it was started again.
func TestStopWaitFromWithinTheFunction(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		var timer driver.Timer
		runs := 0
		d.Init(&timer, func() {
			runs++
			timer.Reset(time.Second)
			mustStopWait(t, &timer, t.Context(), 0, driver.ErrOwnFunction)
		})
		timer.Reset(time.Second)
		if driver.Pass(3 * time.Second); runs != 1 {
			t.Errorf("%d runs, want 1", runs)
		}
	})
}
