// Command ratelimit shows a rate limit per client: a burst of requests, and then one request per
// interval. A timer forgets a client that has been quiet, so the limiter holds only recent
// clients.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Limiter limits the rate of requests of each client.
type Limiter[K comparable] struct {
	d     *driver.Driver
	every time.Duration // between two requests
	burst time.Duration // how far ahead of that a client may be

	mu      sync.Mutex
	clients map[K]*client
}

// client is a client that has made a request. At next its whole burst is available again, and it
// can be forgotten. Every request moves the timer.
type client struct {
	next   time.Time
	forget driver.Timer
}

// New returns a limiter that allows each client burst requests at once, and one more per
// interval.
func New[K comparable](d *driver.Driver, every time.Duration, burst int) *Limiter[K] {
	return &Limiter[K]{d: d, every: every, burst: every * time.Duration(burst), clients: make(map[K]*client)}
}

// Allow reports whether a client may make a request now. A request that is refused does not
// count.
func (l *Limiter[K]) Allow(key K) bool { return l.take(key, 0) == 0 }

// Wait waits until a client may make its request, or until ctx ends. The request counts in both
// cases.
func (l *Limiter[K]) Wait(ctx context.Context, key K) error {
	wait := l.take(key, 1<<62)
	if wait == 0 {
		return nil
	}
	t := l.d.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take counts a request and returns how long it must wait. A request that would have to wait for
// more than most does not count.
func (l *Limiter[K]) take(key K, most time.Duration) (wait time.Duration) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[key]
	if c == nil {
		c = new(client)
		l.d.Init(&c.forget, func() { l.forget(key, c) })
		l.clients[key] = c
	}
	next := now.Add(max(0, c.next.Sub(now)) + l.every)
	if wait = max(0, next.Sub(now)-l.burst); wait > most {
		return wait
	}
	c.next = next
	c.forget.Reset(next.Sub(now))
	return wait
}

// forget is called by the timer. A request may have come meanwhile.
func (l *Limiter[K]) forget(key K, c *client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[key] == c && !time.Now().Before(c.next) {
		delete(l.clients, key)
	}
}

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	l := New[string](d, 50*time.Millisecond, 3)
	for range 5 {
		fmt.Println("alice:", l.Allow("alice"), "bob:", l.Allow("bob"))
	}
	start := time.Now()
	if err := l.Wait(context.Background(), "alice"); err != nil {
		log.Fatal(err)
	}
	fmt.Println("alice has waited for", time.Since(start).Round(10*time.Millisecond))
}
