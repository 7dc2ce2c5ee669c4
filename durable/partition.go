package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// partition keeps the timers of one partition while this worker serves it: those
// within the horizon in memory, of the others the revisions alone.
type partition struct {
	c      *Client
	number int
	fire   *firing
	remove remover
	loaded atomic.Bool   // all that was stored when the first scan began has been read
	rescan chan struct{} // has a token if the partition is to be read anew
	look   chan struct{} // has a token if far timers may have come into the horizon

	mu      sync.Mutex
	closed  bool
	scan    uint64           // counts scans; 0 before the first
	near    map[string]*near // by key
	far     map[int64][]uint64
	farLen  int
	count   int    // timers that the scan under way has found
	found   int    // timers that the last scan has found, or -1 while one is under way
	last    uint64 // the last revision that was read
	stuck   int64  // the first deadline of a timer that cannot be fired, or 0
	changed bool   // since what is done with was stored

	// While a scan is under way.
	removed *removedSet
	seen    []uint64 // the revisions that are stored, in order
	older   []uint64 // those in whose place others are
}

// The revisions of far timers are kept by width of time, four to a horizon, and read
// when the first deadline of such a width is a horizon away.
const widths = 4

// maxStale is how many revisions more than timers there are may be kept, beyond the
// number of timers, before a scan drops those that are stale.
const maxStale = 10_000

func newPartition(c *Client, number int, fire *firing, remove remover) *partition {
	return &partition{c: c, number: number, fire: fire, remove: remove,
		rescan: make(chan struct{}, 1), look: make(chan struct{}, 1),
		near: make(map[string]*near), far: make(map[int64][]uint64)}
}

func (p *partition) width() int64 { return int64(p.c.cfg.Horizon / widths) }

// run follows the partition until ctx ends, and forgets it then.
func (p *partition) run(ctx context.Context) {
	defer p.close()
	for ctx.Err() == nil {
		if err := p.follow(ctx); err != nil && ctx.Err() == nil {
			p.c.cfg.Logger.Warn("reading a partition is tried again", "partition", p.number, "error", err)
			_ = sleep(ctx, 200*time.Millisecond) // ctx is asked next
		}
	}
}

// follow reads all timers of the partition and then what changes. It returns nil
// when it is time for another scan.
func (p *partition) follow(ctx context.Context) error {
	removed, err := p.c.removedNow(ctx, time.Second)
	if err != nil {
		return err
	}
	p.beginScan(removed)
	ctx, cancel := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { cancel(p.read(ctx)) })
	defer reading.Wait()
	defer cancel(nil)
	look := time.NewTicker(max(p.c.cfg.Horizon/(8*widths), 50*time.Millisecond))
	defer look.Stop()
	store := time.NewTicker(donePause)
	defer store.Stop()
	if p.c.stream.CachedInfo().Config.Replicas > 1 { // what a node has not read yet would be taken for done with
		store.Stop()
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.rescan:
			return nil
		case <-look.C:
			poke(p.look)
		case <-store.C:
			p.storeDone(ctx)
		case <-p.look:
			if err := p.readDue(ctx); err != nil {
				return err
			}
		}
	}
}

// read takes over all messages of the partition, until ctx ends or there is an error.
func (p *partition) read(ctx context.Context) error {
	return p.c.follow(ctx, whole, p.c.layout.changes(p.number), func(m message) error {
		if m.Msg == nil { // all that was stored has been read
			p.endScan()
			return nil
		}
		if err := p.apply(m); err != nil {
			p.leave(&near{deadline: 1}) // at whatever time it is due
			p.c.setAside("message of a partition", err)
		}
		p.fire.due.wait(ctx, maxQueued)
		return nil
	})
}

func (p *partition) beginScan(removed *removedSet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scan++
	p.count, p.found = 0, -1
	clear(p.far)
	p.farLen = 0
	p.removed, p.seen, p.older, p.stuck = removed, nil, nil, 0
	select {
	case <-p.rescan:
	default:
	}
}

