package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nuid"

	"github.com/timerbench/timerbench/driver"
)

// Serve makes the client a worker until ctx ends: it fires the timers of its share of the
// partitions, and calls handle with fired timers, which this or another worker has fired. Up to
// Config.Concurrency calls run at a time. If handle returns nil, the timer is done. After an error
// or a panic it is handled again, by this or another worker, after the pause of Config.Backoff or
// RetryAfter. After MaxAttempts attempts, or an error of Permanent, it becomes a dead letter.
//
// A timer is handled at least once. It is handled again, with the same ID, if its worker died
// before the server had stored that it was done.
//
// When ctx ends, the contexts of the handlers end. Serve waits for the handlers and returns the cause of the
// end of ctx. A timer whose handler fails after that is handled by another worker, and the attempt does not
// count. A handler that never returns keeps one of the Concurrency places, and keeps Serve from returning; its
// timer is handled again after HandlerTimeout. Serve returns early only if the consumer of the stream is
// deleted. Without a connection it keeps trying. A second Serve of the same client returns ErrServing.
func (c *Client) Serve(ctx context.Context, handle func(context.Context, Fired) error) error {
	if handle == nil {
		return errors.New("durable: serve: want a handler")
	}
	if !c.serving.CompareAndSwap(false, true) {
		return ErrServing
	}
	defer c.serving.Store(false)
	clock, err := driver.New(driver.Inline())
	if err != nil {
		return fmt.Errorf("durable: %w", err)
	}
	defer clock.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	remove := remover{c, newQueue[spent]()}
	o := &owner{c: c, fire: newFiring(c, clock), remove: remove, served: make(map[int]*served)}
	c.owner.Store(o)
	defer c.owner.Store(nil)
	ended, end := context.WithCancel(context.Background()) // no more removals will come
	var removing, wg sync.WaitGroup
	defer removing.Wait()
	defer end()
	removing.Go(func() { remove.run(ctx, ended) })
	wg.Go(func() { o.fire.run(ctx) })
	wg.Go(func() { o.run(ctx) })
	wg.Go(func() {
		if err := c.work(ctx, remove, handle); err != nil {
			cancel(fmt.Errorf("durable: serve: %w", err))
		}
	})
	wg.Wait()
	return context.Cause(ctx)
}

// owner serves this worker's share of the partitions.
type owner struct {
	c      *Client
	fire   *firing
	remove remover

	mu     sync.Mutex
	served map[int]*served
	joined bool // a sign of life of this worker is in the bucket
}

type served struct {
	*partition
	cancel context.CancelFunc
	ended  chan struct{}
}

func (o *owner) run(ctx context.Context) {
	m := &members{self: nuid.Next(), lease: o.c.cfg.Lease, setAside: o.c.setAside}
	var wg sync.WaitGroup
	wg.Go(func() { o.watch(ctx) })
	for ctx.Err() == nil {
		m.signs = make(map[string]sign)
		err := m.follow(ctx, o.c.members, o.serves, func(m *members) { o.share(ctx, m) })
		if err != nil && ctx.Err() == nil {
			o.c.cfg.Logger.Warn("following the workers is tried again", "error", err)
			_ = sleep(ctx, o.c.cfg.Lease/4) // ctx is asked next
		}
	}
	// The other workers then need not wait for the lease to end.
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := o.c.members.Delete(leave, m.self); err != nil {
		o.c.cfg.Logger.Warn("the sign of life could not be removed", "error", err)
	}
	for _, s := range o.served {
		<-s.ended
	}
	wg.Wait()
}

// share starts and stops serving partitions.
func (o *owner) share(ctx context.Context, m *members) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, o.joined = m.signs[m.self]
	for n := range o.c.layout.partitions {
		s, serves := o.served[n]
		switch wants := m.wants(n, serves); {
		case wants && !serves:
			o.served[n] = o.begin(ctx, n)
		case !wants && serves:
			s.cancel()
			<-s.ended
			delete(o.served, n)
		}
	}
}

func (o *owner) begin(ctx context.Context, n int) *served {
	ctx, cancel := context.WithCancel(ctx)
	s := &served{newPartition(o.c, n, o.fire, o.remove), cancel, make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() { s.run(ctx) })
	if n == 0 {
		wg.Go(func() { (&sweeper{Client: o.c}).run(ctx) })
	}
	go func() { wg.Wait(); close(s.ended) }()
	return s
}

// loaded returns the partitions whose timers have all been read.
func (o *owner) loaded() []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := []int{}
	for n, s := range o.served {
		if s.loaded.Load() {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// serves returns the partitions that other workers need not serve, and false if they should serve all.
func (o *owner) serves() ([]int, bool) { return o.loaded(), !o.fire.stalled() }

// watch restarts all timers after the worker's clock was set or the machine was suspended,
// because the driver uses the monotonic clock. It has all partitions read again after the server
// was restarted, because the server may have restored removed timers. It notices when due timers do not get on.
func (o *owner) watch(ctx context.Context) {
	const step = 20 * time.Millisecond
	start := time.Now()
	ahead := func() time.Duration { // how far the clock is ahead of the monotonic clock
		return o.c.cfg.Now().Round(0).Sub(start.Add(time.Since(start)).Round(0))
	}
	was, server, stalled := ahead(), o.c.nc.ConnectedServerId(), false
	for sleep(ctx, time.Second) == nil {
		o.fire.probe()
		if now := o.fire.stalled(); now != stalled {
			stalled = now
			o.c.cfg.Logger.Error("due timers do not get on, or do again: the partitions are given up meanwhile", "stalled", now, "for", stallTime)
		}
		if now := ahead(); (now - was).Abs() >= step {
			was = now
			o.each((*partition).restart)
		}
		if now := o.c.nc.ConnectedServerId(); now != "" && now != server {
			server = now
			o.each(func(p *partition) { poke(p.rescan) })
		}
	}
}

// each calls f with each partition that this worker serves.
func (o *owner) each(f func(*partition)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.served {
		f(s.partition)
	}
}
