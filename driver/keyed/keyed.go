// Package keyed holds values that expire by their keys, with one timer of a driver for each.
package keyed

import (
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Map holds values that expire, each with its key. Make one with New. Any goroutine may
// call its methods, and so may its function.
//
// A value whose deadline has come expires when its function is called. Until then the key can be
// set, moved and removed.
type Map[K comparable, V any] struct {
	d     *driver.Driver
	f     func(K, V)
	seed  maphash.Seed
	parts []part[K, V]
}

// part holds the keys with certain hashes.
type part[K comparable, V any] struct {
	mu    sync.Mutex
	items map[K]*item[K, V] // nil after Close
	_     [64]byte
}

type item[K comparable, V any] struct {
	key   K
	value V
	h     driver.Handle
}

// New returns an empty Map whose values wait in d. It calls f with each key that expires and its value, in the
// way in which d executes functions. The key is removed before the call. New panics if d or f is nil.
func New[K comparable, V any](d *driver.Driver, f func(K, V)) *Map[K, V] {
	if d == nil || f == nil {
		panic("keyed: New: the driver or the function is nil")
	}
	k := &Map[K, V]{d: d, f: f, seed: maphash.MakeSeed(), parts: make([]part[K, V], 4*runtime.GOMAXPROCS(0))}
	for i := range k.parts {
		k.parts[i].items = make(map[K]*item[K, V])
	}
	return k
}

func (k *Map[K, V]) part(key K) *part[K, V] {
	return &k.parts[maphash.Comparable(k.seed, key)%uint64(len(k.parts))]
}

// Set stores value under key until delay has passed, and replaces the value that is there. After Close of k or of the
// driver it returns driver.ErrClosed, and the key is missing. Set panics if key cannot be found again, because it does not
// equal itself: a NaN, or an interface, array or struct that contains one.
func (k *Map[K, V]) Set(key K, value V, delay time.Duration) error {
	if same := key; key != same {
		panic(fmt.Sprintf("keyed: Set: the key %v of type %T does not equal itself, so it cannot be found again", key, key))
	}
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.items == nil || !k.put(p, key, value, delay) {
		return driver.ErrClosed
	}
	return nil
}

// put stores a value. It reports false, and removes the key, if the driver is closed.
func (k *Map[K, V]) put(p *part[K, V], key K, value V, delay time.Duration) bool {
	if it, ok := p.items[key]; ok {
		if delay > 0 && it.h.Reset(delay) {
			it.value = value
			return true
		}
		it.h.Stop() // if it has come due, it is replaced before it expires
	}
	it := &item[K, V]{key: key, value: value}
	it.h = k.d.Schedule(delay, func() { k.expire(p, it) })
	if it.h == (driver.Handle{}) {
		delete(p.items, key)
		return false
	}
	p.items[key] = it
	return true
}

// Get returns the value of key. It returns false if the key is missing.
func (k *Map[K, V]) Get(key K) (value V, ok bool) {
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if it := p.items[key]; it != nil {
		return it.value, true
	}
	return value, false
}

// expire ends an item that has come due, unless it has been replaced or removed.
func (k *Map[K, V]) expire(p *part[K, V], it *item[K, V]) {
	p.mu.Lock()
	due := p.items[it.key] == it
	if due {
		delete(p.items, it.key)
	}
	p.mu.Unlock()
	if due {
		k.f(it.key, it.value)
	}
}

// Move makes key expire after delay from now. It returns false if the key is missing. After Close of the driver it removes
// the key and returns false.
func (k *Map[K, V]) Move(key K, delay time.Duration) bool {
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	it, ok := p.items[key]
	return ok && k.put(p, key, it.value, delay)
}

// Remove removes key and returns its value. It returns false if the key is missing.
func (k *Map[K, V]) Remove(key K) (value V, ok bool) {
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	it, ok := p.items[key]
	if !ok {
		return value, false
	}
	it.h.Stop()
	delete(p.items, key)
	return it.value, true
}

// Drain removes all keys and calls f with each key and its value, one after the other. Keys that
// are set meanwhile may stay.
func (k *Map[K, V]) Drain(f func(K, V)) {
	for i := range k.parts {
		for key, it := range k.parts[i].clear(false) {
			f(key, it.value)
		}
	}
}

// clear removes all items. If end is true, none can be set afterwards.
func (p *part[K, V]) clear(end bool) map[K]*item[K, V] {
	p.mu.Lock()
	defer p.mu.Unlock()
	items := p.items
	p.items = nil
	if !end && items != nil {
		p.items = make(map[K]*item[K, V])
	}
	for _, it := range items {
		it.h.Stop()
	}
	return items
}

// Len returns the number of keys.
func (k *Map[K, V]) Len() int {
	n := 0
	for i := range k.parts {
		p := &k.parts[i]
		p.mu.Lock()
		n += len(p.items)
		p.mu.Unlock()
	}
	return n
}

// Close drops all keys. Afterwards none expires and none can be set. The driver stays open. If
// the driver is closed instead, its keys stay until Close. The error is always nil.
func (k *Map[K, V]) Close() error {
	for i := range k.parts {
		k.parts[i].clear(true)
	}
	return nil
}
