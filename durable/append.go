package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	maxBatch       = 128 << 10       // bytes of a message with several records
	publishTimeout = 2 * time.Second // after which an answer to a worker counts as lost
)

// item is a list of records to append to a log.
type item struct {
	body  []byte
	count int  // of the records
	asks  bool // it is one record, and done gets the answer
	work  bool // of a worker

	// done is called once with the position of the first record, or an error: then the records may be stored or not.
	done func(pos uint64, answer bool, err error)
}

// sender appends records to the log of a partition. What comes while a message is on its way goes together in the next one.
type sender struct {
	*Client
	partition int

	mu     sync.Mutex
	queue  []item
	busy   bool   // a goroutine sends
	number uint64 // of messages so far
}

func (s *sender) put(items ...item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, items...)
	if !s.busy && len(s.queue) > 0 {
		s.busy = true
		go s.run()
	}
}

// take returns the items of the next message.
func (s *sender) take() (batch []item, id messageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, count := 0, 0
	for _, it := range s.queue {
		if len(batch) > 0 && (size+len(it.body) > s.batch() || count+it.count > perMessage) {
			break
		}
		batch, size, count = append(batch, it), size+len(it.body), count+it.count
	}
	s.queue = s.queue[len(batch):]
	s.busy = len(batch) > 0
	s.number++
	return batch, messageID{s.id, s.number}
}

func (s *sender) run() {
	for {
		batch, id := s.take()
		if len(batch) == 0 {
			return
		}
		s.send(batch, id)
		runtime.Gosched() // whoever waited for it comes again, and goes into the next message
	}
}

func (s *sender) send(batch []item, id messageID) {
	body := make([]byte, 0, maxBatch/32)
	body = id.append(body)
	asks, work := false, true
	for _, it := range batch {
		body = append(body, it.body...)
		asks, work = asks || it.asks, work && it.work
	}
	timeout := requestTimeout
	if work {
		timeout = publishTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	var answers chan []byte
	if asks { // at the same time: a worker answers when it has read the message
		answers = make(chan []byte, 1)
		go func() { answers <- s.askVerdict(ctx, s.partition, id) }()
	}
	seq, err := s.store(ctx, timeout, s.layout.log(s.partition), body)
	if err != nil {
		cancel()
		for _, it := range batch {
			it.done(0, false, err)
		}
		return
	}
	pos := position(seq, 0)
	var waiting []func(answer bool, err error)
	for _, it := range batch {
		if at := pos; it.asks {
			waiting = append(waiting, func(answer bool, err error) { it.done(at, answer, err) })
		} else {
			it.done(at, false, nil)
		}
		pos += uint64(it.count)
	}
	if len(waiting) == 0 {
		cancel()
		return
	}
	go func() {
		defer cancel()
		list, err := <-answers, error(nil)
		if list == nil {
			list, err = s.coldVerdict(context.Background(), s.partition, id)
		}
		if err == nil && len(list) != len(waiting) {
			err = fmt.Errorf("%d answers to %d records", len(list), len(waiting))
		}
		for i, done := range waiting {
			done(err == nil && list[i] == 1, err)
		}
	}()
}

// store stores a message of this client, and returns its sequence number.
func (c *Client) store(ctx context.Context, timeout time.Duration, subject string, body []byte) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stop := c.lost.cancel(cancel) // no answer comes over another connection
	defer stop()
	m := &nats.Msg{Subject: subject, Data: body}
	ack, err := c.js.PublishMsg(ctx, m)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("the connection was lost: %w", context.DeadlineExceeded)
	}
	if err != nil {
		return 0, asFull(err)
	}
	return ack.Sequence, nil
}

// lost tells when a connection is lost.
type lost struct {
	mu    sync.Mutex
	funcs map[*func()]bool
}

// watch runs until nc is closed.
func (l *lost) watch(nc *nats.Conn) {
	changes := nc.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	defer nc.RemoveStatusListener(changes)
	for status := nats.CONNECTED; status != nats.CLOSED && !nc.IsClosed(); {
		status = <-changes
		l.mu.Lock()
		for f := range l.funcs {
			(*f)()
		}
		clear(l.funcs)
		l.mu.Unlock()
	}
}

// cancel calls f when the connection is lost, unless stop is called before.
func (l *lost) cancel(f func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.funcs[&f] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.funcs, &f)
	}
}

