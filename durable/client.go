package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

// Client sets timers, and fires and handles them with Serve. Open creates it. Its methods may
// be called from any goroutine.
type Client struct {
	cfg      Config
	nc       *nats.Conn
	js       jetstream.JetStream
	get      nats.JetStreamManager // reads single messages
	stream   jetstream.Stream
	members  jetstream.KeyValue
	layout   layout
	id       uint64       // of this client, in records
	senders  []sender     // by partition
	colds    []cold       // by partition
	lost     lost         // the connection
	kept     atomic.Int64 // bytes of the store that are reserved, or 0 if that is not known
	space    space        // for new timers and errors
	changing space        // for moves and cancels

	worker   atomic.Pointer[worker] // while the client serves
	unfit    atomic.Pointer[string] // Stats.Unfit
	counters counters
}

// ErrServing is returned by Serve if the client is serving already.
var ErrServing = errors.New("durable: the client is serving already")

// requestTimeout limits one request to the server, in addition to the caller's context.
const requestTimeout = 5 * time.Second

// openTimeout limits Open. Its first try is limited to openFirst, and each next one to twice
// as long: a server that has just started may never answer a request that came early.
const openTimeout, openFirst = 30 * time.Second, time.Second

// Open returns a client of the timers at nc. It creates their stream and bucket if they do not exist. It returns an
// error for a Config that does not match the stream's, for a stream of another format, for a server before 2.15, and for
// a stream whose limits or settings would lose or delay timers; the error names each of them. Ready notices when they
// change. Open tries again while the server does not answer, until ctx ends or for 30 s. The caller keeps the connection
// open for as long as the client is used, and should let it reconnect without limit (nats.MaxReconnects(-1)), and notice
// by pings that a node is cut off (nats.PingInterval of 1 s).
func Open(ctx context.Context, nc *nats.Conn, cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for timeout := openFirst; ; timeout *= 2 {
		try, cancel := context.WithTimeout(ctx, timeout)
		c, err := openOnce(try, nc, cfg)
		cancel()
		if !isStarting(err) || sleep(ctx, openFirst/10) != nil {
			return c, err
		}
	}
}

// isStarting reports whether an error may be due to servers that have just started: they do not
// answer, or have not found each other.
func isStarting(err error) bool {
	api, is := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrDisconnected) ||
		is && api.Code == http.StatusServiceUnavailable || hasCode(err, server.JSClusterNoPeersErrF)
}

func openOnce(ctx context.Context, nc *nats.Conn, cfg Config) (*Client, error) {
	if err := checkServer(ctx, nc); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	c := &Client{cfg: cfg, nc: nc, js: js, id: rand.Uint64() | 1, space: newSpace(1), changing: newSpace(0.65)}
	c.lost.funcs = make(map[*func()]bool)
	if c.get, err = nc.JetStream(); err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	if c.stream, c.layout, err = openStream(ctx, js, cfg); err != nil {
		return nil, err
	}
	c.colds, c.senders = make([]cold, c.layout.partitions), make([]sender, c.layout.partitions)
	for i := range c.senders {
		c.colds[i] = cold{mutex: newMutex(), Client: c, partition: i}
		c.senders[i].Client, c.senders[i].partition = c, i
	}
	if c.members, err = openMembers(ctx, js, cfg); err != nil {
		return nil, err
	}
	go c.lost.watch(nc) // until it is closed
	return c, nil
}

// Schedule sets the timer with this key, or replaces it. It fires at the deadline, or at once if the deadline
// has passed. After a nil error the timer is stored, on a majority of the replicas. After an error it may be
// stored or not; calling Schedule again with the same deadline is safe, because the timer fires with the same
// ID. It costs one round trip to the server. The error wraps ErrFull if the store is full, or if the timer is larger
// than a fortieth of it, and nats.ErrMaxPayload if the timer does not fit into a message of the server, 1 MiB by default.
func (c *Client) Schedule(ctx context.Context, key string, at time.Time, payload []byte) error {
	_, err := c.set(ctx, "schedule", Timer{Key: key, Deadline: at, Payload: payload}, false)
	return err
}

