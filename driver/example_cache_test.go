package driver_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// cache is a map whose entries are evicted after some time without a use.
type cache[K comparable, V any] struct {
	ttl     time.Duration
	expires *driver.Keyed[K, struct{}]

	mu      sync.RWMutex
	entries map[K]V
}

// newCache returns an empty cache. It calls evicted with each key that it evicts.
func newCache[K comparable, V any](d *driver.Driver, ttl time.Duration, evicted func(K)) *cache[K, V] {
	c := &cache[K, V]{ttl: ttl, entries: make(map[K]V)}
	c.expires = driver.NewKeyed(d, func(key K, _ struct{}) {
		c.mu.Lock()
		delete(c.entries, key)
		c.mu.Unlock()
		evicted(key)
	})
	return c
}

// Put stores a value.
func (c *cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = value
	c.expires.Set(key, struct{}{}, c.ttl)
}

// Get returns the value of a key, and restarts its time.
func (c *cache[K, V]) Get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.entries[key]
	if ok {
		c.expires.Move(key, c.ttl)
	}
	return value, ok
}

// A cache evicts entries that have not been used for some time.
func Example_cache() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()

	evicted := make(chan string)
	users := newCache[string, int](d, 20*time.Millisecond, func(key string) { evicted <- key })

	users.Put("alice", 1)
	users.Put("bob", 2)
	var gone string
	for gone == "" { // alice is used again and again
		select {
		case gone = <-evicted:
		default:
			users.Get("alice")
		}
	}
	_, ok := users.Get(gone)
	fmt.Println(gone, "has gone:", !ok)
	fmt.Println("then", <-evicted)
	// Output:
	// bob has gone: true
	// then alice
}
