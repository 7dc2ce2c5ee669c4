package durable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	cleanPause = 250 * time.Millisecond
	cleanAge   = 10 * time.Second // of messages that may be removed: other workers must have read them
	tightAge   = time.Second      // the same, if the store has little room
	cleanBytes = 1 << 20          // of the log, at a time
	slack      = 64 << 10         // bytes of waste that a log may always have
	tightSlack = 4 << 10

	// A log is cleaned from this multiple of its live bytes on: tightFactor in a nearly full store and for changes of timers,
	// setFactor for new timers. New timers must leave something to clean.
	tightFactor, setFactor = 1.1, 2
)

// reads is a replica that can be brought up to date.
type reads interface {
	with(f func(*replica))
	reached(ctx context.Context, seq uint64) error
}

func (p *partition) with(f func(*replica)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.replica)
}

// coldReads is the replica of a client that has locked it.
type coldReads struct {
	*cold
	c         *Client
	partition int
}

func (k coldReads) with(f func(*replica)) { f(k.replica) }

func (k coldReads) reached(ctx context.Context, _ uint64) error {
	return k.c.catchUp(ctx, k.partition, k.cold)
}

// wasteful reports whether a log has more bytes than is live times a factor, and some. With a factor of 2, each byte that is
// removed costs about one that is repeated.
func (r *replica) wasteful(factor float64, more int64) bool {
	return r.size() > int64(factor*float64(r.live))+more
}

// cleanAll cleans the logs of the partitions that the worker serves, until ctx ends.
func (w *worker) cleanAll(ctx context.Context) {
	for i := 0; sleep(ctx, cleanPause) == nil; i++ {
		stored, limit, err := int64(0), int64(0), error(nil)
		if i%4 == 0 {
			stored, limit, err = w.stored(ctx)
			w.tight.Store(err == nil && limit > 0 && stored > limit/4*3)
			if err == nil && limit > 0 {
				w.batch.Store(batchFor(limit))
			}
		}
		tight := w.tight.Load()
		factor, more := 2.0, int64(slack)
		if tight {
			factor, more = tightFactor, tightSlack
		}
		for _, p := range w.all() {
			for p.loaded.Load() && ctx.Err() == nil {
				begin := time.Now()
				wasteful := false
				p.with(func(r *replica) { wasteful = r.wasteful(factor, more) })
				if !wasteful {
					break
				}
				more, err := w.clean(ctx, p.number, p, tight, map[bool]time.Duration{false: cleanAge, true: tightAge}[tight])
				if err != nil && ctx.Err() == nil {
					w.cfg.Logger.Debug("cleaning a log is tried again", "partition", p.number, "error", err)
				}
				if err != nil || !more {
					break
				}
				_ = sleep(ctx, time.Since(begin)) // others need the processor; ctx is asked next
			}
		}
	}
}

// makeRoom cleans the logs that no worker has read.
func (c *Client) makeRoom(ctx context.Context, factor float64) error {
	for n := range c.layout.partitions {
		if c.ask(ctx, n, question(askCounts, 0, "")) != nil {
			continue
		}
		err := c.withCold(ctx, n, func(k *cold) error {
			for more := true; more && k.replica.wasteful(factor, tightSlack); {
				var err error
				if more, err = c.clean(ctx, n, coldReads{k, c, n}, true, 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clean removes the oldest messages of a log after it has repeated what is live in them. It returns whether it has removed
// any. Two clients may clean a log at the same time: the server stores the base of one of them.
func (c *Client) clean(ctx context.Context, partition int, at reads, tight bool, age time.Duration) (bool, error) {
	b, err := c.readBase(ctx, partition)
	if err != nil {
		return false, err
	}
	size, applied := cleanBytes, uint64(0)
	if tight {
		size = int(c.batch.Load())
	}
	at.with(func(r *replica) {
		if applied = r.applied; b.seq > r.base.seq { // it has read the rest already
			r.base.First, r.base.Removed, r.base.Bytes, r.base.seq = b.First, b.Removed, b.Bytes, b.seq
		}
	})
	homes := make(map[uint64]record)
	next := base{Removed: b.Removed, Bytes: b.Bytes}
	_, err = c.fetch(ctx, c.layout.log(partition), b.First, size, func(m message) bool {
		if m.seq > applied || time.Since(m.at) < age {
			return false
		}
		next.First, next.Removed, next.Bytes = m.seq+1, next.Removed+1, next.Bytes+uint64(loggedSize(m.body))
		_, records, err := parseMessage(m.body, nil)
		for i, rec := range records {
			if err == nil && (rec.op <= opEvery || rec.op == opKeep || rec.op == opBury) {
				homes[position(m.seq, i)] = rec
			}
		}
		return true
	})
	if err != nil || next.First == 0 {
		return false, err
	}
	for {
		seq, err := c.keep(ctx, partition, at, homes, next.First)
		if err != nil {
			return false, err
		}
		if seq == 0 {
			break
		}
		if err := at.reached(ctx, seq); err != nil {
			return false, err
		}
	}
	at.with(func(r *replica) { next = r.cleaned(next.First, next.Removed, next.Bytes) })
	m := nats.NewMsg(c.layout.base(partition))
	m.Data = next.append()
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(b.seq, 10))
	publish, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	ack, err := c.js.PublishMsg(publish, m)
	if hasCode(err, server.JSStreamWrongLastSequenceErrF, server.JSStreamWrongLastSequenceConstantErr) {
		return false, nil // somebody else has
	}
	if err != nil {
		return false, err
	}
	next.seq = ack.Sequence
	at.with(func(r *replica) { r.base = next })
	return true, c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.log(partition)), jetstream.WithPurgeSequence(next.First))
}

// keep repeats the timers whose whole records are before a message. It returns the last message with them, or 0 if there
// is none.
func (c *Client) keep(ctx context.Context, partition int, at reads, homes map[uint64]record, before uint64) (uint64, error) {
	var items []item
	type result struct {
		pos uint64
		err error
	}
	came := make(chan result, 1<<16)
	at.with(func(r *replica) {
		add := func(e *entry) {
			if home := e.home(); home/perMessage < before {
				rec := e.keep(homes[home].payload)
				items = append(items, item{body: rec.append(nil), count: 1, work: true,
					done: func(pos uint64, _ bool, err error) { came <- result{pos, err} }})
			}
		}
		for _, rec := range homes {
			if e := r.pending[rec.key]; e != nil {
				add(e)
			}
		}
		for _, e := range r.others {
			add(e)
		}
	})
	if len(items) > cap(came) {
		came = make(chan result, len(items))
	}
	c.senders[partition].put(items...)
	last, err := uint64(0), error(nil)
	for range items {
		r := <-came
		last, err = max(last, r.pos/perMessage), errors.Join(err, r.err)
	}
	return last, err
}
