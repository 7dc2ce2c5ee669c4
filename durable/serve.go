package durable

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

// Serve makes the client a worker until ctx ends: it fires the timers of its share of the
// partitions, and calls handle with them. Up to Config.Concurrency calls run at a time. If handle
// returns nil, the timer is done. After an error or a panic it is handled again, by the worker that has
// its partition then, after the pause of Config.Backoff or RetryAfter. After MaxAttempts attempts, or an
// error of Permanent, it becomes a dead letter.
//
// Calls begin in the order in which timers fired. Timers of a partition that were due before a worker had read it, or while
// no server answered, fire in the order of their deadlines.
//
// A timer is handled at least once. It is handled again, with the same ID, if its worker died
// before the server had stored that it was done.
//
// When ctx ends, the contexts of the handlers end. Serve waits for the handlers and returns the cause of the
// end of ctx. A timer whose handler fails after that is handled by another worker, and the attempt does not
// count. A handler that never returns keeps one of the Concurrency places, and keeps Serve from returning; its
// timer is handled again after HandlerTimeout. Without a connection Serve keeps trying. A second Serve of the
// same client returns ErrServing.
func (c *Client) Serve(ctx context.Context, handle func(context.Context, Fired) error) error {
	if handle == nil {
		return errors.New("durable: serve: want a handler")
	}
	w := newWorker(c)
	if !c.worker.CompareAndSwap(nil, w) {
		return ErrServing
	}
	defer c.worker.Store(nil)
	var wg, sharing sync.WaitGroup
	present, leave := context.WithCancel(context.WithoutCancel(ctx)) // others must not handle what this worker does
	sharing.Go(func() { w.serveShare(ctx, present) })
	wg.Go(func() { w.fireDue(ctx) })
	wg.Go(func() { w.cleanAll(ctx) })
	wg.Go(func() { w.watch(ctx) })
	wg.Go(func() {
		for sleep(ctx, lookAgain) == nil {
			_ = w.look(ctx) // which keeps the error for Stats
		}
	})
	wg.Go(func() { w.handleFired(ctx, handle) })
	wg.Wait()
	w.quit()
	leave()
	sharing.Wait()
	return context.Cause(ctx)
}

// worker is a client that serves.
type worker struct {
	*Client
	poked                   chan struct{} // has a token if something may be due
	next                    atomic.Int64  // when fireDue looks again
	silent                  atomic.Int32  // seconds since the last look at what is due
	flying                  atomic.Int64  // timers on their way to the log
	short                   atomic.Bool   // something is due, and waits for handlers
	overdue                 atomic.Int64  // handlers that have not returned after their timeouts
	jobs                    jobs
	firing, results, errors space          // for what fires timers, and says what became of them
	settling                sync.WaitGroup // results that are not in the log
	link                    func() (connection uint64, up bool)
	nextRun                 func(spec string, missed driver.Missed, last bool, deadline, now time.Time) (bool, time.Time, error)

	mu     sync.Mutex
	served map[int]*partition // this worker's share
	joined bool               // a sign of life of this worker is in the bucket
}

func newWorker(c *Client) *worker {
	w := &worker{Client: c, poked: make(chan struct{}, 1), link: c.link, firing: newSpace(0.5), results: newSpace(0.3), errors: newSpace(4), nextRun: cron.NextRun, served: make(map[int]*partition)}
	w.jobs.known = make(map[jobID]*job)
	w.jobs.some.L = &w.jobs.mu
	return w
}

// serveShare serves the partitions that this worker should serve, until ctx ends. Until present ends, others know that it
// still handles timers.
func (w *worker) serveShare(ctx, present context.Context) {
	m := &members{self: memberID(w.id), lease: w.cfg.Lease, wait: w.cfg.AckWait}
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
	for present.Err() == nil { // the other workers need not wait for the lease to end
		if err := w.giveSign(present, m, true); err != nil && present.Err() == nil {
			w.cfg.Logger.Debug("the last signs of life are tried again", "error", err)
		}
		_ = sleep(present, m.lease/4) // present is asked next
	}
	gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := w.members.Delete(gone, m.self); err != nil {
		w.cfg.Logger.Warn("the sign of life could not be removed", "error", err)
	}
}

// share starts and stops serving partitions, and takes over what dead workers have left.
func (w *worker) share(ctx context.Context, m *members) {
	w.mu.Lock()
	_, w.joined = m.signs[m.self]
	for n := range w.layout.partitions {
		p, serves := w.served[n]
		switch wants := m.wants(n, serves); {
		case wants && !serves:
			w.served[n] = w.begin(ctx, n)
		case !wants && serves:
			p.stop()
			w.mu.Unlock() // what it gives back may have to wait for room
			<-p.ended
			w.mu.Lock()
			delete(w.served, n)
			w.jobs.forget(n)
		}
	}
	w.mu.Unlock()
	for _, p := range w.all() {
		p.adopt(m)
	}
}

func (w *worker) begin(ctx context.Context, n int) *partition {
	p := newPartition(w, n)
	ctx, p.stop = context.WithCancel(ctx)
	go func() {
		p.run(ctx)
		w.release(func(j *job) bool { return j.partition == n })
		close(p.ended)
	}()
	return p
}

// quit waits until other workers can have what this one has taken and not handled.
func (w *worker) quit() {
	for _, p := range w.all() {
		<-p.ended
	}
	for end := time.Now().Add(publishTimeout); w.flying.Load() > 0 && time.Now().Before(end); {
		time.Sleep(changingPause)
	}
	w.settling.Wait()
}

// serves reports whether this worker serves a partition.
func (w *worker) serves(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.served[n] != nil
}

// payload reads the payload of a job.
func (w *worker) payload(ctx context.Context, j *job) ([]byte, error) {
	w.mu.Lock()
	p := w.served[j.partition]
	w.mu.Unlock()
	if p == nil {
		return nil, errors.New("its partition is served by another worker")
	}
	p.mu.Lock()
	e := p.replica.others[j.id]
	p.mu.Unlock()
	if e == nil {
		return nil, errors.New("its partition is being read")
	}
	return p.load(ctx, e)
}

// loaded returns the partitions whose timers have all been read.
func (w *worker) loaded() []int {
	list := []int{}
	for _, p := range w.all() {
		if p.loaded.Load() {
			list = append(list, p.number)
		}
	}
	slices.Sort(list)
	return list
}

// watch makes the worker look at what is due after its clock was set or the machine was suspended. It has all partitions
// read again after the server was restarted, which may not have everything any more. It notices when due timers do not get on.
func (w *worker) watch(ctx context.Context) {
	server, stalled := w.nc.ConnectedServerId(), false
	for sleep(ctx, time.Second) == nil {
		w.silent.Add(1)
		w.wake()
		for _, p := range w.all() {
			poke(p.look)
		}
		if now := w.stalled(); now != stalled {
			stalled = now
			w.cfg.Logger.Error("due timers do not get on, or do again: the partitions are given up meanwhile", "stalled", now, "for", stallTime)
		}
		if now := w.nc.ConnectedServerId(); now != "" && now != server {
			server = now
			for _, p := range w.all() {
				poke(p.rescan)
			}
		}
	}
}

// all returns the partitions that this worker serves.
func (w *worker) all() []*partition {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Values(w.served))
}
