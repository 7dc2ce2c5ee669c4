package driver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

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
