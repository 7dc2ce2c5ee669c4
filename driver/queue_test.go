package driver_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
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

// queueInBubble runs a test in virtual time, with a Queue of each setup.
func queueInBubble(t *testing.T, test func(t *testing.T, q *driver.Queue[int])) {
	t.Helper()
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newQueue(t, s.opts...)) })
		})
	}
}

func mustTake(t *testing.T, q *driver.Queue[int], want int) {
	t.Helper()
	if got, err := q.Take(t.Context()); got != want || err != nil {
		t.Errorf("took %d, error %v, want %d", got, err, want)
	}
}

func mustTimeOut(t *testing.T, q *driver.Queue[int]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ms)
	defer cancel()
	if got, err := q.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("took %d, error %v", got, err)
	}
}

func TestQueueGivesWhatIsDueInOrder(t *testing.T) {
	queueInBubble(t, func(t *testing.T, q *driver.Queue[int]) {
		start := time.Now()
		for i := range 100 {
			at := 1 + i*37%100
			q.Push(time.Duration(at)*10*ms, at)
		}
		for want := range 50 {
			mustTake(t, q, want+1)
			if at := time.Since(start); at != time.Duration(want+1)*10*ms {
				t.Errorf("took %d after %v", want+1, at)
			}
		}
		time.Sleep(time.Minute) // the others wait
		if q.Len() != 50 {
			t.Errorf("%d values, want 50", q.Len())
		}
		q.Push(0, 1000)
		for want := range 50 {
			mustTake(t, q, want+51)
		}
		mustTake(t, q, 1000)
		mustTimeOut(t, q)
	})
}

// As many that wait as there are values get one.
func TestQueueWakesUpAllItHasAValueFor(t *testing.T) {
	queueInBubble(t, func(t *testing.T, q *driver.Queue[int]) {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := q.Take(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		for i := range 10 {
			q.Push(ms, i)
		}
		wg.Wait()
	})
}

func TestQueueRemove(t *testing.T) {
	queueInBubble(t, func(t *testing.T, q *driver.Queue[int]) {
		var items []driver.Item
		for i := range 6 {
			items = append(items, q.Push(time.Duration(1+i)*time.Second, i))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		mustTake(t, q, 0)
		for i, want := range []bool{false, true, true, true, true, true} { // taken, due, due, not due ...
			if got := q.Remove(items[i]); got != want {
				t.Errorf("Remove of %d returned %t", i, got)
			}
			if q.Remove(items[i]) {
				t.Errorf("removed %d a second time", i)
			}
		}
		if q.Len() != 0 {
			t.Errorf("%d values are left", q.Len())
		}
		other := newQueue(t)
		if q.Remove(other.Push(time.Hour, 1)) || q.Remove(driver.Item{}) || other.Len() != 1 {
			t.Error("removed what is not in the queue")
		}
		mustTimeOut(t, q)
	})
}

func TestQueueAfterClose(t *testing.T) {
	queueInBubble(t, func(t *testing.T, q *driver.Queue[int]) {
		q.Push(ms, 1)
		q.Push(time.Hour, 2)
		time.Sleep(time.Second)
		waiting := newQueue(t)
		var closed atomic.Int64
		for range 3 {
			go func() {
				if _, err := waiting.Take(context.Background()); errors.Is(err, driver.ErrClosed) {
					closed.Add(1)
				}
			}()
		}
		synctest.Wait()
		if err := errors.Join(waiting.Close(), q.Close(), q.Close()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if closed.Load() != 3 {
			t.Errorf("%d that waited have heard of Close", closed.Load())
		}
		if _, err := q.Take(t.Context()); !errors.Is(err, driver.ErrClosed) || q.Len() != 0 {
			t.Errorf("error %v, %d values", err, q.Len())
		}
		if q.Push(0, 3) != (driver.Item{}) || q.Len() != 0 {
			t.Error("pushed after Close")
		}
	})
}

// Several goroutines push, take and remove: each value is taken or removed, once.
func TestQueueRaces(t *testing.T) {
	for _, s := range setups {
		t.Run(s.name, func(t *testing.T) {
			const goroutines, n = 3, 3000
			q := newQueue(t, append([]driver.Option{driver.Tick(50 * µs)}, s.opts...)...)
			ends := make([]atomic.Int32, goroutines*n)
			ctx, cancel := context.WithCancel(context.Background())
			var pushers, takers sync.WaitGroup
			for g := range goroutines {
				pushers.Go(func() {
					rng := rand.New(rand.NewPCG(6, uint64(g)))
					for i := range n {
						item := q.Push(time.Duration(rng.IntN(300))*µs, g*n+i)
						if rng.IntN(3) == 0 {
							runtime.Gosched()
							if q.Remove(item) {
								ends[g*n+i].Add(1)
							}
						}
					}
				})
				takers.Go(func() {
					for {
						value, err := q.Take(ctx)
						if err != nil {
							return
						}
						ends[value].Add(1)
					}
				})
			}
			pushers.Wait()
			eachOnce(t, ends)
			cancel()
			takers.Wait()
			if q.Len() != 0 {
				t.Errorf("%d values are left", q.Len())
			}
		})
	}
}
