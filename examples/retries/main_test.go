package main

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/examples/internal/beside"
)

func TestJobsAreTriedAgainAfterLongerDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(beside.Driver(t), time.Second, 4)
		ctx, cancel := context.WithCancel(t.Context())
		go q.Run(ctx, 3)
		lost := errors.New("lost")
		var tries []time.Duration
		var last error
		start := time.Now()
		q.Add(func() error { tries = append(tries, time.Since(start)); return lost }, func(err error) { last = err })
		good := 0
		q.Add(func() error { good++; return nil }, func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(tries) != 4 || !errors.Is(last, lost) || good != 1 {
			t.Fatalf("tried at %v, with the error %v; the good one %d times", tries, last, good)
		}
		for i, full := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			if gap := tries[i+1] - tries[i]; gap < full/2 || gap > full+time.Millisecond {
				t.Errorf("%v between try %d and the next, want %v to %v", gap, i, full/2, full)
			}
		}
		q.Add(func() error { return lost }, nil)
		synctest.Wait()
		if q.jobs.Len() != 1 {
			t.Errorf("%d jobs wait, want 1", q.jobs.Len())
		}
		cancel()
		if err := q.Close(); err != nil || q.jobs.Len() != 0 || q.d.Len() != 0 {
			t.Errorf("%d jobs and %d timers are left, error %v", q.jobs.Len(), q.d.Len(), err)
		}
	})
}

// BenchmarkFail has 100,000 jobs wait for an hour; a batch of 1,000 others, one an op, fails once
// and is tried again within 4 ms, by one worker.
func BenchmarkFail(b *testing.B) {
	const batch, first = 1000, 4 * time.Millisecond
	each := func(run func(n int, done func(error))) func(int) {
		var all sync.WaitGroup
		n := 0
		return func(int) {
			if n++; n == batch {
				all.Add(n)
				run(n, func(error) { all.Done() })
				all.Wait()
				n = 0
			}
		}
	}
	failsOnce := func() func() error {
		failed := false
		return func() error {
			if !failed {
				failed = true
				return context.Canceled
			}
			return nil
		}
	}
	beside.Run(b, beside.Side{Of: "driver", Start: func(b *testing.B) func(int) {
		q := New(beside.Driver(b), first, 2)
		for range beside.N {
			q.jobs.Push(time.Hour, job{})
		}
		go q.Run(b.Context(), 1)
		return each(func(n int, done func(error)) {
			for range n {
				q.Add(failsOnce(), done)
			}
		})
	}}, beside.Side{Of: "time", Start: func(b *testing.B) func(int) {
		ready := make(chan job, batch) // as package time has no queue
		for range beside.N {
			var j job
			time.AfterFunc(time.Hour, func() { ready <- j })
		}
		q := New(beside.Driver(b), first, 2) // for its delays
		go func() {
			for {
				select {
				case <-b.Context().Done():
					return
				case j := <-ready:
					err := j.do()
					if j.failed++; err == nil {
						j.done(nil)
						continue
					}
					time.AfterFunc(q.delay(j.failed), func() { ready <- j })
				}
			}
		}()
		return each(func(n int, done func(error)) {
			for range n {
				ready <- job{do: failsOnce(), done: done}
			}
		})
	}})
}
