package durable

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
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
	many     jetstream.JetStream   // for Set
	get      nats.JetStreamManager // reads single messages
	stream   jetstream.Stream
	consumer jetstream.Consumer
	members  jetstream.KeyValue
	layout   layout
	space    space // for new timers and errors
	ending   space // for messages that cancel a timer
	burying  space // for dead letters without an error

	worker   atomic.Pointer[worker] // while the client serves
	unfit    atomic.Pointer[string] // Stats.Unfit
	counters counters
	removed  []removed // by partition
}

// ErrServing is returned by Serve if the client is serving already.
var ErrServing = errors.New("durable: the client is serving already")

// requestTimeout limits one request to the server, in addition to the caller's context.
const requestTimeout = 5 * time.Second

// openTimeout limits Open. Its first try is limited to openFirst, and each next one to twice
// as long: a server that has just started may never answer a request that came early.
const openTimeout, openFirst = 30 * time.Second, time.Second

// Open returns a client of the timers at nc. It creates their stream, consumer and bucket if they do not exist.
// It returns an error for a Config that does not match the stream's, and for a stream whose limits or settings
// would lose or delay timers; the error names each of them. Ready notices when they change. Open tries again while the server does not answer, until ctx
// ends or for 30 s. The caller keeps the connection open for as long as the client is used, and should let it
// reconnect without limit (nats.MaxReconnects(-1)), and notice by pings that a node is cut off (nats.PingInterval of 1 s).
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
	var api *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrDisconnected) || errors.As(err, &api) &&
		(api.Code == http.StatusServiceUnavailable || server.ErrorIdentifier(api.ErrorCode) == server.JSClusterNoPeersErrF)
}

