package driver_test

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// cache is a map whose entries are evicted after some time without a use.
type cache[K comparable, V any] struct {
	*driver.Keyed[K, V]
	ttl time.Duration
}

// Put stores a value.
func (c cache[K, V]) Put(key K, value V) error { return c.Set(key, value, c.ttl) }

// Use returns the value of a key, and restarts its time.
func (c cache[K, V]) Use(key K) (V, bool) {
	c.Move(key, c.ttl)
	return c.Get(key)
}

// A cache evicts entries that have not been used for some time.
func Example_cache() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()

	evicted := make(chan string)
	users := cache[string, int]{driver.NewKeyed(d, func(key string, _ int) { evicted <- key }), 20 * time.Millisecond}

	for i, name := range []string{"alice", "bob"} {
		if err := users.Put(name, i); err != nil {
			fmt.Println(err)
		}
	}
	var gone string
	for gone == "" { // alice is used again and again
		select {
		case gone = <-evicted:
		default:
			users.Use("alice")
		}
	}
	_, ok := users.Get(gone)
	fmt.Println(gone, "has gone:", !ok)
	fmt.Println("then", <-evicted)
	// Output:
	// bob has gone: true
	// then alice
}
