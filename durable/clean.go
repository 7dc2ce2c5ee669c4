package durable

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// base says where the log of a partition begins, and what a reader needs to know about its first part. See doc.go.
type base struct {
	First    uint64   // the first message that counts
	Complete uint64   // up to this message, timers from before First may be missing
	Void     []uint64 // records of opKeep, opAdd, opEvery and opBury up to there that had no effect
	Removed  uint64   // how many messages were before First
	Bytes    uint64   // and how many bytes

	seq uint64 // the message with the base itself, or 0
}

// append returns the message that stores a base.
func (b base) append() []byte {
	list := []uint64{format, b.First, b.Complete, b.Removed, b.Bytes}
	last := uint64(0)
	for _, pos := range b.Void {
		list = append(list, pos-last)
		last = pos
	}
	var body []byte
	for _, n := range list {
		body = binary.AppendUvarint(body, n)
	}
	return body
}

func parseBase(seq uint64, body []byte) (b base, err error) {
	r := reader{rest: body}
	if v := r.uint("format", 1<<63); v != format && r.bad == "" {
		return b, fmt.Errorf("base %d has format %d: want %d", seq, v, format)
	}
	b = base{First: r.uint("first", 1<<63), Complete: r.uint("complete", 1<<63), Removed: r.uint("removed", 1<<63),
		Bytes: r.uint("bytes", 1<<62), seq: seq}
	for last := uint64(0); len(r.rest) > 0; {
		last += r.uint("void", 1<<63)
		b.Void = append(b.Void, last)
	}
	if err := r.err(); err != nil {
		return base{}, fmt.Errorf("base %d: %w", seq, err)
	}
	return b, nil
}

// readBase returns the base of a log.
func (c *Client) readBase(ctx context.Context, partition int) (base, error) {
	m, err := c.get.GetLastMsg(c.layout.name, c.layout.base(partition), nats.Context(ctx))
	if errors.Is(err, nats.ErrMsgNotFound) {
		return base{}, nil
	}
	if err != nil {
		return base{}, err
	}
	return parseBase(m.Sequence, m.Data)
}

// cleaned returns the base of a log that begins with message first, when nothing live is before it.
func (r *replica) cleaned(first, removed, bytes uint64) base {
	i, _ := slices.BinarySearch(r.void, position(first, 0))
	return base{First: first, Complete: r.applied, Void: slices.Clone(r.void[i:]), Removed: removed, Bytes: bytes}
}

// advance notes that the base of the log is b now. It returns false if the replica has not read each message before it: then
// the replica may be wrong.
func (r *replica) advance(b base) bool {
	if b.seq == r.base.seq {
		return true
	}
	n, _ := slices.BinarySearch(r.read, b.First)
	if uint64(n) != b.Removed-r.base.Removed {
		return false
	}
	r.read = slices.Delete(r.read, 0, n)
	i, _ := slices.BinarySearch(r.void, position(b.First, 0))
	r.void = slices.Delete(r.void, 0, i)
	r.base.First, r.base.Removed, r.base.Bytes, r.base.seq = b.First, b.Removed, b.Bytes, b.seq
	return true
}

const (
	cleanPause = 250 * time.Millisecond
	cleanAge   = 10 * time.Second // of messages that may be removed: other workers must have read them
	tightAge   = time.Second      // the same, if the store has little room
	checkEach  = 40               // pauses between looks whether messages were removed that this worker has not read
	cleanBytes = 1 << 20          // of the log, at a time
	slack      = 64 << 10         // bytes of waste that a log may always have
	tightSlack = 2 << 10
	maxVoid    = 1 << 15 // records without effect that a log may always have

	// A log is cleaned from this multiple of its live bytes on: tightFactor in a nearly full store, and setFactor for new
	// timers, which must leave something to clean. With fullFactor, for changes of timers and once the reserve is used, all
	// logs together may waste a fifth of the reserve at most.
	fullFactor, tightFactor, setFactor = 1.002, 1.1, 2
)

// reads is whoever keeps a replica.
type reads interface {
	// with calls f with the replica, once it has read a message and nothing before it is missing.
	with(ctx context.Context, seq uint64, f func(*replica)) error
}

// wasteful reports whether a log has more bytes than is live times a factor, and some. With a factor of 2, each byte that is
// removed costs about one that is repeated. A base that names maxVoid records still fits into a message.
func (c *Client) wasteful(r *replica, factor float64, more int64) bool {
	need := int64(factor*float64(r.live)) + more
	if factor == fullFactor {
		need = min(need+c.kept.Load()/5/int64(c.layout.partitions), int64(tightFactor*float64(r.live))+more)
	}
	return r.size() > need || len(r.void) > maxVoid
}

