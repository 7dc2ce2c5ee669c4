package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// partition holds the timers of one partition while this worker serves it: timers within the
// horizon in memory, and only the revisions of the others.
type partition struct {
	w      *worker
	number int
	stop   context.CancelFunc
	ended  chan struct{} // closed when it is no longer served
	loaded atomic.Bool   // the first scan is complete
	rescan chan struct{} // has a token if the partition must be read again
	look   chan struct{} // has a token if far timers may have entered the horizon

	mu     sync.Mutex
	closed bool
	scan   uint64             // the number of the current scan, from 1
	near   map[string]*near   // timers in memory, by key
	far    map[int64][]uint64 // revisions of the other timers, by deadline / width
	farLen int
	count  int             // timers that the current scan has found
	found  int             // timers that the last scan found, or -1 during a scan
	live   int             // messages that the last summary has left
	waits  map[*near]error // timers whose next run could not be computed; they may be gone
	held   []*near         // timers to start together

	// During a scan.
	removed *removedSet
	seen    map[digest]uint64 // the last revision of each timer
	back    []spent           // timers that the server has restored
}

// Far timers are grouped by deadline into widths, widths of them to a horizon. A group is read
// when its first deadline is a horizon away.
const widths = 4

// maxStale limits the revisions of timers that have changed: a partition with n timers is read
// again once it holds more than 2n + maxStale.
const maxStale = 10_000

func newPartition(w *worker, number int) *partition {
	return &partition{w: w, number: number, ended: make(chan struct{}), rescan: make(chan struct{}, 1), look: make(chan struct{}, 1),
		near: make(map[string]*near), far: make(map[int64][]uint64), waits: make(map[*near]error)}
}

func (p *partition) width() int64 { return int64(p.w.cfg.Horizon / widths) }

// begin returns the first deadline of a group of far timers.
func (p *partition) begin(group int64) int64 { return group * p.width() }

// run follows the partition until ctx ends, and then drops its timers.
func (p *partition) run(ctx context.Context) {
	defer p.close()
	for ctx.Err() == nil {
		if err := p.follow(ctx); err != nil && ctx.Err() == nil {
			p.loaded.Store(false)
			p.w.cfg.Logger.Warn("reading a partition is tried again", "partition", p.number, "error", err)
			_ = sleep(ctx, 200*time.Millisecond) // ctx is asked next
		}
	}
}

// follow reads all timers of the partition, and then each change. It returns nil when it is time for another scan.
func (p *partition) follow(ctx context.Context) error {
	removed, err := p.w.removedNow(ctx, p.number, time.Second)
	if err != nil {
		return err
	}
	p.beginScan(removed)
	ctx, cancel := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { cancel(p.read(ctx)) })
	defer reading.Wait()
	defer cancel(nil)
	look := time.NewTicker(max(p.w.cfg.Horizon/(8*widths), 50*time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.rescan:
			return nil
		case <-look.C:
			poke(p.look)
		case <-p.look:
			if err := p.readAll(ctx, p.takeDue()); err != nil {
				return err
			}
		}
	}
}

// read applies all messages of the partition, until ctx ends or an error occurs.
func (p *partition) read(ctx context.Context) error {
	return p.w.follow(ctx, whole, p.w.layout.changes(p.number), func(m message) error {
		if m.Msg == nil { // all stored messages have been read
			p.endScan()
			return nil
		}
		if err := p.apply(m); err != nil {
			p.w.setAside("message of a partition", err)
		}
		p.w.due.wait(ctx, maxQueued)
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
	p.removed, p.seen, p.back = removed, make(map[digest]uint64), nil
	select {
	case <-p.rescan:
	default:
	}
}

// endScan drops the timers in memory that are no longer stored, and removes again the timers that
// the server restored when it was killed.
func (p *partition) endScan() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.back) > 0 {
		p.w.cfg.Logger.Debug("restored timers are removed again", "partition", p.number, "timers", len(p.back))
	}
	for _, s := range p.back {
		s.at = time.Now()
		p.w.spent.put(s)
	}
	p.removed, p.seen, p.back = nil, nil, nil
	for key, n := range p.near {
		if n.scan != p.scan {
			n.handle.Stop()
			delete(p.near, key)
		}
	}
	p.found = p.count
	p.loaded.Store(true)
	p.release()
}

// apply applies a message of the partition: a timer or a Cancel.
func (p *partition) apply(m message) error {
	if m.Subject() == p.w.layout.cancelled(p.number) {
		p.cancelled(string(m.Data()), m.revision())
		return nil
	}
	t, err := p.w.parse(m)
	if err == nil && p.pending(t, m.Subject()) {
		p.set(t, false)
	}
	return err
}

// cancelled drops the timer with this key if it is older than the Cancel, and removes the message of the Cancel.
func (p *partition) cancelled(key string, revision uint64) {
	p.mu.Lock()
	if n := p.near[key]; n != nil && n.timer.Revision < revision {
		n.handle.Stop()
		delete(p.near, key)
	}
	p.mu.Unlock()
	p.w.spent.put(spent{removal: removal{revision, digestOf(key)}, partition: p.number, at: time.Now()})
}

