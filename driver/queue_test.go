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

func mustTake(t *testing.T, q *driver.Queue[int], want int) {
	t.Helper()
	if got, err := q.Take(t.Context()); got != want || err != nil {
		t.Errorf("took %d, error %v, want %d", got, err, want)
	}
}

// In any order of calls, a Queue behaves as a list of values with their times.
func TestQueueAgainstAList(t *testing.T) {
	type pushed struct {
		value    int
		deadline time.Duration
		due      time.Duration // the tick from which it can be taken
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
			now := time.Since(start)
			switch op := rng.IntN(10); {
			case op < 5:
				delay := time.Duration(rng.IntN(9)-1) * ms / 2
				due := now
				if delay > 0 {
					due = tickAt(now + delay)
				}
				item, err := q.Push(delay, value)
				if err != nil {
					t.Fatal(err)
				}
				there = append(there, pushed{value, now + max(delay, 0), due, item})
			case op < 7 && len(there) > 0:
				i := rng.IntN(len(there))
				if !q.Remove(there[i].item) {
					t.Fatal("Remove of what is there returned false")
				}
				gone, there = append(gone, there[i]), slices.Delete(there, i, i+1)
			case len(there) > 0: // wait, if none is due
				got, err := q.Take(t.Context())
				i := slices.IndexFunc(there, func(p pushed) bool { return p.value == got })
				if err != nil || i < 0 {
					t.Fatalf("took %d, error %v", got, err)
				}
				soonest := slices.MinFunc(there, func(a, b pushed) int { return cmp.Compare(a.due, b.due) }).due
				first := slices.MinFunc(there, func(a, b pushed) int { // of equal ones the one that was pushed first
					return cmp.Or(cmp.Compare(max(a.due, now, soonest), max(b.due, now, soonest)), cmp.Compare(a.deadline, b.deadline))
				})
				if at := time.Since(start); got != first.value || at != max(now, soonest) {
					t.Fatalf("took at %v %d, which was due at %v, want %d at %v", at, got, there[i].due, first.value, max(now, soonest))
				}
				gone, there = append(gone, there[i]), slices.Delete(there, i, i+1)
			}
			if n := len(gone); n > 0 && q.Remove(gone[rng.IntN(n)].item) || q.Remove(foreign) || q.Remove(driver.Item{}) {
				t.Fatal("removed what is not in the queue")
			}
			if q.Len() != len(there) {
				t.Fatalf("%d values, want %d", q.Len(), len(there))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		defer cancel()
		if _, err := newQueue(t).Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Take of an empty queue: error %v", err)
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
				if _, err := q.Push(time.Hour, 1); err != nil {
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
				if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) || q.Len() != 0 {
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
