package main

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/examples/internal/measure"
)

func TestABurstIsAllowedAndThenOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New[string](measure.Driver(t), time.Second, 3)
		allowed := func(n int) (count int) {
			for range n {
				if l.Allow("a") {
					count++
				}
			}
			return count
		}
		for _, step := range []struct {
			wait time.Duration
			want int
		}{{0, 3}, {999 * time.Millisecond, 0}, {time.Millisecond, 1}, {2 * time.Second, 2}, {time.Hour, 3}} {
			time.Sleep(step.wait)
			if got := allowed(10); got != step.want {
				t.Errorf("after %v more %d are allowed, want %d", step.wait, got, step.want)
			}
		}
		if !l.Allow("b") {
			t.Error("b has to wait for a")
		}
		start := time.Now()
		if err := l.Wait(t.Context(), "a"); err != nil || time.Since(start) > 1001*time.Millisecond || time.Since(start) < time.Second {
			t.Errorf("Wait took %v, error %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := l.Wait(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait beyond its context: %v", err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(l.clients) != 0 || l.d.Len() != 0 {
			t.Errorf("%d clients and %d timers are left", len(l.clients), l.d.Len())
		}
	})
}

// timed is the limiter on package time.
type timed struct {
	every, burst time.Duration

	mu      sync.Mutex
	clients map[int]*timedClient
}

type timedClient struct {
	next   time.Time
	forget *time.Timer
}

func (l *timed) allow(key int) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[key]
	if c == nil {
		c = new(timedClient)
		c.forget = time.AfterFunc(l.every, func() { l.remove(key, c) })
		l.clients[key] = c
	}
	next := now.Add(max(0, c.next.Sub(now)) + l.every)
	if next.Sub(now) > l.burst {
		return false
	}
	c.next = next
	c.forget.Reset(next.Sub(now))
	return true
}

func (l *timed) remove(key int, c *timedClient) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[key] == c && !time.Now().Before(c.next) {
		delete(l.clients, key)
	}
}

// BenchmarkAllow makes an allowed request of one of 100,000 clients.
func BenchmarkAllow(b *testing.B) {
	const every, burst = time.Minute, 1 << 20
	start := func(allow func(int) bool) func(int) {
		for i := range measure.N {
			allow(i)
		}
		return func(i int) { allow(i) }
	}
	measure.Run(b, measure.Side{Of: "driver", Start: func(b *testing.B) func(int) { return start(New[int](measure.Driver(b), every, burst).Allow) }},
		measure.Side{Of: "time", Start: func(*testing.B) func(int) {
			return start((&timed{every: every, burst: every * burst, clients: make(map[int]*timedClient)}).allow)
		}})
}
