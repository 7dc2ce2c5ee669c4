package driver_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/timerbench/timerbench/driver"
)

func TestAfterCloseNothingFiresAndNothingIsAccepted(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		l := newLog()
		fired := d.AfterFunc(ms, func() {})
		timer := d.AfterFunc(time.Second, l.Note("timer"))
		handle := d.Schedule(time.Second, l.Note("handle"))
		var field driver.Timer
		d.Init(&field, l.Note("field"))
		at := d.At(time.Now().Add(time.Second), l.Note("at"))
		every := d.Every(driver.Periodic(time.Now(), time.Second), l.Note("every"))
		c, ticker := d.NewTimer(time.Second), d.NewTicker(time.Second)
		time.Sleep(10 * ms)
		if d.Err() != nil {
			t.Error(d.Err())
		}
		time.AfterFunc(ms, func() { _ = d.Close() })
		<-d.Done()
		if err := d.Close(); err != nil || !errors.Is(d.Err(), driver.ErrClosed) {
			t.Error(err, d.Err())
		}
		for i, pending := range []bool{
			timer.Stop(), timer.Reset(ms), fired.Reset(ms), handle.Stop(), handle.Reset(ms), field.Reset(ms), at.Stop(), every.Stop(), c.Stop(), c.Reset(ms),
			d.AfterFunc(0, l.Note("new")).Stop(), d.Schedule(ms, l.Note("new")).Stop(), d.At(time.Now(), l.Note("new")).Stop(), d.NewTimer(ms).Stop(),
			d.Every(driver.Periodic(time.Now(), time.Second), l.Note("new")).Stop(), d.Schedule(ms, l.Note("new")) != driver.Handle{},
		} {
			if pending {
				t.Errorf("%d: something is pending after Close", i)
			}
		}
		ticker.Reset(ms)
		late := d.After(ms)
		time.Sleep(time.Hour)
		l.Want(t)
		if len(late)+len(c.C)+len(ticker.C) > 0 || d.Len() != 0 || d.Stats().Pending != 0 {
			t.Error("something has fired")
		}
	})
}

// Shutdown waits for running functions, and counts the waiting ones.
func TestShutdownWaitsForWhatRuns(t *testing.T) {
	for _, c := range []struct {
		opt     driver.Option
		pending int // of five timers that blocked at the same time, and one that did not
	}{
		{driver.Goroutines(), 1},
		{driver.Workers(2), 4},
		{driver.Inline(), 5},
	} {
		driver.Alone(t, func(t *testing.T, d *driver.Driver) {
			var done atomic.Int64
			for range 5 {
				d.Schedule(ms, func() {
					time.Sleep(time.Minute)
					done.Add(1)
				})
			}
			d.Schedule(time.Hour, func() { t.Error("fired") })
			time.Sleep(time.Second)

			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if pending, err := d.Shutdown(ctx); pending != c.pending || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d pending, error %v, want %d", pending, err, c.pending)
			}
			start := time.Now()
			_, err := d.Shutdown(t.Context())
			if err != nil || time.Since(start) != time.Minute-2*time.Second+ms || done.Load() != int64(6-c.pending) {
				t.Errorf("error %v after %v, %d have run", err, time.Since(start), done.Load())
			}
			if s := d.Stats(); s.Fired != uint64(6-c.pending) {
				t.Errorf("%d have fired", s.Fired)
			}
			for range 10 { // a context that has ended as well does not count
				if _, err := d.Shutdown(ctx); err != nil {
					t.Error(err)
				}
			}
		}, c.opt)
	}
}

// Timers are scheduled and fire while the driver is closed, in every way. The timers that Shutdown
// has counted have not run, and all others have.
func TestShutdownCountsWhatDidNotRun(t *testing.T) {
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			for range 3 {
				d, err := driver.New(s.opts...)
				if err != nil {
					t.Fatal(err)
				}
				var ran, accepted atomic.Int64
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						for i := range 2000 {
							if d.Schedule(time.Duration(i)*µs, func() { ran.Add(1) }) != (driver.Handle{}) {
								accepted.Add(1)
							}
						}
					})
				}
				for ran.Load() < 100 {
					runtime.Gosched()
				}
				pending, err := d.Shutdown(context.Background())
				after := ran.Load()
				wg.Wait()
				if err != nil || ran.Load() != after || after+int64(pending) != accepted.Load() {
					t.Fatalf("error %v: %d accepted, %d pending, %d have run, %d of them after Shutdown", err, accepted.Load(), pending, ran.Load(), ran.Load()-after)
				}
			}
		})
	}
}

