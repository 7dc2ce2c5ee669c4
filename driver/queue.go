package driver

import (
	"cmp"
	"container/heap"
	"context"
	"sync"
	"time"
)

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
	closed chan struct{}

	mu     sync.Mutex // never locked by due, which has the lock of the shard
	values byDeadline[T]
	pushes uint64 // number of values so far
	over   bool   // whether closed is closed
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
	if d == nil {
		panic("driver: NewQueue: the driver is nil: make one with New")
	}
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

func (q *Queue[T]) isClosed() bool {
	select {
	case <-q.closed:
		return true
	default:
		return q.d.Err() != nil
	}
}

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
	if !q.over {
		q.over = true
		close(q.closed)
	}
	q.values = nil
	q.timer.t.Stop()
	return nil
}
