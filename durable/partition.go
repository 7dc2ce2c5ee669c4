package durable

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// partition is a partition that this worker serves: a replica, and when its timers are due.
type partition struct {
	w      *worker
	number int
	stop   context.CancelFunc
	ended  chan struct{} // closed when it is no longer served
	loaded atomic.Bool   // all that was stored has been read, and nothing is missing
	rescan chan struct{} // has a token if the partition must be read again
	look   chan struct{} // has a token if far timers may have entered the horizon

	mu         sync.Mutex
	closed     bool
	replica    *replica
	soon       schedule           // of timers in memory
	far        map[int64][]*entry // the other ones, by deadline / width; some have changed
	farSize    int
	free       []*entry         // fired timers whose worker may have died
	waits      map[*entry]error // timers whose next run could not be computed
	resume     time.Time        // nothing fires before, after an error
	firing     bool             // timers are on their way to the log
	unseen     []flight         // messages of this worker that are stored and were not read, or while messages might be missing
	connection uint64           // the connection over which all was read

	answers map[messageID][]byte // of the last messages
	recent  []messageID
	asked   map[messageID]*nats.Msg // questions about messages to come
	reading []reached
}

// reached is closed when a message has been read and nothing is missing.
type reached struct {
	seq  uint64
	done chan struct{}
}

func newPartition(w *worker, number int) *partition {
	p := &partition{w: w, number: number, ended: make(chan struct{}), rescan: make(chan struct{}, 1), look: make(chan struct{}, 1),
		waits: make(map[*entry]error), answers: make(map[messageID][]byte), asked: make(map[messageID]*nats.Msg)}
	p.begin(base{})
	return p
}

// begin starts with an empty replica. What it knew may be wrong, or lost.
func (p *partition) begin(b base) {
	r := newReplica(b)
	r.near, r.placed, r.took, r.freed = p.near, p.placed, p.took, p.freed
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replica, p.soon, p.far, p.farSize, p.free, p.recent = r, nil, make(map[int64][]*entry), 0, nil, nil
	clear(p.waits)
	clear(p.answers)
	p.w.jobs.forget(p.number)
	select {
	case <-p.rescan:
	default:
	}
}

// run follows the partition until ctx ends, and then drops its timers.
func (p *partition) run(ctx context.Context) {
	defer p.close()
	for ctx.Err() == nil {
		if err := p.follow(ctx); err != nil && ctx.Err() == nil {
			p.w.cfg.Logger.Warn("reading a partition is tried again", "partition", p.number, "error", err)
			_ = sleep(ctx, 200*time.Millisecond) // ctx is asked next
		}
		p.loaded.Store(false)
	}
}

// follow reads the log of the partition, and then each change. It returns nil when it is time to read it again.
func (p *partition) follow(ctx context.Context) error {
	b, err := p.w.readBase(ctx, p.number)
	if err != nil {
		return err
	}
	p.begin(b)
	ctx, cancel := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	reading.Go(func() { cancel(p.read(ctx, b)) })
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
			if err := p.readFar(ctx); err != nil {
				return err
			}
		}
	}
}

// read applies all messages of the log, until ctx ends or an error occurs.
func (p *partition) read(ctx context.Context, b base) error {
	var asking *nats.Subscription
	defer func() {
		if asking != nil {
			_ = asking.Unsubscribe() // the connection may be closed
		}
	}()
	return p.w.follow(ctx, p.w.layout.log(p.number), b.First, func(m message) error {
		err := p.see(ctx, m)
		if err == nil && asking == nil && p.loaded.Load() {
			asking, err = p.w.nc.QueueSubscribe(p.w.layout.ask(p.number), "workers", p.answer)
		}
		return err
	})
}

// see takes a message of the log. While messages may be missing, nothing is answered and no handler is called.
func (p *partition) see(ctx context.Context, m message) error {
	switch {
	case m.body != nil:
		p.apply(m)
	case m.seq == isBehind:
		p.loaded.Store(false)
	default:
		return p.level(ctx)
	}
	return nil
}

// check returns errCleaned if messages were removed that were not read.
func (p *partition) check(ctx context.Context) error {
	b, err := p.w.readBase(ctx, p.number)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && !p.replica.advance(b) {
		err = errCleaned
	}
	return err
}