// The driver has no goroutine while timers are pending, and none after Close.
func TestThereIsNoGoroutineWhileNothingIsToDo(t *testing.T) {
	ours := func() int { // goroutines of other tests do not count
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		n := 0
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "synctest bubble") && strings.Contains(stack, "timerbench/driver.") && !strings.Contains(stack, "testing.tRunner") {
				n++
			}
		}
		return n
	}
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		var wg sync.WaitGroup
		check := func(when string) {
			t.Helper()
			wg.Wait()
			synctest.Wait()
			if n := ours(); n > 0 {
				t.Errorf("%s there are %d goroutines", when, n)
			}
		}
		check("at the start")
		for i := range 1000 {
			wg.Add(1)
			d.AfterFunc(time.Duration(i)*ms/3, wg.Done)
		}
		d.AfterFunc(time.Hour, func() {})
		d.NewTicker(time.Minute)
		d.Every(driver.Periodic(time.Now(), time.Minute), func() {})
		check("once timers have fired")
		_ = d.Close()
		check("after Close")
	})
}

// big is a value that a function refers to.
type big [1 << 10]byte

// mustGo calls use with a value, and waits until the value has been collected.
func mustGo(t *testing.T, what string, use func(b *big)) {
	t.Helper()
	p := func() weak.Pointer[big] { // a frame of its own, so that no reference stays
		b := new(big)
		use(b)
		return weak.Make(b)
	}()
	driver.Collect(t, what+": what the function refers to", func() bool { return p.Value() == nil })
}

// A timer that was stopped or has fired is not kept in memory, and after Close none is.
func TestNothingIsKept(t *testing.T) {
	for _, s := range setups[3:6] { // inline, workers, one worker
		t.Run(s.name, func(t *testing.T) {
			d := newDriver(t, s.opts...)
			q, k := driver.NewQueue[*big](d), driver.NewKeyed(d, func(int, *big) {})
			fired := make(chan struct{}, 1)
			pending, wall := d.Schedule(time.Hour, nothing), d.At(time.Now().Add(time.Hour), nothing) // no list is empty
			var field driver.Timer
			for name, start := range map[string]func(b *big){
				"Schedule, Stop":  func(b *big) { d.Schedule(time.Hour, func() { b[0]++ }).Stop() },
				"AfterFunc, Stop": func(b *big) { d.AfterFunc(time.Hour, func() { b[0]++ }).Stop() },
				"Init, Stop": func(b *big) {
					d.Init(&field, func() { b[0]++ })
					field.Reset(time.Hour)
					field.Stop()
					d.Init(&field, nothing)
				},
				"At, Stop":    func(b *big) { d.At(time.Now().Add(time.Hour), func() { b[0]++ }).Stop() },
				"Every, Stop": func(b *big) { d.Every(driver.Periodic(time.Now(), time.Hour), func() { b[0]++ }).Stop() },
				"Schedule, fired": func(b *big) {
					d.Schedule(0, func() { b[0]++; fired <- struct{}{} })
					<-fired
				},
				"AfterFunc, fired": func(b *big) {
					d.AfterFunc(time.Hour, func() { b[0]++; fired <- struct{}{} }).Reset(ms)
					<-fired
				},
				"Keyed, removed":  func(b *big) { _ = k.Set(1, b, time.Hour); k.Remove(1) },
				"Keyed, replaced": func(b *big) { _, _ = k.Set(1, b, time.Hour), k.Set(1, nil, time.Hour) },
				"Keyed, drained":  func(b *big) { _ = k.Set(1, b, time.Hour); k.Drain(func(int, *big) {}) },
				"Queue, removed": func(b *big) {
					item, _ := q.Push(time.Hour, b)
					q.Remove(item)
				},
				"Queue, taken": func(b *big) {
					_, _ = q.Push(0, b)
					if _, err := q.Take(context.Background()); err != nil {
						t.Error(err)
					}
				},
			} {
				mustGo(t, name, start)
			}
			if !pending.Stop() || !wall.Stop() {
				t.Error("a timer is not pending")
			}
			mustGo(t, "pending, Close", func(b *big) {
				d.Schedule(time.Hour, func() { b[0]++ })
				_, _ = q.Push(time.Hour, b)
				_, _ = q.Close(), d.Close()
			})
			runtime.KeepAlive(&field)
		})
	}
}
