package durable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

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
		if len(batch) > 0 && (size+len(it.body) > int(s.batch.Load()) || count+it.count > perMessage) {
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

// add appends one record to the log of its partition, and returns its position and the answer.
func (c *Client) add(ctx context.Context, partition int, rec *record) (pos uint64, answer bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return 0, false, err
	}
	type result struct {
		pos    uint64
		answer bool
		err    error
	}
	came := make(chan result, 1)
	c.senders[partition].put(item{body: rec.append(nil), count: 1, asks: rec.op.asks(),
		done: func(pos uint64, answer bool, err error) { came <- result{pos, answer, err} }})
	select {
	case r := <-came:
		return r.pos, r.answer, r.err
	case <-ctx.Done():
		return 0, false, context.Cause(ctx)
	}
}

// link returns the number of the connection, and whether it is up.
func (c *Client) link() (connection uint64, up bool) {
	return c.nc.Stats().Reconnects, c.nc.Status() == nats.CONNECTED
}