// cleanAll cleans the logs of the partitions that the worker serves, until ctx ends.
func (w *worker) cleanAll(ctx context.Context) {
	factor, more, age := float64(setFactor), int64(slack), cleanAge
	for i := 0; sleep(ctx, cleanPause) == nil; i++ {
		if i%4 == 0 {
			factor, more, age = setFactor, slack, cleanAge
			if stored, limit, err := w.stored(ctx); err == nil && limit > 0 {
				w.kept.Store(reserved(limit))
				if stored > limit/4*3 {
					factor, more, age = tightFactor, tightSlack, tightAge
				}
				if stored > limit-reserved(limit) {
					factor = fullFactor
				}
			}
		}
		for _, p := range w.all() {
			var err error
			if i%checkEach == checkEach-1 && p.loaded.Load() {
				err = p.check(ctx)
			}
			for err == nil && p.isWasteful(factor, more) && ctx.Err() == nil {
				begin, removed := time.Now(), false
				if removed, err = w.clean(ctx, p.number, p, age == tightAge, age); !removed {
					break
				}
				_ = sleep(ctx, time.Since(begin)) // others need the processor; ctx is asked next
			}
			if errors.Is(err, errCleaned) {
				poke(p.rescan)
			}
			if err != nil && ctx.Err() == nil {
				w.cfg.Logger.Debug("cleaning a log is tried again", "partition", p.number, "error", err)
			}
		}
	}
}

func (p *partition) isWasteful(factor float64, more int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loaded.Load() && p.w.wasteful(p.replica, factor, more)
}

// clean cleans the log of a client that has locked its replica, and that no worker follows.
func (k *cold) clean(ctx context.Context, factor float64, more int64, tight bool) error {
	for end := k.replica.applied; k.replica.base.First <= end && k.wasteful(k.replica, factor, more); { // once through the log
		removed, err := k.Client.clean(ctx, k.partition, k, tight, 0)
		if errors.Is(err, errCleaned) || errors.Is(err, errAgain) { // somebody else has
			return nil
		}
		if err != nil || !removed {
			return err
		}
	}
	return nil
}

// makeRoom cleans the logs that no worker follows.
func (c *Client) makeRoom(ctx context.Context, factor float64) error {
	for n := range c.layout.partitions {
		if c.served(ctx, n) {
			continue
		}
		err := c.withCold(ctx, n, func(k *cold) error { return k.clean(ctx, factor, tightSlack, true) })
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	errCleaned = errors.New("the log was cleaned before it was read")
	errAgain   = errors.New("the log is being read again")
)

// clean removes the oldest messages of a log after it has repeated what is live in them. It returns whether it has removed
// any. Two clients may clean a log at the same time: the server stores the base of one of them.
func (c *Client) clean(ctx context.Context, partition int, at reads, tight bool, age time.Duration) (bool, error) {
	b, err := c.readBase(ctx, partition)
	if err != nil {
		return false, err
	}
	var own *replica // another one may know less
	with := func(seq uint64, f func(*replica)) error {
		var refused error
		err := at.with(ctx, seq, func(r *replica) {
			switch {
			case own == nil && !r.advance(b):
				refused = errCleaned
			case own != nil && own != r:
				refused = errAgain
			default:
				own = r
				f(r)
			}
		})
		return cmp.Or(err, refused)
	}
	size, applied := cleanBytes, uint64(0)
	if tight {
		size = c.batch()
	}
	if err := with(0, func(r *replica) { applied = r.applied }); err != nil {
		return false, err
	}
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
	for seq, done := uint64(0), false; !done; { // until nothing live is left there
		keep := c.newBatch(true)
		err := with(seq, func(r *replica) {
			for _, rec := range r.before(next.First, homes) {
				keep.add(partition, &rec)
			}
			if done = len(keep.lists) == 0; done {
				next = r.cleaned(next.First, next.Removed, next.Bytes)
			}
		})
		if err == nil {
			seq, err = keep.store(ctx)
		}
		if err != nil {
			return false, err
		}
	}
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
	if err := with(0, func(r *replica) { r.advance(next) }); err != nil {
		return false, err
	}
	return true, c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.log(partition)), jetstream.WithPurgeSequence(next.First))
}

// before returns records that repeat the timers whose whole records are before a message, and among homes.
func (r *replica) before(seq uint64, homes map[uint64]record) (list []record) {
	add := func(e *entry) {
		if home := e.home(); home/perMessage < seq {
			list = append(list, e.keep(homes[home].payload))
		}
	}
	for pos, rec := range homes {
		if e := r.pending[rec.key]; e != nil && e.home() == pos { // another record may have its key
			add(e)
		}
	}
	for _, e := range r.others {
		add(e)
	}
	return list
}