// level is called when all stored messages were read.
func (p *partition) level(ctx context.Context) error {
	if err := p.check(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connection, _ = p.w.link()
	p.loaded.Store(true)
	p.free = slices.DeleteFunc(p.free, func(e *entry) bool {
		own := e.state == isFired && e.more.holder == p.w.id
		if own {
			p.w.enqueue(p, e, false)
		}
		return own
	})
	for id, m := range p.asked {
		if answers, ok := p.answers[id]; ok {
			respond(m, answers)
			delete(p.asked, id)
		}
	}
	p.tell()
	poke(p.look)
	p.w.wake()
	return nil
}

// apply applies a message of the log.
func (p *partition) apply(m message) {
	p.mu.Lock()
	id, answers, err := p.replica.apply(m.seq, m.at, m.body)
	var question *nats.Msg
	if len(answers) > 0 && m.seq > p.replica.base.Complete { // otherwise they may be wrong
		p.remember(id, answers)
		if p.loaded.Load() {
			question = p.asked[id]
			delete(p.asked, id)
		}
	}
	p.tell()
	p.mu.Unlock()
	if question != nil {
		respond(question, answers)
	}
	if err != nil {
		p.w.setAside("message of a log", err)
	}
}

// tell tells who waits for messages that they were read.
func (p *partition) tell() {
	if p.loaded.Load() {
		p.unseen = slices.DeleteFunc(p.unseen, func(f flight) bool { return f.seq <= p.replica.applied })
		p.reading = slices.DeleteFunc(p.reading, func(r reached) bool {
			if r.seq <= p.replica.applied {
				close(r.done)
			}
			return r.seq <= p.replica.applied
		})
	}
}

// maxAnswers is how many answers a worker keeps for questions that come late.
const maxAnswers = 1 << 12

func (p *partition) remember(id messageID, answers []byte) {
	p.answers[id] = answers
	if p.recent = append(p.recent, id); len(p.recent) > 2*maxAnswers {
		for _, old := range p.recent[:maxAnswers] {
			delete(p.answers, old)
		}
		p.recent = slices.Clone(p.recent[maxAnswers:])
	}
}

func respond(m *nats.Msg, answers []byte) {
	_ = m.Respond(append([]byte{askVerdict}, answers...)) // otherwise the client reads the log
}

// answerVerdict answers a question about a message, now or when it comes.
func (p *partition) answerVerdict(id messageID, m *nats.Msg) {
	p.mu.Lock()
	answers, ok := p.answers[id]
	if ok = ok && p.loaded.Load(); !ok {
		if len(p.asked) > maxAnswers { // of messages that never came
			clear(p.asked)
		}
		p.asked[id] = m
	}
	p.mu.Unlock()
	if ok {
		respond(m, answers)
	}
}

// with implements reads.
func (p *partition) with(ctx context.Context, seq uint64, f func(*replica)) error {
	for ctx.Err() == nil {
		p.mu.Lock()
		if p.loaded.Load() && p.replica.applied >= seq {
			defer p.mu.Unlock()
			f(p.replica)
			return nil
		}
		r := reached{seq, make(chan struct{})}
		p.reading = append(p.reading, r)
		p.mu.Unlock()
		select {
		case <-r.done:
		case <-p.ended:
			return errors.New("the partition is no longer served")
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// took hands e to a handler of this worker, if it has fired it, or took it over. Otherwise another worker handles it.
func (p *partition) took(e *entry, isNew bool) {
	if e.more.holder == p.w.id && p.loaded.Load() {
		p.w.enqueue(p, e, isNew)
	} else { // level looks at it again, if it is not done then, or adopt
		p.free = append(p.free, e)
	}
}

// adopt makes this worker handle what it has fired according to the log, and what other workers have fired that died.
func (p *partition) adopt(m *members) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.loaded.Load() {
		return
	}
	var sent []due
	var body []byte
	p.free = slices.DeleteFunc(p.free, func(e *entry) bool {
		switch {
		case e.state != isFired || e.more.holder == 0 || e.more.holder == p.w.id:
			return true
		case m.handles(e.more.holder):
			return false
		}
		_, room := p.w.roomFor()
		if room-len(sent) <= 0 {
			return false
		}
		attempts := e.more.attempts
		if attempts == 0 { // it may have been called, but not for the last time
			attempts = min(1, cmp.Or(e.more.limits.MaxAttempts, p.w.cfg.MaxAttempts)-1)
		}
		rec := record{op: opTake, id: e.more.id, rev: e.rev, attempts: attempts + 1}
		body = rec.append(body)
		sent = append(sent, due{entry: e})
		return false
	})
	if len(sent) > 0 {
		p.append(sent, body, func(error) {}) // an error leaves them here
	}
}

// size returns how many timers are within the horizon, and how many are beyond it or were and have changed.
func (p *partition) size() (nears, fars int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(len(p.replica.pending)-p.farSize, 0), p.farSize
}

// cannotRead records that the next run of e cannot be computed. It returns false if that is known.
func (p *partition) cannotRead(e *entry, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.waits[e]
	p.waits[e] = err
	return !known
}

// unreadable returns how many timers wait because their next run cannot be computed, and the error of one of them.
func (p *partition) unreadable() (count int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e, why := range p.waits {
		if e.state != isPending || time.Unix(0, e.deadline).After(p.w.cfg.Now()) {
			delete(p.waits, e)
			continue
		}
		count, err = count+1, why
	}
	return count, err
}

// close drops all timers. Due timers no longer fire.
func (p *partition) close() {
	p.begin(base{})
	p.mu.Lock()
	p.closed = true
	unseen := p.unseen
	p.unseen = nil
	p.mu.Unlock()
	p.w.giveBack(p.number, unseen...)
}