// add appends one record to the log of a partition, and returns the answer.
func (c *Client) add(ctx context.Context, partition int, rec *record) (answer bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return false, err
	}
	type result struct {
		answer bool
		err    error
	}
	came := make(chan result, 1)
	c.senders[partition].put(item{body: rec.append(nil), count: 1, asks: rec.op.asks(),
		done: func(_ uint64, answer bool, err error) { came <- result{answer, err} }})
	select {
	case r := <-came:
		return r.answer, r.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// batch is records to append to several logs.
type batch struct {
	c     *Client
	work  bool           // of a worker
	lists map[int][]item // by partition
	came  chan stored
}

// stored says where the records of an item are.
type stored struct {
	pos uint64
	err error
}

func (c *Client) newBatch(work bool) *batch {
	return &batch{c: c, work: work, lists: make(map[int][]item)}
}

// add adds a record, to the last item of its partition if no answer is needed and the item stays small.
func (b *batch) add(partition int, rec *record) {
	list, body, asks := b.lists[partition], rec.append(nil), rec.op.asks()
	if last := len(list) - 1; !asks && last >= 0 && !list[last].asks && len(list[last].body)+len(body) <= b.c.batch()/2 {
		list[last].body = append(list[last].body, body...)
		list[last].count++
		return
	}
	b.lists[partition] = append(list, item{body: body, count: 1, asks: asks, work: b.work,
		done: func(pos uint64, _ bool, err error) { b.came <- stored{pos, err} }})
}

// store appends the records, and waits until all of them are stored, or ctx ends. It returns the last message with them, and
// the first error.
func (b *batch) store(ctx context.Context) (last uint64, err error) {
	n := 0
	for _, list := range b.lists {
		n += len(list)
	}
	b.came = make(chan stored, n)
	for partition, list := range b.lists {
		b.c.senders[partition].put(list...)
	}
	for range n {
		select {
		case s := <-b.came:
			last, err = max(last, s.pos/perMessage), cmp.Or(err, s.err)
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return last, err
}

// link returns the number of the connection, and whether it is up.
func (c *Client) link() (connection uint64, up bool) {
	return c.nc.Stats().Reconnects, c.nc.Status() == nats.CONNECTED
}

// ErrFull is returned by methods that set timers if the rest of the store is reserved for moving,
// cancelling and firing the existing ones. It has room again when timers fire or are cancelled.
var ErrFull = errors.New("durable: the store is full")

// A tenth of the store is reserved, at most maxKept. Moves and cancels may use 35 % of that, and what fires timers half, so
// that moves cannot stop it. Errors of dead letters need four times the tenth. The rest is for what cleans the logs and so
// makes room, and for signs of life.
const maxKept, muchRoom = 1 << 30, 1 << 28

const (
	lookPause   = 250 * time.Millisecond // between requests for the room that is left
	noLimit     = 10 * time.Second       // the same, if the server has no limit or does not tell it
	lookTimeout = time.Second            // of requests for metrics
)

type space struct {
	mutex
	keeps  float64   // how much of the reserve, or how many times as much, must stay
	next   time.Time // of the next request
	server string    // the ID of the server, which changes at each start
	left   int64     // how many bytes this client may store until then
	most   int64     // the largest message
}

func newSpace(keeps float64) space { return space{mutex: newMutex(), keeps: keeps} }

// claim returns ErrFull if there is no room for a message. Each client checks on its own, and takes at
// most a quarter of the room at a time.
func (c *Client) claim(ctx context.Context, s *space, size int64) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	server := c.nc.ConnectedServerId()
	if s.left < size || s.most < size || time.Now().After(s.next) || s.server != server {
		stored, limit, err := c.stored(ctx)
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err // without an answer the reserved room might be used up
		}
		s.server, s.left, s.most, s.next = server, 1<<62, 1<<62, time.Now().Add(noLimit)
		if err == nil && limit > 0 { // otherwise the server decides
			kept := reserved(limit)
			c.kept.Store(kept)
			if s.most = kept / 4; s.keeps < 1 {
				s.most = kept
			}
			if size > s.most { // the reserve must hold it when it moves
				return fmt.Errorf("%w: a message of %d bytes is larger than a fortieth of the %d bytes of the store", ErrFull, size, limit)
			}
			room := limit - int64(float64(kept)*s.keeps) - stored
			if room < size {
				s.left = 0
				return fmt.Errorf("%w: %d bytes of %d are used, and the rest is reserved for existing timers",
					ErrFull, stored, limit)
			}
			if s.left, s.next = max(room/4, size), time.Now().Add(lookPause); room > muchRoom {
				s.next = time.Now().Add(noLimit)
			}
		}
	}
	s.left -= size
	return nil
}

func reserved(limit int64) int64 { return min(limit/10, maxKept) }

// batch returns how many bytes a message with several records may have, so that cleaning needs little room.
func (c *Client) batch() int { return int(min(cmp.Or(c.kept.Load()/8, maxBatch), maxBatch)) }

// room claims room for a message. If there is none, it cleans logs that no worker cleans, or waits for a worker to do so if
// the message is about an existing timer.
func (c *Client) room(ctx context.Context, s *space, size int64) error {
	err := c.claim(ctx, s, size)
	for tries := 0; errors.Is(err, ErrFull) && tries < 12; tries++ {
		factor := fullFactor
		if s.keeps == 1 {
			factor = setFactor
		}
		if made := c.makeRoom(ctx, factor); made != nil {
			return made
		}
		if again := c.claim(ctx, s, size); !errors.Is(again, ErrFull) || s.keeps == 1 {
			return again
		}
		if sleep(ctx, lookPause) != nil {
			return context.Cause(ctx)
		}
	}
	return err
}

// stored returns how many bytes the client's account stores, and their limit or 0.
func (c *Client) stored(ctx context.Context) (stored, limit int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	info, err := c.js.AccountInfo(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Store), max(info.Limits.MaxStore, 0), nil
}

func asFull(err error) error {
	if hasCode(err, server.JSInsufficientResourcesErr, server.JSAccountResourcesExceededErr, server.JSStorageResourcesExceededErr) ||
		hasCode(err, server.JSStreamStoreFailedF) && strings.Contains(err.Error(), server.ErrMaxBytes.Error()) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