func openOnce(ctx context.Context, nc *nats.Conn, cfg Config) (*Client, error) {
	if err := checkServer(ctx, nc); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc,
		jetstream.WithPublishAsyncMaxPending(2*maxFiring),
		jetstream.WithPublishAsyncTimeout(publishTimeout),
		jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	many, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(math.MaxInt), jetstream.WithPublishAsyncTimeout(requestTimeout))
	if err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	c := &Client{cfg: cfg, nc: nc, js: js, many: many, space: newSpace(1), ending: newSpace(2), burying: newSpace(4)}
	if c.get, err = nc.JetStream(); err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	if c.stream, c.layout, err = openStream(ctx, js, cfg); err != nil {
		return nil, err
	}
	c.removed = make([]removed, c.layout.partitions)
	for i := range c.removed {
		c.removed[i].mutex = newMutex()
	}
	if c.consumer, err = openConsumer(ctx, c.stream, c.layout, cfg.AckWait); err != nil {
		return nil, err
	}
	if c.members, err = openMembers(ctx, js, cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// Schedule sets the timer with this key, or replaces it. It fires at the deadline, or at once if the deadline
// has passed. After a nil error the timer is stored, on a majority of the replicas. After an error it may be
// stored or not; calling Schedule again with the same deadline is safe, because the timer fires with the same
// ID. It costs one round trip to the server. The error is ErrFull if the store is
// full or a fortieth of it smaller than the timer, and nats.ErrMaxPayload if the timer does not fit into the messages of the server (1 MiB by default).
func (c *Client) Schedule(ctx context.Context, key string, at time.Time, payload []byte) error {
	_, err := c.set(ctx, "schedule", Timer{Key: key, Deadline: at, Payload: payload}, false)
	return err
}

// Set sets timers, each as Schedule does, or as Every does if it has a Cron and no Deadline. A
// timer with both replaces the existing one, and has its first run at the Deadline. 256 timers
// are set at a time: a thousand take as long as four round trips to the server.
//
// Set is not atomic. After an error, which is the first of them, some timers may be set; calling Set again with
// the same timers is safe. If a timer is invalid, or two have the same key, none is set.
func (c *Client) Set(ctx context.Context, timers ...Timer) error {
	keys := make(map[string]bool, len(timers))
	for _, t := range timers {
		if err := c.check(&t); err != nil {
			return err
		}
		if keys[t.Key] {
			return fmt.Errorf("durable: set: key %q appears twice", t.Key)
		}
		keys[t.Key] = true
	}
	var every []Timer
	var sent []jetstream.PubAckFuture // without an answer so far
	for _, t := range timers {
		if t.isEvery() {
			every = append(every, t)
			continue
		}
		if err := c.prepare(ctx, "set", &t); err != nil {
			return err
		}
		var err error
		if len(sent) == setters {
			sent, err = answered(ctx, sent, setters/2) // both sides have something to do
		}
		if err == nil {
			var future jetstream.PubAckFuture
			future, err = c.many.PublishMsgAsync(c.layout.message(t))
			sent = append(sent, future)
		}
		if wrap(&err, "set %q", t.Key); err != nil {
			return err
		}
	}
	_, err := answered(ctx, sent, 0)
	if wrap(&err, "set"); err != nil {
		return err
	}
	return inParallel(ctx, setters, every, func(ctx context.Context, t Timer) error {
		_, err := c.set(ctx, "set", t, false)
		return err
	})
}

// answered waits until at most some of the messages that were sent have no answer, and returns these.
func answered(ctx context.Context, sent []jetstream.PubAckFuture, most int) ([]jetstream.PubAckFuture, error) {
	for len(sent) > most {
		select {
		case <-sent[0].Ok():
		case err := <-sent[0].Err():
			if errors.Is(err, jetstream.ErrAsyncPublishTimeout) {
				err = fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
			}
			return nil, asFull(err)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		sent = sent[1:]
	}
	return sent, nil
}

const setters = 256 // timers of one Set in flight

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

// headersRoom is an upper limit for the headers of a message with the payload of a timer, which
// stores it, fires it or buries it. The subject and the cron expression come on top.
const headersRoom = 2048

// checkSize returns an error if some message about t would be larger than the server accepts.
func (c *Client) checkSize(t *Timer) error {
	limit := int(c.nc.MaxPayload())
	if max := int(c.stream.CachedInfo().Config.MaxMsgSize); max > 0 {
		limit = min(limit, max)
	}
	size := len(t.Payload) + len(t.Cron) + 2*len(c.layout.timer(t.Key)) + headersRoom
	if size > limit {
		return fmt.Errorf("durable: key %q: a message with the payload of %[3]d bytes can have %[2]d bytes: want at most %[4]d: %[5]w",
			t.Key, size, len(t.Payload), limit, nats.ErrMaxPayload)
	}
	return nil
}

// isEvery reports whether t is set as by Every.
func (t Timer) isEvery() bool { return t.Cron != "" && t.Deadline.IsZero() }

// prepare checks t, which is to be set, completes it, and claims the room for it.
func (c *Client) prepare(ctx context.Context, what string, t *Timer) error {
	t.moved, t.last, t.Error = t.Cron != "" && !t.isEvery(), false, ""
	if err := c.check(t); err != nil {
		return err
	}
	size := 3*len(t.Key) + len(t.Payload) + len(t.Cron) + 300 // including the headers
	err := c.claim(ctx, &c.space, int64(size))
	wrap(&err, "%s %q", what, t.Key)
	return err
}

// set stores t, unless the existing timer is to be kept or is the same timer of Every. Otherwise it need not know whether
// there is one: the message replaces it, and the server then refuses what others know about the old one.
func (c *Client) set(ctx context.Context, what string, t Timer, keep bool) (set bool, err error) {
	again := t.isEvery()
	if err := c.prepare(ctx, what, &t); err != nil {
		return false, err
	}
	defer wrap(&err, "%s %q", what, t.Key)
	if !keep && !again {
		err := c.publish(ctx, c.layout.message(t))
		return err == nil, err
	}
	return c.change(ctx, t.Key, func(old Timer) (*nats.Msg, error) {
		if old.Revision > 0 && (keep || same(old, t)) {
			return nil, nil
		}
		return c.replacing(old, t), nil
	})
}

// same reports whether a and b are the same timer of Every, apart from the next run.
func same(a, b Timer) bool {
	return a.Cron == b.Cron && a.Missed == b.Missed && a.Limits == b.Limits && bytes.Equal(a.Payload, b.Payload)
}

// replacing returns the message that replaces old with t.
func (c *Client) replacing(old, t Timer) *nats.Msg {
	m := c.layout.message(t)
	setNumber(m, headerExpect, old.Revision) // of the message's own subject
	return m
}

// Reschedule moves the timer with this key to another deadline, and keeps its payload. For a timer of Every it
// moves the next run. If it returns true, the timer fires at the new deadline and not at the old one. If it
// returns false, the timer does not exist: it has fired or was cancelled. After an error the timer may have
// moved or not. It costs two round trips to the server.
func (c *Client) Reschedule(ctx context.Context, key string, at time.Time) (ok bool, err error) {
	if err := errors.Join(checkKey(key), checkDeadline(key, at)); err != nil {
		return false, err
	}
	defer wrap(&err, "reschedule %q", key)
	return c.change(ctx, key, func(t Timer) (*nats.Msg, error) {
		if t.Revision == 0 {
			return nil, nil
		}
		moved := t
		moved.Deadline, moved.moved, moved.last, moved.Error = at, true, false, ""
		return c.replacing(t, moved), nil
	})
}

// Cancel removes the timer with this key. If it returns true, the timer has not fired and will not fire, even if its
// deadline has passed. If it returns false, the timer does not exist: it has fired or was cancelled. A timer that has
// fired is handled. After an error the timer may be removed or not. It costs two round trips to the server.
func (c *Client) Cancel(ctx context.Context, key string) (ok bool, err error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	defer wrap(&err, "cancel %q", key)
	gone := false
	ok, err = c.change(ctx, key, func(t Timer) (*nats.Msg, error) {
		if t.Revision == 0 {
			return nil, nil
		}
		m := c.layout.cancelMessage(t)
		err := c.claim(ctx, &c.ending, int64(m.Size()))
		if errors.Is(err, ErrFull) {
			err = c.cancelNow(ctx, t)
			gone = err == nil
			m = nil
		}
		return m, err
	})
	return ok || gone, err
}

// errChanged is returned if a timer has changed since it was read.
var errChanged = errors.New("the timer has changed")

// cancelNow cancels a timer in a store without room for a message that does: it stores a note, which is smaller than the
// timer, and then removes the timer.
func (c *Client) cancelNow(ctx context.Context, t Timer) error {
	err := c.note(ctx, c.layout.partition(t.Key), true, t.removal())
	if err != nil {
		return err
	}
	if err = c.stream.DeleteMsg(ctx, t.Revision); err != nil {
		if _, gone := c.at(ctx, t.Revision); errors.Is(gone, nats.ErrMsgNotFound) {
			return errChanged
		}
	}
	return err
}

// change stores the message that changes the timer with this key, which has revision 0 if it does not exist. It starts over
// if the timer has changed in the meantime, and stores nothing if the message is nil.
func (c *Client) change(ctx context.Context, key string, message func(Timer) (*nats.Msg, error)) (ok bool, err error) {
	how := []nats.JSOpt{nats.DirectGet()} // the server refuses the message if the replica lags behind
	for {
		t, err := c.find(ctx, key, how...)
		if err != nil {
			return false, err
		}
		how = nil
		m, err := message(t)
		if errors.Is(err, errChanged) {
			continue
		}
		if m == nil || err != nil {
			return false, err
		}
		switch err = c.publish(ctx, m); {
		case isChanging(err):
			if err := sleep(ctx, changingPause); err != nil {
				return false, err
			}
		case !isChanged(err):
			return err == nil, err
		}
	}
}

func (c *Client) publish(ctx context.Context, m *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := c.js.PublishMsg(ctx, m)
	return asFull(err)
}

// Get returns the timer with this key, and false if it does not exist. It costs one round trip to the server.
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

// find returns the timer with this key, with revision 0 if it does not exist. It removes a timer
// that the server has restored.
func (c *Client) find(ctx context.Context, key string, how ...nats.JSOpt) (Timer, error) {
	partition := c.layout.partition(key)
	removed, err := c.removedNow(ctx, partition, anyAge)
	for err == nil {
		var m *nats.RawStreamMsg
		if m, err = c.last(ctx, c.layout.timer(key), how...); err != nil {
			break
		}
		var t Timer
		if t, err = c.layout.parse(m.Subject, m.Header, m.Data, m.Sequence); err != nil || !removed.hasTimer(t) {
			return t, err
		}
		// a removal needs a note
		if err = c.note(ctx, partition, true, t.removal()); err == nil {
			err, how = c.stream.DeleteMsg(ctx, t.Revision), nil
		}
	}
	if errors.Is(err, nats.ErrMsgNotFound) {
		err = nil
	}
	return Timer{Key: key}, err
}

// Pending iterates over the pending timers whose keys begin with prefix, in no particular order.
// It reads all timers, whatever the prefix. Timers that are set or fire in the meantime may be
// included or not. An error ends the iteration.
func (c *Client) Pending(ctx context.Context, prefix string) iter.Seq2[Timer, error] {
	return list(ctx, c, "pending", lastOfEach, c.layout.allTimers(),
		func(m message, removed map[int]*removedSet) (Timer, bool, error) {
			t, err := c.parse(m)
			return t, strings.HasPrefix(t.Key, prefix) && !removed[c.layout.partition(t.Key)].hasTimer(t), err
		})
}

func (c *Client) parse(m message) (Timer, error) {
	t, err := c.layout.parse(m.Subject(), m.Headers(), m.Data(), m.revision())
	t.stored = m.Timestamp
	return t, err
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
