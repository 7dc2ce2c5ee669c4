package driver

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"time"
)

// Keyed holds values that expire, each with its key. Make one with NewKeyed. Any goroutine may
// call its methods, and so may its function.
//
// A value whose deadline has come expires when its function is called. Until then the key can be
// set, moved and removed.
//
// Get, Set, Move and Remove cost O(1) and take one of several locks, by the key. Set of a new key allocates. Len, Drain and
// Close take each lock in turn.
type Keyed[K comparable, V any] struct {
	d     *Driver
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
	h     Handle
}

// NewKeyed returns an empty Keyed whose values wait in d. It calls f with each key that expires and its value, in the
// way in which d executes functions. The key is removed before the call. NewKeyed panics if d or f is nil.
func NewKeyed[K comparable, V any](d *Driver, f func(K, V)) *Keyed[K, V] {
	mustDrive(d, "NewKeyed")
	if f == nil {
		panic("driver: NewKeyed: the function is nil")
	}
	k := &Keyed[K, V]{d: d, f: f, seed: maphash.MakeSeed(), parts: make([]part[K, V], len(d.shards))}
	for i := range k.parts {
		k.parts[i].items = make(map[K]*item[K, V])
	}
	return k
}

// mustDrive panics unless d was made by New.
func mustDrive(d *Driver, caller string) {
	if d == nil {
		panic("driver: " + caller + ": the driver is nil: make one with New")
	}
	if len(d.shards) == 0 {
		panic(errZero)
	}
}

func (k *Keyed[K, V]) part(key K) *part[K, V] {
	return &k.parts[maphash.Comparable(k.seed, key)%uint64(len(k.parts))]
}

// Set stores value under key until delay has passed, and replaces the value that is there. After Close of k or of the
// driver it returns ErrClosed, and the key is missing. Set panics if key cannot be found again, because it does not
// equal itself: a NaN, or an interface, array or struct that contains one.
func (k *Keyed[K, V]) Set(key K, value V, delay time.Duration) error {
	if same := key; key != same {
		panic(fmt.Sprintf("driver: Keyed: Set: the key %v of type %T does not equal itself, so it cannot be found again", key, key))
	}
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.items == nil || !k.put(p, key, value, delay) {
		return ErrClosed
	}
	return nil
}

// put stores a value. It reports false, and removes the key, if the driver is closed.
func (k *Keyed[K, V]) put(p *part[K, V], key K, value V, delay time.Duration) bool {
	if it, ok := p.items[key]; ok {
		if delay > 0 && it.h.Reset(delay) {
			it.value = value
			return true
		}
		it.h.Stop() // if it has come due, it is replaced before it expires
	}
	it := &item[K, V]{key: key, value: value}
	it.h = k.d.Schedule(delay, func() { k.expire(p, it) })
	if it.h == (Handle{}) {
		delete(p.items, key)
		return false
	}
	p.items[key] = it
	return true
}

// Get returns the value of key. It returns false if the key is missing.
func (k *Keyed[K, V]) Get(key K) (value V, ok bool) {
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if it := p.items[key]; it != nil {
		return it.value, true
	}
	return value, false
}