// Set sets timers, each as Schedule does, or as Every does if it has a Cron and no Deadline. A
// timer with both replaces the existing one, and has its first run at the Deadline. A thousand timers
// take about as long as one.
//
// Set is not atomic. After an error, which is the first of them, some timers may be set; calling Set again with
// the same timers is safe. If a timer is invalid, or two have the same key, none is set.
func (c *Client) Set(ctx context.Context, timers ...Timer) error {
	if len(timers) == 1 {
		_, err := c.set(ctx, "set", timers[0], false)
		return err
	}
	keys := make(map[string]bool, len(timers))
	all := c.newBatch(false)
	for _, t := range timers {
		rec, err := c.prepare(t, false)
		if err != nil {
			return err
		}
		if keys[t.Key] {
			return fmt.Errorf("durable: set: key %q appears twice", t.Key)
		}
		keys[t.Key] = true
		all.add(c.layout.partition(t.Key), &rec)
	}
	err := context.Cause(ctx)
	for i := 0; err == nil && i < len(timers); i++ {
		err = c.room(ctx, &c.space, int64(c.sizeOf(&timers[i])))
	}
	if err == nil {
		_, err = all.store(ctx)
	}
	wrap(&err, "set")
	return err
}

// Add sets t as Set does if no timer has its key, and returns false otherwise. If several
// clients add the same key at a time, one of them gets true. After an error the timer may be set,
// and a second Add may return false because of the first.
func (c *Client) Add(ctx context.Context, t Timer) (bool, error) {
	return c.set(ctx, "add", t, true)
}

// Every sets a timer with this key that fires again and again, or replaces the existing timer. A
// timer with the same expression, payload and missed stays unchanged and keeps its next run. So
// each process of a cluster can call Every when it starts, and each run fires once.
//
// spec is a cron expression of five fields, or of six with seconds first, or a descriptor such as
// @hourly or "@every 10m", whose period is a number of whole seconds. It is in UTC unless it
// begins with a time zone: "CRON_TZ=Europe/Berlin 30 7 * * 1-5". Local, which is another zone on each machine, is an
// error. A job that runs once a day also runs on the days when the clocks of its zone change (crontab.InZone). If the
// rules of the zone change, a worker moves the run that is stored, when it reads it and within 10 minutes.
//
// A run is missed if the next run is due as well when it is about to fire, because no worker was
// there. By default, Coalesce, the missed runs fire as one, with the deadline and the ID of the last one.
// With Skip none of them fires. With CatchUp each fires, one after the other.
//
// A worker may be unable to compute the next run, for example because its machine does not know the time zone. Then
// the timer waits, the worker is not Ready, Timer.Error has the reason, and the worker tries again each minute.
//
// A run does not wait until the one before has been handled. Cancel ends the timer.
func (c *Client) Every(ctx context.Context, key, spec string, payload []byte, missed ...driver.Missed) error {
	t := Timer{Key: key, Payload: payload, Cron: cmp.Or(spec, " ")} // " " is refused
	if len(missed) > 0 {
		t.Missed = missed[0]
	}
	_, err := c.set(ctx, "every", t, false)
	return err
}

// check returns an error if t cannot be set. It sets the deadline of the first run of Every.
func (c *Client) check(t *Timer) error {
	if err := errors.Join(checkKey(t.Key), t.Limits.check(t.Key), c.checkSize(t)); err != nil {
		return err
	}
	if t.Cron != "" {
		first, err := cron.FirstRun(t.Cron, t.Missed, c.cfg.Now())
		if err != nil {
			return fmt.Errorf("durable: every %q: %w", t.Key, err)
		}
		t.Cron = cron.Canonical(t.Cron) // the form in which it is read back
		if t.Deadline.IsZero() {
			t.Deadline = first
		}
	}
	return checkDeadline(t.Key, t.Deadline)
}

// recordRoom is an upper limit for what a message about a timer has in addition to its key, payload and expression.
const recordRoom = 2048

// checkSize returns an error if some message about t would be larger than the server accepts.
func (c *Client) checkSize(t *Timer) error {
	limit := int(c.nc.MaxPayload())
	if max := int(c.stream.CachedInfo().Config.MaxMsgSize); max > 0 {
		limit = min(limit, max)
	}
	size := len(t.Payload) + len(t.Cron) + len(t.Key) + recordRoom
	if size > limit {
		return fmt.Errorf("durable: key %q: a message with the payload of %[3]d bytes can have %[2]d bytes: want at most %[4]d: %[5]w",
			t.Key, size, len(t.Payload), limit, nats.ErrMaxPayload)
	}
	return nil
}

// prepare returns the record that sets t, or an error if t cannot be set.
func (c *Client) prepare(t Timer, keep bool) (record, error) {
	every := t.Cron != "" && t.Deadline.IsZero()
	err := c.check(&t) // which sets the deadline
	rec := t.record(opSet)
	rec.moved = t.Cron != "" && !every
	switch {
	case keep:
		rec.op = opAdd
	case every:
		rec.op = opEvery
	}
	return rec, err
}

