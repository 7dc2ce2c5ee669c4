package durable

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
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
	loaded atomic.Bool   // all that was stored has been read
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
	unseen     []flight         // messages of this worker that are stored and were not read
	connection uint64           // the connection over which all was read

	answers map[messageID][]byte // of the last messages
	recent  []messageID
	asked   map[messageID]*nats.Msg // questions about messages to come
	reading []reached
}

// reached is closed when a message has been read.
type reached struct {
	seq  uint64
	done chan struct{}
}

// Far timers are grouped by deadline into widths, widths of them to a horizon. The payloads of a group are read when its
// first deadline is a horizon away.
const widths = 4

// maxStale limits how many timers that have changed are still in the groups or the schedule.
const maxStale = 10_000

func newPartition(w *worker, number int) *partition {
	p := &partition{w: w, number: number, ended: make(chan struct{}), rescan: make(chan struct{}, 1), look: make(chan struct{}, 1),
		waits: make(map[*entry]error), answers: make(map[messageID][]byte), asked: make(map[messageID]*nats.Msg)}
	p.begin(base{})
	return p
}

func (p *partition) width() int64 { return int64(p.w.cfg.Horizon / widths) }

// begin starts with an empty replica.
func (p *partition) begin(b base) {
	r := newReplica(b)
	r.near, r.placed, r.took, r.freed = p.near, p.placed, p.took, p.freed
	r.read = make([]uint64, 0, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replica, p.soon, p.far, p.farSize, p.free = r, nil, make(map[int64][]*entry), 0, nil
	clear(p.waits)
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

var errCleaned = errors.New("the log was cleaned while it was read")

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
	before := uint64(0)
	defer func() {
		if asking != nil {
			_ = asking.Unsubscribe() // the connection may be closed
		}
	}()
	return p.w.follow(ctx, p.w.layout.log(p.number), b.First, func(m message) error {
		switch {
		case m.body != nil:
			p.apply(m)
		case m.seq == isBehind: // messages may be missing until the rest has come
			p.loaded.Store(false)
			p.with(func(r *replica) { before = r.applied })
		default: // all stored messages have been read
			now, err := p.w.readBase(ctx, p.number)
			if err != nil {
				return err
			}
			p.mu.Lock()
			complete := p.replica.complete(now)
			if p.replica.read == nil { // it continues after a message
				complete = now.First <= before+1 || now.seq == p.replica.base.seq
			}
			if complete {
				p.replica.read = nil
				p.connection, _ = p.w.link()
			}
			p.mu.Unlock()
			if !complete {
				return errCleaned
			}
			if asking == nil {
				asking, err = p.w.nc.QueueSubscribe(p.w.layout.ask(p.number), "workers", p.answer)
				if err != nil {
					return err
				}
			}
			poke(p.look)
			p.loaded.Store(true)
			p.w.wake()
		}
		return nil
	})
}

// apply applies a message of the log.
func (p *partition) apply(m message) {
	p.mu.Lock()
	id, answers, err := p.replica.apply(m.seq, m.at, m.body)
	if len(answers) > 0 && m.seq > p.replica.base.Complete { // otherwise they may be wrong
		p.remember(id, answers)
	}
	question := p.asked[id]
	delete(p.asked, id)
	if m.seq <= p.replica.base.Complete {
		question = nil
	}
	p.reading = slices.DeleteFunc(p.reading, func(r reached) bool {
		if r.seq <= m.seq {
			close(r.done)
		}
		return r.seq <= m.seq
	})
	p.unseen = slices.DeleteFunc(p.unseen, func(f flight) bool { return f.seq <= m.seq })
	p.mu.Unlock()
	if question != nil && err == nil {
		respond(question, answers)
	}
	if err != nil {
		p.w.setAside("message of a log", err)
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
	if !ok {
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

// reached waits until a message has been read.
func (p *partition) reached(ctx context.Context, seq uint64) error {
	p.mu.Lock()
	if p.replica.applied >= seq && p.replica.read == nil {
		p.mu.Unlock()
		return nil
	}
	r := reached{seq, make(chan struct{})}
	p.reading = append(p.reading, r)
	p.mu.Unlock()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// due is when an entry must be looked at.
type due struct {
	at int64
	*entry
	zone bool // just for the rules of its time zone
}

// stale reports whether the entry has changed since.
func (d due) stale() bool {
	switch d.state {
	case isPending:
		return !d.zone && d.deadline != d.at || d.zone && !d.timer(nil).byZone()
	case isFired:
		return d.more.holder != 0 || d.more.at != d.at
	}
	return true
}

// schedule is a heap of entries by time.
type schedule []due

func (s schedule) Len() int { return len(s) }
func (s schedule) Less(i, j int) bool {
	return s[i].at < s[j].at || s[i].at == s[j].at && s[i].rev < s[j].rev
}
func (s schedule) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)   { *s = append(*s, x.(due)) }
func (s *schedule) Pop() any {
	last := len(*s) - 1
	d := (*s)[last]
	*s = (*s)[:last]
	return d
}

// near reports whether the payload of a timer is needed within the horizon. p.mu must be held, as for all hooks of the replica.
func (p *partition) near(e *entry) bool {
	return e.deadline <= p.w.cfg.Now().UnixNano()+int64(p.w.cfg.Horizon)
}

// placed schedules e.
func (p *partition) placed(e *entry) {
	switch {
	case e.state == isFired:
		p.push(due{e.more.at, e, false})
	case e.isCron():
		if e.timer(nil).byZone() {
			p.push(due{min(e.deadline, p.w.cfg.Now().Add(time.Second).UnixNano()), e, true}) // two workers may disagree
		}
		p.push(due{e.deadline, e, false})
	case e.whole() && p.near(e):
		p.push(due{e.deadline, e, false})
	default:
		group := e.deadline / p.width()
		p.far[group] = append(p.far[group], e)
		if p.farSize++; p.farSize > 2*len(p.replica.pending)+maxStale {
			p.dropStale()
		}
		if p.near(e) { // it has moved
			poke(p.look)
		}
	}
}

func (p *partition) push(d due) {
	if len(p.soon) > 2*(len(p.replica.pending)+len(p.replica.others))+maxStale {
		p.soon = slices.DeleteFunc(p.soon, due.stale)
		heap.Init(&p.soon)
	}
	heap.Push(&p.soon, d)
	if p.soon[0].entry == d.entry && p.loaded.Load() {
		p.w.wakeAt(d.at)
	}
}

// dropStale drops far timers that have changed.
func (p *partition) dropStale() {
	p.farSize = 0
	for group, list := range p.far {
		list = slices.DeleteFunc(list, func(e *entry) bool { return !p.isFar(e, group) })
		p.far[group] = list
		p.farSize += len(list)
	}
}

// isFar reports whether e still belongs into a group.
func (p *partition) isFar(e *entry, group int64) bool {
	return e.state == isPending && e.deadline/p.width() == group
}

// readFar reads the payloads of the timers that have entered the horizon.
func (p *partition) readFar(ctx context.Context) error {
	p.mu.Lock()
	until := p.w.cfg.Now().UnixNano() + int64(p.w.cfg.Horizon)
	var list []*entry
	for group, entries := range p.far {
		if group*p.width() > until {
			continue
		}
		for _, e := range entries {
			if p.isFar(e, group) && e.whole() {
				p.push(due{e.deadline, e, false})
			} else if p.isFar(e, group) {
				list = append(list, e)
			}
		}
		delete(p.far, group)
		p.farSize -= len(entries)
	}
	p.mu.Unlock()
	return p.loadAll(ctx, list)
}

// loadAll reads the payloads of timers into memory.
func (p *partition) loadAll(ctx context.Context, list []*entry) error {
	homes := make(map[uint64][]*entry)
	p.mu.Lock()
	for _, e := range list {
		seq := e.home() / perMessage
		homes[seq] = append(homes[seq], e)
	}
	p.mu.Unlock()
	var seqs []uint64
	for seq := range homes {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	return inParallel(ctx, readers, seqs, func(ctx context.Context, seq uint64) error {
		body, err := p.w.message(ctx, seq)
		if err != nil {
			if p.unchanged(homes[seq], seq) {
				return fmt.Errorf("message %d, with payloads: %w", seq, err)
			}
			return p.loadAll(ctx, homes[seq]) // they have been kept elsewhere
		}
		_, records, err := parseMessage(body, nil)
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, e := range homes[seq] {
			home := e.home()
			if e.state == isEnded || e.whole() {
				continue
			}
			if i := int(home % perMessage); home/perMessage == seq && i < len(records) && records[i].key == e.key() {
				e.data = e.key() + string(records[i].payload)
			}
			if e.state == isPending {
				p.push(due{e.deadline, e, false})
			}
		}
		return nil
	})
}

const readers = 16 // requests for messages at a time

func (p *partition) unchanged(list []*entry, seq uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(list, func(e *entry) bool { return e.state != isEnded && !e.whole() && e.home()/perMessage == seq })
}

// load returns the payload of e.
func (p *partition) load(ctx context.Context, e *entry) ([]byte, error) {
	p.mu.Lock()
	whole := e.whole()
	seq, index := e.home()/perMessage, int(e.home()%perMessage)
	payload := []byte(nil)
	if whole {
		payload = e.payload()
	}
	p.mu.Unlock()
	if whole {
		return payload, nil
	}
	body, err := p.w.message(ctx, seq)
	if err != nil {
		return nil, err
	}
	_, records, err := parseMessage(body, nil)
	if err == nil && index >= len(records) {
		err = fmt.Errorf("message %d has %d records", seq, len(records))
	}
	if err != nil {
		return nil, err
	}
	return records[index].payload, nil
}

// took hands e to a handler of this worker, if it has fired it, or took it over. Otherwise another worker handles it.
func (p *partition) took(e *entry) {
	if e.more.holder != p.w.id {
		p.free = append(p.free, e)
		return
	}
	if p.replica.read == nil { // otherwise look at it once the log was read: it may be done
		p.w.enqueue(p, e, true)
	} else {
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
		case e.state != isFired || e.more.holder == 0:
			return true
		case e.more.holder == p.w.id:
			p.w.enqueue(p, e, false)
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
	p.mu.Lock()
	p.closed = true
	unseen := p.unseen
	p.replica, p.soon, p.far, p.farSize, p.free, p.unseen = newReplica(base{}), nil, nil, 0, nil, nil
	p.mu.Unlock()
	p.w.giveBack(p.number, unseen...)
}
