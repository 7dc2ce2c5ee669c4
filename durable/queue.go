package durable

import (
	"context"
	"sync"
	"sync/atomic"
)

// inParallel calls f with each item, n at a time. It returns the first error; after it no
// more items are begun, and the contexts of the others end.
func inParallel[T any](ctx context.Context, n int, items []T,
	f func(context.Context, T) error) error {
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

// mutex is a sync.Mutex whose lock is given up when a context ends.
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

// queue hands values from many goroutines to one. put never blocks: wait keeps those
// who can wait from putting more than is taken.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	some  chan struct{} // has a token if items may be there
	few   chan struct{} // is closed when items were taken; nil if nobody waits
}

func newQueue[T any]() *queue[T] { return &queue[T]{some: make(chan struct{}, 1)} }

func (q *queue[T]) put(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	poke(q.some)
}

// poke puts a token into c, unless it has one.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns all items, at least one, or the error of ctx if there is none.
func (q *queue[T]) take(ctx context.Context) ([]T, error) {
	for {
		q.mu.Lock()
		items := q.items
		q.items = nil
		if q.few != nil {
			close(q.few)
			q.few = nil
		}
		q.mu.Unlock()
		if len(items) > 0 {
			return items, nil
		}
		select {
		case <-q.some:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// wait returns when there are less than limit items, or ctx ends.
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
