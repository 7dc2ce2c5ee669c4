package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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

type sign struct {
	Serves []int         `json:"serves"` // the partitions whose timers the worker has read
	Lease  time.Duration `json:"lease"`  // after which the worker counts as dead

	at time.Time // by the server's clock
}

// members is what a worker knows about the others: their last signs of life. It uses only the
// server's clock, so neither the workers' clocks nor a pause of the server matter.
type members struct {
	self  string
	lease time.Duration
	signs map[string]sign
	last  time.Time // the time of the latest message
}

// alive reports whether id is this worker, or gave a sign of life within a lease of the latest one. A sign from
// the future was given before the server's clock was set back; a worker that is alive soon gives another one.
func (m *members) alive(id string) bool {
	return id == m.self || m.last.Sub(m.signs[id].at).Abs() <= m.lease
}

// wants reports whether this worker should serve a partition. A hash chooses one of the workers alive. If this
// worker serves the partition and another is chosen, it continues until the other one serves. So two may serve
// it for a while. That is harmless, because the server lets only one of them fire a timer.
func (m *members) wants(partition int, serves bool) bool {
	if _, ok := m.signs[m.self]; !ok {
		return false
	}
	chosen, most := "", uint64(0)
	for id := range m.signs {
		if !m.alive(id) {
			continue
		}
		if h := weight(id, partition); chosen == "" || h > most || h == most && id < chosen {
			chosen, most = id, h
		}
	}
	if chosen == m.self || !serves {
		return chosen == m.self
	}
	for _, p := range m.signs[chosen].Serves {
		if p == partition {
			return false
		}
	}
	return true
}

// weight is the score of a worker for a partition, for rendezvous hashing.
func weight(id string, partition int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write([]byte(strconv.Itoa(partition)))
	// The finalizer of splitmix64, because FNV mixes the last bytes badly.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// followMembers gives four signs of life per lease, and calls changed whenever the state of the workers may have changed,
// until ctx ends.
func (w *worker) followMembers(ctx context.Context, m *members, changed func()) error {
	watcher, err := w.members.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be closed
	beat, quiet := time.NewTicker(m.lease/4), time.NewTimer(3*m.lease)
	defer beat.Stop()
	defer quiet.Stop()
	if err := w.giveSign(ctx, m); err != nil {
		return err
	}
	known, own := false, false // the own sign may come after the others, because a newer one has replaced it
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := w.giveSign(ctx, m); err != nil {
				return err
			}
		case <-quiet.C:
			return fmt.Errorf("no sign of life for %v, not even of this worker", 3*m.lease)
		case entry, ok := <-watcher.Updates():
			if !ok {
				return fmt.Errorf("the watcher of bucket %s was closed", w.members.Bucket())
			}
			if entry == nil { // all existing entries have been read
				known = true
				if own {
					changed()
				}
				continue
			}
			quiet.Reset(3 * m.lease)
			own = own || entry.Key() == m.self
			m.last = entry.Created()
			if entry.Operation() != jetstream.KeyValuePut {
				delete(m.signs, entry.Key())
			} else if s, err := parseSign(entry); err != nil {
				w.setAside("sign of life", err)
			} else {
				m.signs[entry.Key()] = s
			}
			if known && own {
				changed()
			}
		}
	}
}

func parseSign(entry jetstream.KeyValueEntry) (sign, error) {
	s := sign{at: entry.Created()}
	err := json.Unmarshal(entry.Value(), &s)
	if err == nil && (s.Lease < 0 || s.Lease > maxLease) {
		err = fmt.Errorf("lease %v: want 0 to %v", s.Lease, maxLease)
	}
	if err != nil {
		return s, fmt.Errorf("bucket %s: key %s: %w", entry.Bucket(), entry.Key(), err)
	}
	return s, nil
}

// living returns how many workers are alive at now, by the server's clock.
func (c *Client) living(ctx context.Context, now time.Time) (int, error) {
	watcher, err := c.members.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return 0, err
	}
	defer func() { _ = watcher.Stop() }() // the connection may be closed
	n := 0
	for entry := range watcher.Updates() {
		if entry == nil {
			return n, nil // all existing entries have been read
		}
		s, err := parseSign(entry)
		if err != nil {
			c.setAside("sign of life", err)
		} else if now.Sub(s.at).Abs() <= s.Lease {
			n++
		}
	}
	return 0, fmt.Errorf("the watcher of bucket %s was closed", c.members.Bucket())
}

// giveSign stores a sign of life. A worker that is stalled removes its sign, so that the others serve all partitions.
func (w *worker) giveSign(ctx context.Context, m *members) error {
	value, err := json.Marshal(sign{Serves: w.loaded(), Lease: m.lease})
	if err != nil {
		return err
	}
	put, cancel := context.WithTimeout(ctx, m.lease)
	defer cancel()
	if w.stalled() {
		err = w.members.Delete(put, m.self)
	} else {
		_, err = w.members.Put(put, m.self, value)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("sign of life: %w", err)
	}
	return nil
}
