package main

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/examples/internal/beside"
)

func TestEntriesExpireUnlessTheyAreSetAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan int, 4)
		c := New(beside.Driver(t), func(key, _ int) { gone <- key })
		for key := range 4 {
			c.Set(key, key*10, time.Minute)
		}
		time.Sleep(30 * time.Second)
		c.Set(1, 11, time.Minute)
		c.Delete(2)
		c.Set(3, 13, 10*time.Second)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if _, ok := c.Get(3); ok || len(gone) != 1 || <-gone != 3 {
			t.Errorf("%d more have expired, want 3 alone, which was given less time", len(gone))
		}
		time.Sleep(11 * time.Second)
		if value, ok := c.Get(1); !ok || value != 11 || c.Len() != 1 {
			t.Errorf("1 is %v, %v; %d entries", value, ok, c.Len())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(gone) != 2 || c.Len() != 0 || c.d.Len() != 0 {
			t.Errorf("%d more have expired; %d entries, %d timers", len(gone), c.Len(), c.d.Len())
		}
	})
}

// timed is the same on package time.
type timed struct {
	mu      sync.Mutex
	entries map[int]*timedEntry
}

type timedEntry struct {
	value   int
	expires time.Time
	timer   *time.Timer
}

func (c *timed) set(key, value int, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		e = &timedEntry{value: value, expires: time.Now().Add(ttl)}
		e.timer = time.AfterFunc(ttl, func() { c.expire(key, e) })
		c.entries[key] = e
		return
	}
	e.value, e.expires = value, time.Now().Add(ttl)
	e.timer.Reset(ttl)
}

func (c *timed) expire(key int, e *timedEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == e && !time.Now().Before(e.expires) {
		delete(c.entries, key)
	}
}

// BenchmarkSet sets one of 100,000 entries again.
func BenchmarkSet(b *testing.B) {
	start := func(set func(key, value int, ttl time.Duration)) func(int) {
		op := func(i int) { set(i, i, time.Hour) }
		for i := range beside.N {
			op(i)
		}
		return op
	}
	beside.Run(b, beside.Side{Of: "driver", Start: func(b *testing.B) func(int) { return start(New[int, int](beside.Driver(b), nil).Set) }},
		beside.Side{Of: "time", Start: func(*testing.B) func(int) { return start((&timed{entries: make(map[int]*timedEntry)}).set) }})
}