// endScan drops what is in memory and not stored any more, and what is stored though it
// was removed: the server forgets removals when it is killed.
func (p *partition) endScan() {
	p.mu.Lock()
	defer p.mu.Unlock()
	back := make(map[uint64]bool)
	for _, r := range p.older {
		if _, stored := slices.BinarySearch(p.seen, r); stored {
			back[r] = true
		}
	}
	p.seen, p.older, p.removed = nil, nil, nil
	if len(back) > 0 {
		for at, revisions := range p.far {
			p.far[at] = slices.DeleteFunc(revisions, func(r uint64) bool { return back[r] })
			p.farLen -= len(revisions) - len(p.far[at])
		}
		p.c.cfg.Logger.Debug("timers that were removed are removed again",
			"partition", p.number, "timers", len(back))
		for r := range back {
			p.remove.put(spent{revision: r, at: time.Now()})
		}
	}
	for key, n := range p.near {
		if n.scan != p.scan {
			n.handle.Stop()
			delete(p.near, key)
		}
	}
	p.found = p.count
	p.loaded.Store(true)
	p.c.counters.scans.Add(1)
}

// apply takes over a message of the partition: a timer, or that one was cancelled.
func (p *partition) apply(m message) error {
	defer p.reached(m.revision())
	if m.Subject() == p.c.layout.cancelled(p.number) {
		s, err := spentMessage(m)
		if err == nil {
			p.cancelled(string(m.Data()), s)
		}
		return err
	}
	t, err := p.c.parse(m)
	if err == nil && p.pending(t) {
		p.set(t, false)
	}
	return err
}

// cancelled drops the timer under key if it is older than the Cancel, which is removed
// once what it has removed is noted.
func (p *partition) cancelled(key string, s spent) {
	p.mu.Lock()
	if n := p.near[key]; n != nil && n.timer.Revision < s.revision {
		n.handle.Stop()
		delete(p.near, key)
	}
	p.mu.Unlock()
	s.at = time.Now()
	p.remove.put(s)
}

// pending tells whether t, which a scan has found, is pending, and takes down what it is in
// the place of.
func (p *partition) pending(t Timer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed == nil {
		return true
	}
	p.seen = append(p.seen, t.Revision)
	p.older = append(p.older, t.removed.revisions...)
	if p.removed.has(p.number, t) {
		p.older = append(p.older, t.Revision)
		return false
	}
	return true
}

// set puts a timer in the place of what is known under its key, unless that is
// newer: into memory if it is within the horizon, or if toNear.
func (p *partition) set(t Timer, toNear bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.count++
	old := p.near[t.Key]
	if old != nil && old.timer.Revision >= t.Revision {
		old.scan = p.scan
		return
	}
	if old != nil {
		old.handle.Stop()
		delete(p.near, t.Key)
	}
	deadline := t.Deadline.UnixNano()
	if toNear || t.Deadline.Sub(p.c.cfg.Now()) <= p.c.cfg.Horizon {
		n := &near{p: p, timer: t, deadline: deadline, scan: p.scan}
		p.near[t.Key] = n
		p.start(n)
	} else {
		at := deadline / p.width()
		p.far[at] = append(p.far[at], t.Revision)
		p.farLen++
	}
	if p.found >= 0 && len(p.near)+p.farLen > 2*p.found+maxStale {
		poke(p.rescan)
	}
}

// start makes n due when its deadline has come. p.mu must be held.
func (p *partition) start(n *near) {
	n.handle = p.fire.clock.Schedule(time.Duration(n.deadline-p.c.cfg.Now().UnixNano()),
		func() { p.fire.due.put(n) })
}

// due tells whether n is still what is known under its key, and its deadline is there by the clock
// of the worker. It starts n again if that was set back.
func (p *partition) due(n *near, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near[n.timer.Key] != n {
		return false
	}
	is := now.UnixNano() >= n.deadline
	if !is {
		p.start(n)
	}
	return is
}

// restart starts all timers anew, after the clock of the worker was set.
func (p *partition) restart() {
	poke(p.look)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.near {
		if n.handle.Stop() { // else it is due already
			p.start(n)
		}
	}
}

