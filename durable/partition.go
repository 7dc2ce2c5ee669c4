package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// partition keeps the timers of one partition while this worker serves it: those
// within the horizon in memory, of the others the revisions alone.
type partition struct {
	c      *Client
	number int
	fire   *firing
	loaded atomic.Bool // all that was stored when the first scan began has been read
	rescan chan struct{}

	mu     sync.Mutex
	closed bool
	scan   uint64           // counts scans; 0 before the first
	near   map[string]*near // by key
	far    map[int64][]uint64
	farLen int
	count  int // timers that the scan under way has found
	found  int // timers that the last scan has found, or -1 while one is under way
}

// The revisions of far timers are kept by width of time, four to a horizon, and read
// when the first deadline of such a width is a horizon away.
const widths = 4

// maxStale is how many revisions more than timers there are may be kept, beyond the
// number of timers, before a scan drops those that are stale.
const maxStale = 10_000

func newPartition(c *Client, number int, fire *firing) *partition {
	return &partition{c: c, number: number, fire: fire, rescan: make(chan struct{}, 1),
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.beginScan()
	consumer, err := p.c.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{p.c.layout.changes(p.number)}})
	if err != nil {
		return err
	}
	left := consumer.CachedInfo().NumPending
	scanned := left == 0
	if scanned {
		p.endScan()
	}
	consume, err := consumer.Consume(func(m jetstream.Msg) {
		pending, err := p.apply(m)
		if err != nil {
			p.c.cfg.Logger.Error("message in a partition is left alone", "partition", p.number, "error", err)
		}
		if !scanned && pending == 0 {
			scanned = true
			p.endScan()
		}
		p.fire.due.wait(ctx, maxQueued)
	}, jetstream.PullMaxMessages(readAhead), jetstream.PullExpiry(pullExpiry), jetstream.PullHeartbeat(pullHeartbeat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			p.c.cfg.Logger.Debug("reading a partition", "partition", p.number, "error", err)
		}))
	if err != nil {
		return err
	}
	defer func() {
		cancel()
		consume.Stop()
		<-consume.Closed()
	}()
	look := time.NewTicker(max(p.c.cfg.Horizon/(8*widths), 50*time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.rescan:
			return nil
		case <-consume.Closed():
			return errors.New("the consumer was closed")
		case <-look.C:
			if err := p.readDue(ctx); err != nil {
				return err
			}
		}
	}
}

const (
	pullExpiry    = 4 * time.Second
	pullHeartbeat = time.Second // two missing ones, and the client asks anew
)

func (p *partition) beginScan() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scan++
	p.count, p.found = 0, -1
	clear(p.far)
	p.farLen = 0
	select {
	case <-p.rescan:
	default:
	}
}

// endScan drops what is in memory and not stored any more.
func (p *partition) endScan() {
	p.mu.Lock()
	defer p.mu.Unlock()
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

// apply takes over a message of the partition: a timer, or that one was cancelled. It
// returns how many more there are.
func (p *partition) apply(m jetstream.Msg) (pending uint64, err error) {
	meta, err := m.Metadata()
	if err != nil {
		return 0, err
	}
	if m.Subject() == p.c.layout.cancelled(p.number) {
		p.cancelled(string(m.Data()), meta.Sequence.Stream)
		return meta.NumPending, nil
	}
	t, err := p.c.layout.parse(m.Subject(), m.Headers(), m.Data(), meta.Sequence.Stream)
	if err != nil {
		return meta.NumPending, err
	}
	p.set(t, false)
	return meta.NumPending, nil
}

// cancelled drops the timer under key if it is older than the Cancel.
func (p *partition) cancelled(key string, revision uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.near[key]; n != nil && n.timer.Revision < revision {
		n.handle.Stop()
		delete(p.near, key)
	}
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
		select {
		case p.rescan <- struct{}{}:
		default:
		}
	}
}

// start makes n due when its deadline has come. p.mu must be held.
func (p *partition) start(n *near) {
	n.handle = p.fire.clock.Schedule(time.Duration(n.deadline-p.c.cfg.Now().UnixNano()), func() { p.fire.due.put(n) })
}

// wait starts n again, whose deadline is not there by the clock of the worker.
func (p *partition) wait(n *near) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near[n.timer.Key] == n {
		p.start(n)
	}
}

// restart starts all timers anew, after the clock of the worker was set.
func (p *partition) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.near {
		if n.handle.Stop() { // else it is due already
			p.start(n)
		}
	}
}

// has tells whether n is still what is known under its key.
func (p *partition) has(n *near) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.near[n.timer.Key] == n
}

// drop forgets n.
func (p *partition) drop(n *near) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near[n.timer.Key] == n {
		delete(p.near, n.timer.Key)
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	room := make(chan struct{}, readers)
	for _, revision := range revisions {
		p.fire.due.wait(ctx, maxQueued)
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-room }()
			t, ok, err := p.readOne(ctx, revision)
			if err != nil {
				cancel(fmt.Errorf("revision %d: %w", revision, err))
			} else if ok {
				p.set(t, true)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

const readers = 64 // requests for a far timer at a time

// readOne reads a revision, and returns false if it is not there any more. Any
// replica may answer, but only the leader's word is taken for it that it is not there.
func (p *partition) readOne(ctx context.Context, revision uint64) (Timer, bool, error) {
	m, err := p.c.askAny(ctx, revision)
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, nats.ErrNoResponders) {
		m, err = p.c.at(ctx, revision)
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Timer{}, false, nil
	}
	if err != nil {
		return Timer{}, false, err
	}
	t, err := p.c.layout.parse(m.Subject, m.Header, m.Data, m.Sequence)
	return t, err == nil, err
}
