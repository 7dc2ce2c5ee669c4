// Command cache shows a cache whose entries go once their time is over, each by a timer of its
// own: nothing scans for them, and no memory is held by what nobody asks for any more.
package main

import (
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Cache is a map whose entries expire. All methods can be called from any goroutine.
type Cache[K comparable, V any] struct {
	d       *driver.Driver
	evicted func(K, V) // what expired; nil if nobody wants to know

	mu      sync.Mutex
	entries map[K]*entry[V]
}

// entry is one value. Its timer is a part of it: to set it again moves the timer.
type entry[V any] struct {
	value   V
	expires time.Time
	timer   driver.Timer
}

// New returns an empty cache. It calls evicted, if that is not nil, with what has expired.
func New[K comparable, V any](d *driver.Driver, evicted func(K, V)) *Cache[K, V] {
	return &Cache[K, V]{d: d, evicted: evicted, entries: make(map[K]*entry[V])}
}

// Set stores a value for so long.
func (c *Cache[K, V]) Set(key K, value V, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		e = new(entry[V])
		c.d.Init(&e.timer, func() { c.expire(key, e) })
		c.entries[key] = e
	}
	e.value, e.expires = value, time.Now().Add(ttl)
	e.timer.Reset(ttl)
}

// Get returns a value that has not expired.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil || !time.Now().Before(e.expires) {
		return value, false
	}
	return e.value, true
}

// Delete removes a value before its time. It is not reported as evicted.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		e.timer.Stop()
		delete(c.entries, key)
	}
}

// Len returns the number of values.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

// expire is called by the timer. The entry may have been set again or deleted meanwhile.
func (c *Cache[K, V]) expire(key K, e *entry[V]) {
	c.mu.Lock()
	if c.entries[key] != e || time.Now().Before(e.expires) {
		c.mu.Unlock()
		return
	}
	delete(c.entries, key)
	value := e.value
	c.mu.Unlock()
	if c.evicted != nil {
		c.evicted(key, value)
	}
}

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	gone := make(chan string)
	c := New(d, func(key string, _ int) { gone <- key })
	c.Set("long", 1, time.Hour)
	c.Set("short", 2, 20*time.Millisecond)
	fmt.Println(<-gone, "has expired,", c.Len(), "is left")
}
