package durable

import (
	"context"
	"sync"
	"sync/atomic"
)

// inParallel calls f with each item, n at a time. It returns the first error. After an error it
// starts no more calls, and ends the contexts of the others.
func inParallel[T any](ctx context.Context, n int, items []T, f func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, len(items)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				if err := f(ctx, items[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// mutex is a mutex whose lock method returns an error when a context ends.
type mutex chan struct{}

func newMutex() mutex { return make(mutex, 1) }

func (m mutex) lock(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m mutex) unlock() { <-m }

// queue passes values from many goroutines to one. put never blocks, and returns the size. A goroutine that may block
// calls wait to keep the queue short.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	some  chan struct{} // has a token if there may be items
	few   chan struct{} // closed when the items are taken; nil if nobody waits
}

func newQueue[T any]() *queue[T] { return &queue[T]{some: make(chan struct{}, 1)} }

func (q *queue[T]) put(items ...T) (size int) {
	q.mu.Lock()
	q.items = append(q.items, items...)
	size = len(q.items)
	q.mu.Unlock()
	poke(q.some)
	return size
}

// now returns all items, if any.
func (q *queue[T]) now() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	if q.few != nil {
		close(q.few)
		q.few = nil
	}
	return items
}

// poke puts a token into c, unless it is full.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take waits for items and returns all of them. It returns the cause when ctx ends.
func (q *queue[T]) take(ctx context.Context) ([]T, error) {
	for {
		if items := q.now(); len(items) > 0 {
			return items, nil
		}
		select {
		case <-q.some:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// wait returns when the queue has fewer than limit items, or when ctx ends.
func (q *queue[T]) wait(ctx context.Context, limit int) {
	for {
		q.mu.Lock()
		if len(q.items) < limit {
			q.mu.Unlock()
			return
		}
		if q.few == nil {
			q.few = make(chan struct{})
		}
		few := q.few
		q.mu.Unlock()
		select {
		case <-few:
		case <-ctx.Done():
			return
		}
	}
}