// pending reports whether a timer in the stream is pending, not restored. During a scan it also
// records what the server has restored.
func (p *partition) pending(t Timer, subject string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed == nil {
		return true
	}
	r := t.removal()
	back := spent{removal: r, partition: p.number, back: true}
	if p.removed.has(r) {
		p.back = append(p.back, back)
		return false
	}
	if before, ok := p.seen[r.key]; ok {
		back.revision, back.older = before, subject
		p.back = append(p.back, back)
	}
	p.seen[r.key] = r.revision
	return true
}

// set takes over a timer, unless a newer one with its key is known. It keeps the timer in memory
// if the deadline is within the horizon or toNear is true.
func (p *partition) set(t Timer, toNear bool) {
	isNear := t.Deadline.Sub(p.w.cfg.Now()) <= p.w.cfg.Horizon || !t.rightRun().Equal(t.Deadline)
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
	if toNear || isNear {
		n := &near{p: p, timer: t, scan: p.scan}
		p.near[t.Key] = n
		if loaded := p.loaded.Load(); !toNear && loaded {
			p.start(n)
		} else if p.held = append(p.held, n); len(p.held) >= maxHeld {
			p.release()
		}
	} else {
		group := t.Deadline.UnixNano() / p.width()
		p.far[group] = append(p.far[group], t.Revision)
		p.farLen++
	}
	if p.found >= 0 && len(p.near)+p.farLen > 2*p.found+maxStale {
		poke(p.rescan)
	}
}

// maxHeld limits how many timers are held, until the partition or a group of far timers has been read.
const maxHeld = 1 << 14

// release starts the timers that were held. It makes the ones that are overdue due in the order of their deadlines. p.mu
// must be held.
func (p *partition) release() {
	var due []*near
	for _, n := range p.held {
		switch {
		case p.near[n.timer.Key] != n: // it has changed
		case n.timer.Deadline.After(p.w.cfg.Now()):
			p.start(n)
		default:
			due = append(due, n)
		}
	}
	p.held = nil
	slices.SortFunc(due, byDeadline)
	p.w.due.put(due...)
}

// start makes n due at its deadline, and before if its time zone must be looked up. p.mu must be held.
func (p *partition) start(n *near) {
	in := n.timer.Deadline.Sub(p.w.cfg.Now())
	if n.timer.byZone() {
		pause := zonePause
		if !n.looked {
			pause = time.Second // two workers may disagree
		}
		in, n.looked = min(in, pause), true
	}
	n.handle = p.w.clock.Schedule(in, func() { p.w.due.put(n) })
}

// zonePause is how often the run of a timer of Every is computed again, because the rules of its time zone may change.
const zonePause = 10 * time.Minute

// due reports whether n is still current and must be stored: its deadline has come by the worker's clock, or is wrong.
// Otherwise it starts n again.
func (p *partition) due(n *near, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near[n.timer.Key] != n {
		delete(p.waits, n)
		return false
	}
	is := n.moves || !now.Before(n.timer.Deadline)
	if !is {
		p.start(n)
	}
	return is
}

// restart starts all timers again after the worker's clock was set.
func (p *partition) restart() {
	poke(p.look)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.near {
		if n.handle.Stop() { // otherwise it is due already
			p.held = append(p.held, n)
		}
	}
	if p.loaded.Load() {
		p.release()
	}
}

// cannotRead records that the next run of n cannot be computed. It returns false if that is known.
func (p *partition) cannotRead(n *near, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.waits[n]
	p.waits[n] = err
	return !known
}

// unreadable returns how many timers wait because their next run cannot be computed, and the error of one of them.
func (p *partition) unreadable() (count int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, why := range p.waits {
		if p.near[n.timer.Key] != n {
			delete(p.waits, n)
			continue
		}
		count, err = count+1, why
	}
	return count, err
}

// drop removes n from memory.
func (p *partition) drop(n *near) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near[n.timer.Key] == n {
		delete(p.near, n.timer.Key)
	}
}

// close drops all timers. Due timers no longer fire.
func (p *partition) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, n := range p.near {
		n.handle.Stop()
	}
	p.near, p.far, p.farLen = nil, nil, 0
}

// size returns how many timers are in memory, and how many are beyond the horizon.
func (p *partition) size() (nears, fars int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.near), p.farLen
}

// takeDue removes the far timers whose group has entered the horizon, and returns their revisions.
func (p *partition) takeDue() (revisions []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.w.cfg.Now()
	for group, r := range p.far {
		if time.Unix(0, p.begin(group)).Sub(now) <= p.w.cfg.Horizon {
			revisions = append(revisions, r...)
			delete(p.far, group)
		}
	}
	p.farLen -= len(revisions)
	return revisions
}

// readAll reads the timers with these revisions into memory, several at a time.
func (p *partition) readAll(ctx context.Context, revisions []uint64) error {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.loaded.Load() { // otherwise the scan does it
			p.release()
		}
	}()
	return inParallel(ctx, readers, revisions, func(ctx context.Context, revision uint64) error {
		p.w.due.wait(ctx, maxQueued)
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

const readers = 64 // requests for far timers at a time

// readOne reads the timer with a revision, and returns false if it no longer exists.
func (p *partition) readOne(ctx context.Context, revision uint64) (t Timer, ok bool, err error) {
	m, err := p.w.at(ctx, revision, nats.DirectGet())
	if errors.Is(err, nats.ErrMsgNotFound) {
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	if t, err = p.w.layout.parse(m.Subject, m.Header, m.Data, m.Sequence); err != nil {
		p.w.setAside("message of a partition", err)
	}
	t.stored = m.Time
	return t, err == nil, nil
}
