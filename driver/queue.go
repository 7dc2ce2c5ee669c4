package driver

import (
	"context"
	"sync"
	"time"
)

// Queue is a delay queue: its values can be taken when their delays have passed, in the order of
// their deadlines. Make one with NewQueue. Any goroutine may call its methods.
type Queue[T any] struct {
	d      *Driver
	wake   chan struct{} // holds an item if there may be a value for a waiting Take
	closed chan struct{}

	mu      sync.Mutex // locked with or without the lock of a shard, but never before it
	waiting queued[T]  // head of the ring of values that are not due
	ready   queued[T]  // head of the ring of values that can be taken
	n       int        // number of values in both rings
	over    bool       // whether closed is closed
}

type queued[T any] struct {
	internal
	q          *Queue[T]
	prev, next *queued[T] // in the ring; nil if it is in none; guarded by the mutex of the queue
	value      T
}

// Item names a value in a Queue. The zero Item names none.
type Item struct{ queued any }

// NewQueue returns an empty queue whose values wait in d. It starts no goroutines, and the way in
// which d executes functions does not matter. It panics if d is nil.
func NewQueue[T any](d *Driver) *Queue[T] {
	mustDrive(d, "NewQueue")
	q := &Queue[T]{d: d, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	for _, ring := range []*queued[T]{&q.waiting, &q.ready} {
		ring.prev, ring.next = ring, ring
	}
	return q
}

// Push adds a value that can be taken after delay. After Close of the queue or of its driver, it
// does nothing and returns the zero Item.
func (q *Queue[T]) Push(delay time.Duration, value T) Item {
	e := &queued[T]{q: q, value: value}
	e.owner = e
	now := q.d.clock.soon()
	sh := q.d.lock()
	e.t.sh = sh
	if sh.closed.Load() || !q.enter(e) {
		sh.mu.Unlock()
		return Item{}
	}
	sh.arm(&e.t, now, q.d.clock.deadline(now, delay))
	return Item{e}
}

// enter adds a value to the waiting ring. It reports false after Close.
func (q *Queue[T]) enter(e *queued[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return false
	}
	e.join(&q.waiting)
	q.n++
	return true
}

// due moves a value to the ready ring, unless it has been removed.
func (e *queued[T]) due() bool {
	e.t.sh.fired++
	q := e.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.leave() {
		e.join(&q.ready)
		q.n++
		q.signal()
	}
	return true
}

// signal wakes up one waiting Take.
func (q *Queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// join adds a value at the end of a ring. The lock is held.
func (e *queued[T]) join(ring *queued[T]) {
	e.prev, e.next = ring.prev, ring
	e.prev.next, e.next.prev = e, e
}

// leave removes a value from its ring. It reports whether it was in one. The lock is held.
func (e *queued[T]) leave() bool {
	if e.next == nil {
		return false
	}
	e.prev.next, e.next.prev = e.next, e.prev
	e.prev, e.next = nil, nil
	e.q.n--
	return true
}

// Remove removes a value from the queue, whether it is due or not. It returns false if the value
// is not there, because it was taken or removed before or is in another queue.
func (q *Queue[T]) Remove(item Item) bool {
	e, ok := item.queued.(*queued[T])
	if !ok || e.q != q {
		return false
	}
	q.mu.Lock()
	there := e.leave()
	q.mu.Unlock()
	if there {
		e.t.Stop()
	}
	return there
}

// Take takes the value that has been due the longest. If none is due, it waits until one is, until ctx ends, or
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

func (q *Queue[T]) isClosed() bool {
	select {
	case <-q.closed:
		return true
	default:
		return q.d.Err() != nil
	}
}

// first takes the first ready value, or returns nil. It wakes up another Take if there are more.
func (q *Queue[T]) first() *queued[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.ready.next
	if e == &q.ready {
		return nil
	}
	e.leave()
	if q.ready.next != &q.ready {
		q.signal()
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
	return q.n
}

// Close empties the queue. Every Take returns ErrClosed. The driver stays open. Close locks once
// per value. The error is always nil.
func (q *Queue[T]) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.over {
		q.over = true
		close(q.closed)
	}
	for _, ring := range []*queued[T]{&q.ready, &q.waiting} {
		for e := ring.next; e != ring; e = ring.next {
			e.leave()
			q.mu.Unlock()
			e.t.Stop()
			q.mu.Lock()
		}
	}
	return nil
}
