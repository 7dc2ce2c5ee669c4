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

// Any order of calls does to a Queue what it does to a list of values with their times.
func TestQueueAgainstAList(t *testing.T) {
	type pushed struct {
		value int
		due   time.Duration // the tick from which on it can be taken
		item  driver.Item
	}
	queueInBubble(t, func(t *testing.T, q *driver.Queue[int]) {
		other := newQueue(t)
		foreign := other.Push(time.Hour, 1)
		start := time.Now()
		rng := rand.New(rand.NewPCG(1, 6))
		var there, gone []pushed
		for value := range 2000 {
			time.Sleep(time.Duration(rng.IntN(3)) * 450 * µs)
			synctest.Wait()
			now := time.Since(start)
			switch op := rng.IntN(10); {
			case op < 5:
				delay := time.Duration(rng.IntN(9)-1) * ms / 2
				due := now
				if delay > 0 {
					due = tickAt(now + delay)
				}
				there = append(there, pushed{value, due, q.Push(delay, value)})
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
				first := slices.MinFunc(there, func(a, b pushed) int { return cmp.Compare(a.due, b.due) })
				if at := time.Since(start); there[i].due != first.due || at != max(now, first.due) {
					t.Fatalf("took at %v what was due at %v, want %v", at, there[i].due, first.due)
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
