package driver

import (
	"cmp"
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Queue is a delay queue: its values can be taken when their delays have passed, in the order of
// their deadlines, and with equal deadlines in the order in which they were pushed. So values that
// a goroutine pushes with the same delay come out in order. A deadline is the time of the Push plus
// the delay; it is not rounded up to a tick. Make one with NewQueue. Any goroutine may call its
// methods.
type Queue[T any] struct {
	d      *Driver
	sh     *shard        // of all values, so that it knows when all of a tick are due
	wake   chan struct{} // holds an item if there may be a value for a waiting Take
	closed chan struct{}

	mu      sync.Mutex // locked with or without the lock of the shard, but never before it
	waiting queued[T]  // head of the ring of values that are not due
	ready   byDeadline[T]
	n       int             // number of values in waiting and ready
	pushes  uint64          // number of values so far
	open    structures.Tick // values that are due by this tick can be taken
	opens   bool            // the shard will call openTo
	over    bool            // whether closed is closed
}

type queued[T any] struct {
	internal
	q      *Queue[T]
	when   moment // its deadline
	number uint64 // the number of pushes before
	value  T

	prev, next *queued[T] // in the ring of waiting; nil if it is not there; guarded by the mutex of the queue
	place      int        // in ready, from 1; 0 if it is not there; guarded by the mutex of the queue
}

type byDeadline[T any] []*queued[T]

func (b byDeadline[T]) Len() int { return len(b) }

func (b byDeadline[T]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(b[i].when.at, b[j].when.at), cmp.Compare(b[i].number, b[j].number)) < 0
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
	sh := &d.shards[d.queues.Add(1)%uint32(len(d.shards))]
	q := &Queue[T]{d: d, sh: sh, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	q.waiting.prev, q.waiting.next = &q.waiting, &q.waiting
	return q
}

// Push adds a value that can be taken after delay. After Close of the queue or of its driver, it
// does nothing and returns ErrClosed.
func (q *Queue[T]) Push(delay time.Duration, value T) (Item, error) {
	e := &queued[T]{q: q, value: value}
	e.owner = e
	now := q.d.clock.soon()
	sh := q.sh
	e.t.sh, e.when = sh, sh.clock.deadline(now, delay)
	sh.mu.Lock()
	if sh.closed.Load() || !q.enter(e) {
		sh.mu.Unlock()
		return Item{}, ErrClosed
	}
	sh.admit(&e.t, now, e.when)
	return Item{e}, nil
}

// enter adds a value to the waiting ring. It reports false after Close.
func (q *Queue[T]) enter(e *queued[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return false
	}
	e.prev, e.next = q.waiting.prev, &q.waiting
	e.prev.next, e.next.prev = e, e
	e.number = q.pushes
	q.pushes++
	q.n++
	return true
}

// due makes a value ready, unless it has been removed.
func (e *queued[T]) due() bool {
	sh, q := e.t.sh, e.q
	sh.fired++
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !e.leave():
		return true
	case e.when.tick > q.open && !q.opens: // another value of the tick may have an earlier deadline
		q.opens = true
		sh.opening = append(sh.opening, q)
	}
	heap.Push(&q.ready, e)
	q.n++
	q.signal()
	return true
}

// openTo lets the values that are due by a tick be taken. The shard calls it when all of them are ready.
func (q *Queue[T]) openTo(at structures.Tick) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open, q.opens = max(q.open, at), false
	q.signal()
}

// signal wakes up one waiting Take if a value can be taken. The lock is held.
func (q *Queue[T]) signal() {
	if !q.canTake() {
		return
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// leave removes a value from the queue. It reports whether it was there. The lock is held.
func (e *queued[T]) leave() bool {
	switch {
	case e.next != nil:
		e.prev.next, e.next.prev = e.next, e.prev
		e.prev, e.next = nil, nil
	case e.place > 0:
		heap.Remove(&e.q.ready, e.place-1)
	default:
		return false
	}
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
	if !q.canTake() {
		return nil
	}
	e := q.ready[0]
	e.leave()
	q.signal()
	return e
}

// canTake reports whether a value can be taken. The lock is held.
func (q *Queue[T]) canTake() bool { return len(q.ready) > 0 && q.ready[0].when.tick <= q.open }

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
	for len(q.ready) > 0 {
		q.ready[0].leave()
	}
	for e := q.waiting.next; e != &q.waiting; e = q.waiting.next {
		e.leave()
		q.mu.Unlock()
		e.t.Stop()
		q.mu.Lock()
	}
	return nil
}