// expire ends an item that has come due, unless it has been replaced or removed.
func (k *Keyed[K, V]) expire(p *part[K, V], it *item[K, V]) {
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
func (k *Keyed[K, V]) Move(key K, delay time.Duration) bool {
	p := k.part(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	it, ok := p.items[key]
	return ok && k.put(p, key, it.value, delay)
}

// Remove removes key and returns its value. It returns false if the key is missing.
func (k *Keyed[K, V]) Remove(key K) (value V, ok bool) {
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
func (k *Keyed[K, V]) Drain(f func(K, V)) {
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
func (k *Keyed[K, V]) Len() int {
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
func (k *Keyed[K, V]) Close() error {
	for i := range k.parts {
		k.parts[i].clear(true)
	}
	return nil
}

// Queue is a delay queue: its values can be taken when their delays have passed, in the order of
// their deadlines, and with equal deadlines in the order in which they were pushed. So values that
// a goroutine pushes with the same delay come out in order. A deadline is the time of the Push plus
// the delay; it is not rounded up to a tick, but a Take that waits is woken up at a tick. Make one with NewQueue. Any
// goroutine may call its methods. Push, Take and Remove cost O(log n).
//
// A Queue is one timer of its driver, which is pending while a Take waits for a value that is not due.
type Queue[T any] struct {
	timer  internal
	d      *Driver
	wake   chan struct{} // holds an item if a Take must look: the first value is another one, or is due
	closed chan struct{} // closed under mu

	mu     sync.Mutex // never locked by due, which has the lock of the shard
	values byDeadline[T]
	pushes uint64 // number of values so far
}

// queued is a value. The mutex of the queue guards place.
type queued[T any] struct {
	q      *Queue[T]
	at     int64  // its deadline, in ns since the start of the driver
	number uint64 // the number of pushes before
	place  int    // in the heap, from 1; 0 if it is not there
	value  T
}

// byDeadline is a heap.
type byDeadline[T any] []*queued[T]

func (b byDeadline[T]) Len() int { return len(b) }

func (b byDeadline[T]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(b[i].at, b[j].at), cmp.Compare(b[i].number, b[j].number)) < 0
}

func (b byDeadline[T]) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].place, b[j].place = i+1, j+1
}

func (b *byDeadline[T]) Push(x any) {
	e := x.(*queued[T])
	*b = append(*b, e)
	e.place = len(*b)
}

func (b *byDeadline[T]) Pop() any {
	last := len(*b) - 1
	e := (*b)[last]
	(*b)[last], e.place = nil, 0
	*b = (*b)[:last]
	return e
}

// Item names a value in a Queue. The zero Item names none.
type Item struct{ queued any }

// NewQueue returns an empty queue whose values wait in d. It starts no goroutines, and the way in
// which d executes functions does not matter. It panics if d is nil.
func NewQueue[T any](d *Driver) *Queue[T] {
	mustDrive(d, "NewQueue")
	q := &Queue[T]{d: d, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	q.timer.owner, q.timer.t.sh = q, d.assign()
	return q
}

// Push adds a value that can be taken after delay. After Close of the queue or of its driver, it
// does nothing and returns ErrClosed.
func (q *Queue[T]) Push(delay time.Duration, value T) (Item, error) {
	e := &queued[T]{q: q, at: after(q.d.clock.soon(), int64(max(delay, 0))), value: value}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isClosed() {
		return Item{}, ErrClosed
	}
	e.number = q.pushes
	q.pushes++
	heap.Push(&q.values, e)
	if e.place == 1 {
		q.signal()
	}
	return Item{e}, nil
}

// due is called by the pass.
func (q *Queue[T]) due() bool {
	q.timer.t.sh.fired++
	q.signal()
	return true
}

// signal makes one Take look that waits, or the next one that would.
func (q *Queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Remove removes a value from the queue, whether it is due or not. It returns false if the value
// is not there, because it was taken or removed before or is in another queue, or after a Close.
func (q *Queue[T]) Remove(item Item) bool {
	e, ok := item.queued.(*queued[T])
	if !ok || e.q != q {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.place == 0 || q.isClosed() {
		return false
	}
	heap.Remove(&q.values, e.place-1)
	return true
}

// Take takes the value with the earliest deadline of those that are due. If none is due, it waits until one is, until ctx ends, or
// until Close of the queue or of its driver. After a Close it returns ErrClosed.
func (q *Queue[T]) Take(ctx context.Context) (value T, err error) {
	for {
		if q.isClosed() {
			return value, ErrClosed
		}
		if e := q.first(); e != nil {
			return e.value, nil
		}
		select {
		case <-q.wake:
		case <-q.closed:
		case <-q.d.done:
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
}

func (q *Queue[T]) isClosed() bool { return isClosed(q.closed) || isClosed(q.d.done) }

// first takes the first value if it is due. Otherwise it sets the timer to it and returns nil.
func (q *Queue[T]) first() *queued[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.values) == 0 {
		return nil
	}
	now, at, t := q.d.clock.now(), q.values[0].at, &q.timer.t
	if at > now {
		if deadline := t.sh.clock.reach(at); t.due() != deadline.tick {
			t.sh.restart(t, now, deadline, nil)
		}
		return nil
	}
	e := heap.Pop(&q.values).(*queued[T])
	if len(q.values) > 0 {
		q.signal() // another Take that waits must set the timer
	}
	return e
}

// Len returns the number of values in the queue, due or not. After Close of the queue or of its driver it is 0.
func (q *Queue[T]) Len() int {
	if q.isClosed() {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.values)
}

// Close empties the queue. Every Take returns ErrClosed. The driver stays open. The error is always nil.
func (q *Queue[T]) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !isClosed(q.closed) {
		close(q.closed)
	}
	q.values = nil
	q.timer.t.Stop()
	return nil
}