// drop forgets n.
func (p *partition) drop(n *near) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = true
	if p.near[n.timer.Key] == n {
		delete(p.near, n.timer.Key)
	}
}

// leave forgets n, which cannot be fired, and remembers that it is there.
func (p *partition) leave(n *near) {
	p.mu.Lock()
	if p.stuck == 0 || n.deadline < p.stuck {
		p.stuck = n.deadline
	}
	p.mu.Unlock()
	p.drop(n)
}

// reached takes down that all up to a revision has been read.
func (p *partition) reached(revision uint64) {
	p.mu.Lock()
	p.last, p.changed = revision, true
	p.mu.Unlock()
}

// done returns what is done with, and false if nothing has changed or not all has been read.
func (p *partition) done() (done, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found < 0 || p.closed || !p.changed {
		return done{}, false
	}
	p.changed = false
	first := p.c.cfg.Now().UnixNano()
	if p.stuck != 0 {
		first = min(first, p.stuck)
	}
	for _, n := range p.near {
		first = min(first, n.deadline)
	}
	for width := range p.far {
		first = min(first, width*p.width())
	}
	return done{p.last, first - 1}, true
}

// storeDone stores what is done with.
func (p *partition) storeDone(ctx context.Context) {
	d, ok := p.done()
	if !ok {
		return
	}
	text, err := json.Marshal(d)
	if err == nil {
		err = p.c.publish(ctx, newMessage(p.c.layout.done(p.number), text))
	}
	if err != nil && ctx.Err() == nil {
		p.c.cfg.Logger.Debug("storing what is done with is left to the next time",
			"partition", p.number, "error", err)
	}
}

// close forgets everything. What is due is not fired any more.
func (p *partition) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, n := range p.near {
		n.handle.Stop()
	}
	p.near, p.far, p.farLen = nil, nil, 0
}

// size returns how many timers are in memory, and how many beyond the horizon.
func (p *partition) size() (nears, fars int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.near), p.farLen
}

// readDue reads the far timers whose width of time has come into the horizon.
func (p *partition) readDue(ctx context.Context) error {
	until := p.c.cfg.Now().Add(p.c.cfg.Horizon).UnixNano()
	for {
		p.mu.Lock()
		var at int64
		var revisions []uint64
		for width, r := range p.far {
			if width*p.width() <= until {
				at, revisions = width, r
				break
			}
		}
		p.mu.Unlock()
		if revisions == nil {
			return nil
		}
		if err := p.readAll(ctx, revisions); err != nil {
			return err
		}
		// More may have come to it meanwhile, but only before it was within the
		// horizon by the clock that set looked at.
		p.mu.Lock()
		if rest := p.far[at]; len(rest) > len(revisions) {
			p.far[at] = rest[len(revisions):]
		} else {
			delete(p.far, at)
		}
		p.farLen -= len(revisions)
		p.mu.Unlock()
	}
}

// readAll reads the timers of these revisions into memory, some at a time.
func (p *partition) readAll(ctx context.Context, revisions []uint64) error {
	return inParallel(ctx, readers, revisions, func(ctx context.Context, revision uint64) error {
		p.fire.due.wait(ctx, maxQueued)
		t, ok, err := p.readOne(ctx, revision)
		if err != nil {
			return fmt.Errorf("revision %d: %w", revision, err)
		}
		if ok {
			p.set(t, true)
		}
		return nil
	})
}

const readers = 64 // requests for a far timer at a time

// readOne reads a revision, and returns false if it is not there any more. Any
// replica may answer, but only the leader's word is taken for it that it is not there.
func (p *partition) readOne(ctx context.Context, revision uint64) (t Timer, ok bool, err error) {
	m, err := p.c.at(ctx, revision, nats.DirectGet())
	if errors.Is(err, nats.ErrMsgNotFound) || errors.Is(err, nats.ErrNoResponders) {
		m, err = p.c.at(ctx, revision)
	}
	if errors.Is(err, nats.ErrMsgNotFound) {
		return t, false, nil
	}
	if err == nil {
		t, err = p.c.layout.parse(m.Subject, m.Header, m.Data, m.Sequence)
	}
	return t, err == nil, err
}
