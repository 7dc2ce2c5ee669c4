package driver

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is the error of what is closed.
var ErrClosed = errors.New("driver: closed")

// Queue is a queue of values that can be taken once their delay has passed, those due
// first first: a delay queue. Make it with NewQueue. All methods can be called from any
// goroutine.
type Queue[T any] struct {
	d      *Driver
	wake   chan struct{} // holds one if there may be something for a Take that waits
	closed chan struct{}

	mu    sync.Mutex // taken with or without the lock of a shard, never before it
	ready queued[T]  // head of the ring of those that can be taken
	n     int        // how many there are
}

// queued is a value in a Queue.
type queued[T any] struct {
	internal
	q          *Queue[T]
	prev, next *queued[T] // in the ring, or nil; guarded by the mutex of the queue
	value      T
}

// Item names a value that was pushed to a Queue. The zero Item names none.
type Item struct{ queued any }

// NewQueue returns an empty queue. The options are those of the driver that it makes for
// itself; it does without goroutines, so that those on execution do not matter.
func NewQueue[T any](opts ...Option) (*Queue[T], error) {
	d, err := New(opts...)
	if err != nil {
		return nil, err
	}
	q := &Queue[T]{d: d, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	q.ready.prev, q.ready.next = &q.ready, &q.ready
	return q, nil
}

// Push adds a value that can be taken once delay has passed. After Close it does nothing,
// and returns the zero Item.
func (q *Queue[T]) Push(delay time.Duration, value T) Item {
	e := &queued[T]{q: q, value: value}
	e.due = e.add
	now := q.d.clock.soon()
	sh := q.d.lock()
	e.t.sh = sh
	if sh.closed.Load() {
		sh.mu.Unlock()
		return Item{}
	}
	sh.arm(&e.t, now, q.d.clock.deadline(now, delay), internally)
	return Item{e}
}

// add is called by the pass, with the shard locked.
func (e *queued[T]) add() {
	e.t.when.Store(idle)
	e.t.sh.fired++
	q := e.q
	q.mu.Lock()
	e.prev, e.next = q.ready.prev, &q.ready
	e.prev.next, e.next.prev = e, e
	q.n++
	q.mu.Unlock()
	q.signal()
}

// signal wakes up one Take that waits.
func (q *Queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// leave takes a value out of the ring. It reports whether it was there. The lock is held.
func (e *queued[T]) leave() bool {
	if e.next == nil {
		return false
	}
	e.prev.next, e.next.prev = e.next, e.prev
	e.prev, e.next = nil, nil
	e.q.n--
	return true
}

// Remove takes a value out of the queue, one that is due too. It returns false if it is
// not there: it was taken or removed before, or pushed to another queue.
func (q *Queue[T]) Remove(item Item) bool {
	e, ok := item.queued.(*queued[T])
	if !ok || e.q != q {
		return false
	}
	if e.t.Stop() {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.leave()
}

// Take takes the value that has been due for the longest time. If none is due it waits
// until one is, until ctx ends, or until Close, after which it returns ErrClosed.
func (q *Queue[T]) Take(ctx context.Context) (value T, err error) {
	for {
		select {
		case <-q.closed:
			return value, ErrClosed
		default:
		}
		if e := q.first(); e != nil {
			return e.value, nil
		}
		select {
		case <-q.wake:
		case <-q.closed:
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
}

// first takes the first value that is due, or returns nil. It wakes up another Take if
// there are more.
func (q *Queue[T]) first() *queued[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.ready.next
	if e == &q.ready {
		return nil
	}
	e.leave()
	if q.n > 0 {
		q.signal()
	}
	return e
}

// Len returns the number of values, those included that are due and not taken.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	n := q.n
	q.mu.Unlock()
	return n + q.d.Len()
}

// Close empties the queue. Every Take returns ErrClosed. The error is always nil.
func (q *Queue[T]) Close() error {
	err := q.d.Close()
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.closed:
	default:
		close(q.closed)
	}
	for e := q.ready.next; e != &q.ready; e = q.ready.next {
		e.leave()
	}
	return err
}
