package driver_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func newQueue(t *testing.T, opts ...driver.Option) *driver.Queue[int] {
	t.Helper()
	q := driver.NewQueue[int](newDriver(t, opts...))
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// In any order of calls, a Queue behaves as a list of values with their times.
func TestQueueAgainstAList(t *testing.T) {
	type pushed struct {
		value    int
		deadline time.Duration
		item     driver.Item
	}
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		q := driver.NewQueue[int](d)
		other := newQueue(t)
		foreign, _ := other.Push(time.Hour, 1)
		start := time.Now()
		rng := rand.New(rand.NewPCG(1, 6))
		var there, gone []pushed
		for value := range 2000 {
			driver.Pass(time.Duration(rng.IntN(3)) * 450 * µs)
			now, i := time.Since(start), 0
			switch op := rng.IntN(10); {
			case op < 5:
				delay := time.Duration(rng.IntN(9)-1) * ms / 2
				item, err := q.Push(delay, value)
				if err != nil {
					t.Fatal(err)
				}
				there = append(there, pushed{value, now + max(delay, 0), item})
				slices.SortStableFunc(there, func(a, b pushed) int { return cmp.Compare(a.deadline, b.deadline) })
				continue
			case len(there) == 0:
				continue
			case op < 7:
				if i = rng.IntN(len(there)); !q.Remove(there[i].item) {
					t.Fatal("Remove of what is there returned false")
				}
			default: // wait, if none is due
				at := now
				if there[0].deadline > now {
					at = tickAt(there[0].deadline)
				}
				if got, err := q.Take(t.Context()); err != nil || got != there[0].value || time.Since(start) != at {
					t.Fatalf("took %d at %v, error %v, want %d at %v", got, time.Since(start), err, there[0].value, at)
				}
			}
			gone, there = append(gone, there[i]), slices.Delete(there, i, i+1)
			if q.Remove(gone[rng.IntN(len(gone))].item) || q.Remove(foreign) || q.Remove(driver.Item{}) {
				t.Fatal("removed what is not in the queue")
			}
			if q.Len() != len(there) {
				t.Fatalf("%d values, want %d", q.Len(), len(there))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		defer cancel()
		if _, err := other.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Take before a value is due: error %v", err)
		}
	}, driver.Tick(ms))
}

// Of several Takes that wait, each gets a value when it is due, whether each value is earlier than those before or later,
// and though some Takes give up.
func TestEachTakeThatWaitsGetsAValue(t *testing.T) {
	inBubble(t, func(t *testing.T, d *driver.Driver) {
		const n = 6
		for _, step := range []time.Duration{-ms, 0, ms} {
			q, start := driver.NewQueue[time.Duration](d), time.Now()
			var takes sync.WaitGroup
			for i := range 2 * n {
				takes.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%2*100)*5*ms)
					defer cancel()
					if due, err := q.Take(ctx); err == nil && time.Since(start) != due || (err != nil) != (i%2 == 0) {
						t.Errorf("took at %v what is due at %v, error %v", time.Since(start), due, err)
					}
				})
			}
			synctest.Wait()
			for i := range time.Duration(n) {
				due := 20*ms + i*step
				if _, err := q.Push(due, due); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			takes.Wait()
		}
	}, driver.Tick(ms))
}

// A queue ends by its own Close, which does not close the driver, or by that of the driver.
func TestQueueAfterClose(t *testing.T) {
	for name, end := range map[string]func(*driver.Queue[int], *driver.Driver) error{
		"queue":  func(q *driver.Queue[int], _ *driver.Driver) error { return errors.Join(q.Close(), q.Close()) },
		"driver": func(_ *driver.Queue[int], d *driver.Driver) error { return d.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, d *driver.Driver) {
				q := driver.NewQueue[int](d)
				item, err := q.Push(time.Hour, 1)
				if err != nil {
					t.Error(err)
				}
				d.Schedule(time.Hour, nothing)
				var waiting sync.WaitGroup
				for range 3 {
					waiting.Go(func() {
						if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) {
							t.Errorf("Take that waits returned %v", err)
						}
					})
				}
				synctest.Wait()
				if err := end(q, d); err != nil || name == "queue" && (d.Err() != nil || d.Len() != 1) {
					t.Errorf("error %v, of the driver %v, %d are pending", err, d.Err(), d.Len())
				}
				waiting.Wait()
				if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) || q.Len() != 0 || q.Remove(item) {
					t.Errorf("error %v, %d values", err, q.Len())
				}
				if item, err := q.Push(0, 3); item != (driver.Item{}) || !errors.Is(err, driver.ErrClosed) {
					t.Errorf("Push returned %v, %v", item, err)
				}
			})
		})
	}
}

// Several goroutines push, take and remove: each value is taken or removed, once.
func TestQueueRaces(t *testing.T) {
	bySetup(t, func(t *testing.T, d *driver.Driver) {
		const goroutines, n = 3, 1000
		q := driver.NewQueue[int](d)
		ends := make([]atomic.Int32, goroutines*n)
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(6, uint64(g)))
				for i := range n {
					item, _ := q.Push(time.Duration(rng.IntN(300))*µs, g*n+i)
					if rng.IntN(3) == 0 {
						runtime.Gosched()
						if q.Remove(item) {
							ends[g*n+i].Add(1)
						}
					}
				}
			})
			all.Go(func() {
				for {
					value, err := q.Take(t.Context())
					if err != nil {
						return // by Close
					}
					ends[value].Add(1)
				}
			})
		}
		eachOnce(t, ends)
		if q.Len() != 0 {
			t.Errorf("%d values are left", q.Len())
		}
		_ = q.Close()
		all.Wait()
	}, driver.Tick(50*µs))
}
