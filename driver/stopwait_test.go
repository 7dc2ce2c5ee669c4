package driver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
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

// stopWait calls StopWait and measures how long it takes.
func stopWait(t *driver.Timer, ctx context.Context) (time.Duration, error) {
	start := time.Now()
	err := t.StopWait(ctx)
	return time.Since(start), err
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
				for _, want := range []time.Duration{900 * ms, 0} {
					if took, err := stopWait(timer, t.Context()); took != want || err != nil || runs != 1 {
						t.Errorf("StopWait took %v, want %v, and returned %v after %d runs", took, want, err, runs)
					}
				}
				time.Sleep(3 * time.Second)
				if runs != 1 {
					t.Errorf("%d runs, want 1", runs)
				}
			})
		})
	}
}

// A function that waits to run after its timer has fired does not run.
func TestStopWaitTakesBackWhatHasFired(t *testing.T) {
	for name, delay := range map[string]time.Duration{"queued": time.Second, "at once": 0} {
		for _, opts := range [][]driver.Option{
			{driver.Inline(), driver.Shards(1)}, {driver.Workers(1), driver.Shards(1)},
		} {
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
				if took, err := stopWait(timer, context.Background()); took != 0 || err != nil {
					t.Errorf("%s: StopWait took %v and returned %v", name, took, err)
				}
				close(release)
				time.Sleep(time.Second)
				if s := d.Stats(); after != 1 || s.Pending != 0 || s.Fired != 2 || s.Stopped != 1 {
					t.Errorf("%s: %d others have run, %+v", name, after, s)
				}
			}, opts...)
		}
	}
}

func TestStopWaitEndsWithItsContext(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		timer := d.AfterFunc(time.Second, func() { time.Sleep(time.Hour) })
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if took, err := stopWait(timer, ctx); took != time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("StopWait took %v and returned %v", took, err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// A function that calls StopWait of its own timer gets an error, even if it runs twice at a time.
func TestStopWaitFromWithinTheFunction(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		var timer *driver.Timer
		var errs []error
		var mu sync.Mutex
		started := make(chan struct{})
		timer = d.AfterFunc(time.Second, func() {
			<-started
			timer.Reset(time.Second)
			took, err := stopWait(timer, context.Background())
			mu.Lock()
			defer mu.Unlock()
			if took != 0 {
				err = fmt.Errorf("took %v and returned %v", took, err) //nolint:errorlint // not the one that is wanted
			}
			errs = append(errs, err)
		})
		close(started)
		time.Sleep(3 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if len(errs) != 1 || !errors.Is(errs[0], driver.ErrOwnFunction) {
			t.Errorf("StopWait returned %v, want %v once", errs, driver.ErrOwnFunction)
		}
	})
}

// StopWait does not wait for a goroutine that has run a function and then ends by Goexit.
func TestStopWaitAfterGoexitAndClose(t *testing.T) {
	driver.Alone(t, func(t *testing.T, d *driver.Driver) {
		ends := d.AfterFunc(time.Second, func() { time.Sleep(time.Second); runtime.Goexit() })
		time.Sleep(1500 * ms)
		if took, err := stopWait(ends, context.Background()); took != 499*ms && took != 500*ms || err != nil {
			t.Errorf("StopWait took %v and returned %v", took, err)
		}
		slow := d.AfterFunc(time.Second, func() { time.Sleep(time.Minute) })
		time.Sleep(2 * time.Second)
		_ = d.Close()
		if took, err := stopWait(slow, context.Background()); took != 59*time.Second || err != nil {
			t.Errorf("StopWait after Close took %v and returned %v", took, err)
		}
	})
}