func (c *Client) sizeOf(t *Timer) int { return len(t.Key) + len(t.Payload) + len(t.Cron) + perLogged }

// set stores t, unless the existing timer is to be kept or is the same timer of Every.
func (c *Client) set(ctx context.Context, what string, t Timer, keep bool) (set bool, err error) {
	rec, err := c.prepare(t, keep)
	if err != nil {
		return false, err
	}
	defer wrap(&err, "%s %q", what, t.Key)
	if keep { // most of them need no record
		old, err := c.find(ctx, t.Key)
		if err != nil || old.Revision > 0 {
			return false, err
		}
	}
	if err := c.room(ctx, &c.space, int64(c.sizeOf(&t))); err != nil {
		return false, err
	}
	answer, err := c.add(ctx, c.layout.partition(t.Key), &rec)
	return err == nil && (answer || rec.op == opSet), err
}

// Reschedule moves the timer with this key to another deadline, and keeps its payload. For a timer of Every it
// moves the next run. If it returns true, the timer fires at the new deadline and not at the old one. If it
// returns false, the timer does not exist: it has fired or was cancelled. After an error the timer may have
// moved or not. It costs a round trip to the server, and one to the worker at the same time.
func (c *Client) Reschedule(ctx context.Context, key string, at time.Time) (ok bool, err error) {
	if err := errors.Join(checkKey(key), checkDeadline(key, at)); err != nil {
		return false, err
	}
	defer wrap(&err, "reschedule %q", key)
	return c.change(ctx, key, record{op: opMove, key: key, deadline: at.UnixNano()})
}

// Cancel removes the timer with this key. If it returns true, the timer has not fired and will not fire, even if its
// deadline has passed. If it returns false, the timer does not exist: it has fired or was cancelled. A timer that has
// fired is handled. After an error the timer may be removed or not. It costs as much as Reschedule.
func (c *Client) Cancel(ctx context.Context, key string) (ok bool, err error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	defer wrap(&err, "cancel %q", key)
	return c.change(ctx, key, record{op: opCancel, key: key})
}

// change appends a record about the timer with a key, for which a part of the store is reserved.
func (c *Client) change(ctx context.Context, key string, rec record) (ok bool, err error) {
	if err := c.room(ctx, &c.changing, int64(len(rec.key)+perLogged)); err != nil {
		return false, err
	}
	return c.add(ctx, c.layout.partition(key), &rec)
}

// Get returns the timer with this key, and false if it does not exist. It costs one round trip to the server, and one to
// the worker. Without a worker the client reads the whole partition.
func (c *Client) Get(ctx context.Context, key string) (t Timer, ok bool, err error) {
	if err := checkKey(key); err != nil {
		return Timer{}, false, err
	}
	defer wrap(&err, "get %q", key)
	t, err = c.find(ctx, key)
	if err != nil || t.Revision == 0 {
		return Timer{}, false, err
	}
	return t, true, nil
}

// list iterates over what f finds in the replica of each partition. An error ends the iteration.
func list[T any](ctx context.Context, c *Client, what string, f func(*replica) []T) iter.Seq2[T, error] {
	return func(yield func(v T, err error) bool) {
		for n := range c.layout.partitions {
			var found []T
			err := c.withCold(ctx, n, func(k *cold) error {
				found = f(k.replica)
				return nil
			})
			if wrap(&err, "%s", what); err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, v := range found {
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}

// Pending iterates over the pending timers whose keys begin with prefix, in no particular order.
// It reads all timers, one partition at a time, into memory. Timers that are set or fire in the meantime may be
// included or not. An error ends the iteration.
func (c *Client) Pending(ctx context.Context, prefix string) iter.Seq2[Timer, error] {
	return list(ctx, c, "pending", func(r *replica) (all []Timer) {
		for key, e := range r.pending {
			if strings.HasPrefix(key, prefix) {
				all = append(all, e.timer(e.payload()))
			}
		}
		return all
	})
}

// setAside logs and counts a stored message that cannot be used. The message stays in the
// stream, because another version may understand it.
func (c *Client) setAside(what string, err error) {
	c.counters.unusable.Add(1)
	c.cfg.Logger.Error(what+" cannot be used and is skipped", "error", err)
}

// sleep waits for d. It returns early with the cause if ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
