package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	setters   = 32
	batchSize = 1000
	rateFor   = 4 * time.Second  // how long timers are due at a constant rate
	patience  = 30 * time.Second // for timers that should have been handled
)

func (r *result) measure(ctx context.Context, size, pending, kills int) error {
	dir, err := os.MkdirTemp("", "durable-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if size > 0 {
		if err := r.loads(ctx, filepath.Join(dir, "loads"), size); err != nil {
			return err
		}
	}
	if pending > 0 {
		if err := r.fill(ctx, filepath.Join(dir, "pending"), pending); err != nil {
			return err
		}
	}
	if kills > 0 {
		return r.suffer(ctx, dir, kills)
	}
	return nil
}

// farAway returns a deadline after the end of each run.
func farAway() time.Time { return time.Now().AddDate(1, 0, 0) }

// timers returns n timers from the first one on.
func timers(first, n int, at func(i int) time.Time) []timer {
	list := make([]timer, n)
	for i := range list {
		list[i] = timer{n: first + i, at: at(i)}
	}
	return list
}

// each calls f with each timer, from 32 goroutines.
func each(list []timer, f func(*timer) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range setters {
		wg.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				if err := f(&list[i]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// rate returns how many timers per second f has done, and their processor time.
func (s *site) rate(f func() (n int, err error)) (figure, error) {
	used, began := s.processor(), time.Now()
	n, err := f()
	took := time.Since(began)
	r := figure{float64(n) / took.Seconds(), float64((s.processor() - used).Microseconds()) / float64(max(n, 1))}
	fmt.Fprintf(os.Stderr, "%s: %d timers, %.0f a second, %.0f µs\n", s.Name, n, r.PerSecond, r.CPU)
	return r, err
}

func (s *site) setEach(ctx context.Context, list []timer) (figure, error) {
	return s.rate(func() (int, error) {
		return len(list), each(list, func(t *timer) error { return s.client.Set(ctx, t) })
	})
}

// setMany sets timers in batches, one after the other, or one by one if there are no batches.
func (s *site) setMany(ctx context.Context, list []timer) (figure, error) {
	if s.Lacks["batch"] != "" {
		return s.setEach(ctx, list)
	}
	return s.rate(func() (int, error) {
		for part := range slices.Chunk(list, batchSize) {
			if err := s.client.SetMany(ctx, part); err != nil {
				return 0, err
			}
		}
		return len(list), nil
	})
}

// changeEach cancels or moves timers, all of which must be pending.
func (s *site) changeEach(list []timer, f func(timer) (bool, error)) (figure, error) {
	return s.rate(func() (int, error) {
		return len(list), each(list, func(t *timer) error {
			ok, err := f(*t)
			if err == nil && !ok {
				err = fmt.Errorf("timer %d is not pending", t.n)
			}
			return err
		})
	})
}

// wait waits until n events have come since before, and returns them: fewer once none comes for patience.
func (s *site) wait(before, n int) []event {
	last, at := 0, time.Now()
	for {
		count := s.count() - before
		if count > last {
			last, at = count, time.Now()
		}
		if count >= n || time.Since(at) > patience {
			return s.since(before)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// loads measures a new site.
func (r *result) loads(ctx context.Context, dir string, size int) error {
	s, err := r.run(ctx, dir)
	if err != nil {
		return err
	}
	defer s.close()
	far := farAway()
	if err := s.ready(ctx); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // the worker is ready, too
	first := timers(0, size, func(int) time.Time { return far })
	if r.Stored, err = s.setEach(ctx, first); err != nil {
		return err
	}
	if r.Lacks["batch"] == "" {
		if r.Batched, err = s.setMany(ctx, timers(size, size, func(int) time.Time { return far })); err != nil {
			return err
		}
	}
	if r.Lacks["move"] == "" {
		if r.Moved, err = s.changeEach(first[size/2:], func(t timer) (bool, error) { return s.client.Move(ctx, t, far.Add(time.Hour)) }); err != nil {
			return err
		}
	}
	if r.Cancelled, err = s.changeEach(first[:size/2], func(t timer) (bool, error) { return s.client.Cancel(ctx, t) }); err != nil {
		return err
	}
	r.Rates = nil
	for i, rate := range []int{1000, 5000} {
		n := min(int(rateFor.Seconds())*rate, size)
		due := time.Now().Add(2*time.Second + time.Duration(2*float64(n)/r.Stored.PerSecond*1e9))
		before := s.count()
		if _, err := s.setEach(ctx, timers((2+i)*size, n, func(i int) time.Time { return due.Add(time.Duration(i) * time.Second / time.Duration(rate)) })); err != nil {
			return err
		}
		r.Rates = append(r.Rates, latenessOf(rate, n, s.wait(before, n)))
	}
	due := time.Now().Add(3*time.Second + time.Duration(1.3*float64(size)/max(r.Stored.PerSecond, r.Batched.PerSecond)*1e9))
	before := s.count()
	if _, err := s.setMany(ctx, timers(4*size, size, func(int) time.Time { return due })); err != nil {
		return err
	}
	time.Sleep(time.Until(due))
	used := s.processor()
	events := s.wait(before, size)
	if n := len(events); n > 0 {
		last := events[n-1].handled
		r.Fired = figure{float64(n) / last.Sub(due).Seconds(), float64((s.processor() - used).Microseconds()) / float64(n)}
	}
	return nil
}

func latenessOf(rate, n int, events []event) lateness {
	l := lateness{Rate: rate, Missing: n - len(events)}
	var late []float64
	for _, e := range events {
		late = append(late, float64(e.late().Microseconds())/1000)
		if e.late() < 0 {
			l.Early++
		}
	}
	slices.Sort(late)
	if k := len(late); k > 0 {
		l.P50, l.P99, l.Max = late[k/2], late[k*99/100], late[k-1]
	}
	return l
}

// fill measures memory, disk and the start after a kill with many pending timers.
func (r *result) fill(ctx context.Context, dir string, pending int) error {
	s, err := r.run(ctx, dir)
	if err != nil {
		return err
	}
	defer s.close()
	far := farAway()
	if err := s.ready(ctx); err != nil {
		return err
	}
	memory, disk := s.memory(), size(dir)
	if _, err := s.setMany(ctx, timers(0, pending, func(int) time.Time { return far })); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // caches are dropped
	r.Pending = pending
	r.Memory, r.Disk = (s.memory()-memory)/float64(pending), (size(dir)-disk)/float64(pending)
	for i := range s.servers {
		s.killServer(i)
	}
	began := time.Now()
	for i := range s.servers {
		if err := s.startServer(i); err != nil {
			return err
		}
	}
	err = s.try(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return s.client.Set(ctx, &timer{n: -2 - rand.IntN(1e9), at: far})
	})
	r.Restart = time.Since(began).Seconds()
	return err
}

// size returns the bytes of all files in a folder.
func size(dir string) (sum float64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil { // otherwise it is gone
				sum += float64(info.Size())
			}
		}
		return nil
	})
	return sum
}
