package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

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
	tight                   atomic.Bool   // the store has little room
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
	w := &worker{Client: c, poked: make(chan struct{}, 1), link: c.link, firing: newSpace(0.75), results: newSpace(0.4), errors: newSpace(4), nextRun: cron.NextRun, served: make(map[int]*partition)}
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
			<-p.ended
			delete(w.served, n)
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
		w.jobs.forget(n)
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

type sign struct {
	Serves []int         `json:"serves"` // the partitions whose timers the worker has read
	Lease  time.Duration `json:"lease"`  // after which the worker counts as dead
	Ends   bool          `json:"ends"`   // the worker wants no partitions, but handles timers

	at time.Time // by the server's clock
}

// members is what a worker knows about the others: their last signs of life. It uses only the
// server's clock, so neither the workers' clocks nor a pause of the server matter.
type members struct {
	self  string
	lease time.Duration
	wait  time.Duration // before what a dead worker has fired is handled again
	signs map[string]sign
	last  time.Time // the time of the latest message
}

// alive reports whether id is this worker, or gave a sign of life within a lease of the latest one. A sign from
// the future was given before the server's clock was set back; a worker that is alive soon gives another one.
func (m *members) alive(id string) bool {
	return id == m.self || m.last.Sub(m.signs[id].at).Abs() <= m.lease
}

// handles reports whether a worker may still handle what it has fired.
func (m *members) handles(holder uint64) bool {
	s, ok := m.signs[memberID(holder)]
	return ok && m.last.Sub(s.at).Abs() <= max(m.wait, s.Lease)
}

func memberID(client uint64) string { return strconv.FormatUint(client, 36) }

// wants reports whether this worker should serve a partition. A hash chooses one of the workers alive. If this
// worker serves the partition and another is chosen, it continues until the other one serves. So two may serve
// it for a while. That is harmless, because the server lets only one of them fire a timer.
func (m *members) wants(partition int, serves bool) bool {
	if own, ok := m.signs[m.self]; !ok || own.Ends {
		return false
	}
	chosen, most := "", uint64(0)
	for id := range m.signs {
		if !m.alive(id) || m.signs[id].Ends {
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
	if err := w.giveSign(ctx, m, false); err != nil {
		return err
	}
	known, own := false, false // the own sign may come after the others, because a newer one has replaced it
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := w.giveSign(ctx, m, false); err != nil {
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

// giveSign stores a sign of life. A worker that ends or is stalled says so, so that the others serve all partitions.
func (w *worker) giveSign(ctx context.Context, m *members, ends bool) error {
	value, err := json.Marshal(sign{Serves: w.loaded(), Lease: m.lease, Ends: ends || w.stalled()})
	if err != nil {
		return err
	}
	put, cancel := context.WithTimeout(ctx, m.lease)
	defer cancel()
	if _, err = w.members.Put(put, m.self, value); err != nil && ctx.Err() == nil {
		return fmt.Errorf("sign of life: %w", err)
	}
	return nil
}
