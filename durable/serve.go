package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nuid"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

// Serve makes the client a worker until ctx ends: it fires the timers of its share of the
// partitions, and calls handle with fired timers, which this or another worker has fired. Up to
// Config.Concurrency calls run at a time. If handle returns nil, the timer is done. After an error
// or a panic it is handled again, by this or another worker, after the pause of Config.Backoff or
// RetryAfter. After MaxAttempts attempts, or an error of Permanent, it becomes a dead letter.
//
// Calls begin in the order in which timers fired. Timers of a partition that were due before a worker had read it, or while
// no server answered, fire in the order of their deadlines, 16,384 at a time.
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
	clock, err := driver.New(driver.Inline())
	if err != nil {
		return fmt.Errorf("durable: %w", err)
	}
	defer clock.Close()
	w := newWorker(c, clock)
	if !c.worker.CompareAndSwap(nil, w) {
		return ErrServing
	}
	defer c.worker.Store(nil)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended, end := context.WithCancel(context.Background()) // no more removals will come
	var removing, wg sync.WaitGroup
	defer removing.Wait()
	defer end()
	removing.Go(func() { w.removeAll(ctx, ended) })
	wg.Go(func() { w.followRoom(ctx) })
	wg.Go(func() { w.fireDue(ctx) })
	wg.Go(func() { w.serveShare(ctx) })
	wg.Go(func() { w.watch(ctx) })
	wg.Go(func() {
		for sleep(ctx, lookAgain) == nil {
			_ = w.look(ctx) // which keeps the error for Stats
		}
	})
	wg.Go(func() {
		if err := w.handleFired(ctx, handle); err != nil {
			cancel(fmt.Errorf("durable: serve: %w", err))
		}
	})
	wg.Wait()
	return context.Cause(ctx)
}

// worker is a client that serves.
type worker struct {
	*Client
	clock   *driver.Driver
	due     *queue[*near] // to be fired; nil is a probe
	sent    chan sentNear
	spent   *queue[spent] // to be removed
	room    atomic.Int64  // how many bytes may be stored to fire timers
	tight   chan struct{} // has a token if room must be looked up
	overdue atomic.Int64  // handlers that have not returned after their timeouts
	silent  atomic.Int32  // probes since a due timer or a probe last got through
	late    *queue[*near] // to be fired again after againStep
	flying  atomic.Int32  // messages that fire timers without an answer
	lost    atomic.Bool   // the server did not answer
	nextRun func(spec string, missed driver.Missed, last bool, deadline, now time.Time) (bool, time.Time, error)

	mu     sync.Mutex
	served map[int]*partition // this worker's share
	joined bool               // a sign of life of this worker is in the bucket
}

func newWorker(c *Client, clock *driver.Driver) *worker {
	w := &worker{Client: c, clock: clock, due: newQueue[*near](), late: newQueue[*near](), sent: make(chan sentNear, maxFiring),
		spent: newQueue[spent](), tight: make(chan struct{}, 1), nextRun: cron.NextRun, served: make(map[int]*partition)}
	w.room.Store(1 << 62) // until it is known
	return w
}

// serveShare serves the partitions that this worker should serve, until ctx ends.
func (w *worker) serveShare(ctx context.Context) {
	m := &members{self: nuid.Next(), lease: w.cfg.Lease}
	for ctx.Err() == nil {
		m.signs = make(map[string]sign)
		if err := w.followMembers(ctx, m, func() { w.share(ctx, m) }); err != nil && ctx.Err() == nil {
			w.mu.Lock()
			w.joined = false
			w.mu.Unlock()
			w.cfg.Logger.Warn("following the workers is tried again", "error", err)
			_ = sleep(ctx, w.cfg.Lease/4) // ctx is asked next
		}
	}
	// The other workers then need not wait for the lease to end.
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := w.members.Delete(leave, m.self); err != nil {
		w.cfg.Logger.Warn("the sign of life could not be removed", "error", err)
	}
	for _, p := range w.served {
		<-p.ended
	}
}

// share starts and stops serving partitions.
func (w *worker) share(ctx context.Context, m *members) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, w.joined = m.signs[m.self]
	for n := range w.layout.partitions {
		p, serves := w.served[n]
		switch wants := m.wants(n, serves); {
		case wants && !serves:
			w.served[n] = w.begin(ctx, n)
		case !wants && serves:
			p.stop()
			<-p.ended
			delete(w.served, n)
		}
	}
}

func (w *worker) begin(ctx context.Context, n int) *partition {
	p := newPartition(w, n)
	ctx, p.stop = context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { p.run(ctx) })
	wg.Go(func() { p.keepNotesFew(ctx) })
	if n == 0 {
		wg.Go(func() { (&sweeper{Client: w.Client}).run(ctx) })
	}
	go func() { wg.Wait(); close(p.ended) }()
	return p
}

// loaded returns the partitions whose timers have all been read.
func (w *worker) loaded() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := []int{}
	for n, p := range w.served {
		if p.loaded.Load() {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// watch restarts all timers after the worker's clock was set or the machine was suspended,
// because the driver uses the monotonic clock. It has all partitions read again after the server
// was restarted, because the server may have restored removed timers. It notices when due timers do not get on.
func (w *worker) watch(ctx context.Context) {
	const step = 20 * time.Millisecond
	start := time.Now()
	ahead := func() time.Duration { // how far the clock is ahead of the monotonic clock
		return w.cfg.Now().Round(0).Sub(start.Add(time.Since(start)).Round(0))
	}
	was, server, stalled := ahead(), w.nc.ConnectedServerId(), false
	for sleep(ctx, time.Second) == nil {
		w.probe()
		if now := w.stalled(); now != stalled {
			stalled = now
			w.cfg.Logger.Error("due timers do not get on, or do again: the partitions are given up meanwhile", "stalled", now, "for", stallTime)
		}
		if now := ahead(); (now - was).Abs() >= step {
			was = now
			w.each((*partition).restart)
		}
		if now := w.nc.ConnectedServerId(); now != "" && now != server {
			server = now
			w.each(func(p *partition) { poke(p.rescan) })
		}
	}
}

// each calls f with each partition that this worker serves.
func (w *worker) each(f func(*partition)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.served {
		f(p)
	}
}
