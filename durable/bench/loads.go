package main

import (
	"cmp"
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
	tries     = 3                // of which the median counts
	tryFor    = time.Second      // the longest time of a try
	rateFor   = 2 * time.Second  // how long timers are due at a constant rate
	backFor   = 3 * time.Second  // how long a backlog is stored, at most
	fillFor   = 20 * time.Second // how long pending timers are stored, at most
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

// each calls f with each timer, from 32 goroutines, for at most limit. It returns with how many.
func each(list []timer, limit time.Duration, f func(*timer) error) (int, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	end := time.Now().Add(limit)
	for range setters {
		wg.Go(func() {
			for failed.Load() == nil && time.Now().Before(end) {
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
	n := min(int(next.Load()), len(list))
	if err := failed.Load(); err != nil {
		return n, *err
	}
	return n, nil
}

// rate returns how many timers per second f has done, and their processor time.
func (s *site) rate(f func() (n int, err error)) (figure, int, error) {
	used, began := s.processor(), time.Now()
	n, err := f()
	took := time.Since(began)
	r := figure{float64(n) / took.Seconds(), float64((s.processor() - used).Microseconds()) / float64(max(n, 1))}
	fmt.Fprintf(os.Stderr, "%s: %d timers, %.0f a second, %.0f µs\n", s.Name, n, r.PerSecond, r.CPU)
	return r, n, err
}

func (s *site) setEach(ctx context.Context, list []timer, limit time.Duration) (figure, int, error) {
	return s.rate(func() (int, error) {
		return each(list, limit, func(t *timer) error { return s.client.Set(ctx, t) })
	})
}

// setMany sets timers in batches, one after the other, or one by one if there are no batches.
func (s *site) setMany(ctx context.Context, list []timer, limit time.Duration) (figure, int, error) {
	if s.Lacks["batch"] != "" {
		return s.setEach(ctx, list, limit)
	}
	end := time.Now().Add(limit)
	return s.rate(func() (n int, _ error) {
		for part := range slices.Chunk(list, batchSize) {
			if err := s.client.(batcher).SetMany(ctx, part); err != nil {
				return n, err
			}
			if n += len(part); time.Now().After(end) {
				break
			}
		}
		return n, nil
	})
}

// changeEach cancels or moves timers, all of which must be pending.
func (s *site) changeEach(list []timer, f func(timer) (bool, error)) (figure, error) {
	r, _, err := s.rate(func() (int, error) {
		return each(list, tryFor, func(t *timer) error {
			ok, err := f(*t)
			if err == nil && !ok {
				err = fmt.Errorf("timer %d is not pending", t.n)
			}
			return err
		})
	})
	return r, err
}

// wait waits until n events have come since before, and returns them: fewer once none comes for patience, or at end.
func (s *site) wait(before, n int, end time.Time) []event {
	last, at := 0, time.Now()
	for {
		count := s.count() - before
		if count > last {
			last, at = count, time.Now()
		}
		if count >= n || time.Since(at) > patience || time.Now().After(end) {
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
	if err := s.ready(ctx); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // the worker is ready, too
	var stored, batched, cancelled, moved []figure
	for try := range tries {
		far := farAway()
		first := 2 * try * size
		list := timers(first, size/tries, func(int) time.Time { return far })
		f, n, err := s.setEach(ctx, list, tryFor)
		if err != nil {
			return err
		}
		stored, list = append(stored, f), list[:n]
		if r.Lacks["batch"] == "" {
			if f, _, err = s.setMany(ctx, timers(first+size, size/tries, func(int) time.Time { return far }), tryFor); err != nil {
				return err
			}
			batched = append(batched, f)
		}
		if r.Lacks["move"] == "" {
			if f, err = s.changeEach(list[n/2:], func(t timer) (bool, error) { return s.client.(mover).Move(ctx, t, far.Add(time.Hour)) }); err != nil {
				return err
			}
			moved = append(moved, f)
		}
		if f, err = s.changeEach(list[:n/2], func(t timer) (bool, error) { return s.client.Cancel(ctx, t) }); err != nil {
			return err
		}
		cancelled = append(cancelled, f)
	}
	r.Stored, r.Batched, r.Moved, r.Cancelled = median(stored), median(batched), median(moved), median(cancelled)
	r.Rates = nil
	end := time.Now().Add(time.Hour) // patience decides
	for i, rate := range []int{1000, 5000} {
		n := min(int(rateFor.Seconds())*rate, size)
		due := time.Now().Add(2*time.Second + time.Duration(1.3*float64(n)/r.Stored.PerSecond*1e9))
		before := s.count()
		list := timers((2*tries+i)*size, n, func(i int) time.Time { return due.Add(time.Duration(i) * time.Second / time.Duration(rate)) })
		if _, _, err := s.setEach(ctx, list, time.Until(end)); err != nil {
			return err
		}
		r.Rates = append(r.Rates, latenessOf(rate, n, s.wait(before, n, end)))
	}
	best := max(r.Stored.PerSecond, r.Batched.PerSecond)
	list := timers(3*tries*size, min(size, int(backFor.Seconds()*best)), func(int) time.Time { return time.Time{} })
	due := time.Now().Add(3*time.Second + time.Duration(1.3*float64(len(list))/best*1e9))
	for i := range list {
		list[i].at = due
	}
	before := s.count()
	_, n, err := s.setMany(ctx, list, 2*backFor)
	if err != nil {
		return err
	}
	time.Sleep(time.Until(due))
	used := s.processor()
	events := s.wait(before, n, due.Add(2*backFor))
	if n := len(events); n > 0 {
		last := events[n-1].handled
		r.Fired = figure{float64(n) / last.Sub(due).Seconds(), float64((s.processor() - used).Microseconds()) / float64(n)}
	}
	return nil
}

// median returns the figure with the median rate, or none of none.
func median(list []figure) figure {
	if len(list) == 0 {
		return figure{}
	}
	slices.SortFunc(list, func(a, b figure) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
	return list[len(list)/2]
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
	_, n, err := s.setMany(ctx, timers(0, pending, func(int) time.Time { return far }), fillFor)
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // caches are dropped
	r.Pending = n
	r.Memory, r.Disk = (s.memory()-memory)/float64(n), (size(dir)-disk)/float64(n)
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
	if err == nil {
		r.Restart = time.Since(began).Seconds()
	}
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
