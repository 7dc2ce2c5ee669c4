package durable

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

// Client sets timers and, by Serve, fires and handles them. Make it with Open. Its
// methods can be called from any goroutine.
type Client struct {
	cfg      Config
	nc       *nats.Conn
	js       jetstream.JetStream
	get      nats.JetStreamManager // what asks for single messages
	stream   jetstream.Stream
	consumer jetstream.Consumer
	members  jetstream.KeyValue
	layout   layout
	space    space

	serving  atomic.Bool
	owner    atomic.Pointer[owner] // while the client serves
	counters counters
	removed  removed
}

// ErrServing is returned by a second Serve of one client.
var ErrServing = errors.New("durable: the client serves already")

// requestTimeout limits one request to the server, in addition to the caller's context.
const requestTimeout = 5 * time.Second

// openTimeout limits Open. Its first try is limited to openFirst, and each next one to twice
// as long: a server that has just started may never answer a request that came early.
const openTimeout, openFirst = 30 * time.Second, time.Second

// Open returns a client of the timers at nc. It creates their stream, consumer and bucket if
// they do not exist. It returns an error for a Config that does not match the stream's, and for
// a stream whose limits or settings would lose timers; the error names each of them. Open tries
// again while the server does not answer, until ctx ends or for 30 s. The caller keeps the
// connection open for as long as the client is used, and should let it reconnect without limit
// (nats.MaxReconnects(-1)).
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
		var api *jetstream.APIError
		unavailable := errors.As(err, &api) && api.Code == http.StatusServiceUnavailable
		if !errors.Is(err, context.DeadlineExceeded) && !unavailable || sleep(ctx, openFirst/10) != nil {
			return c, err
		}
	}
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
	c := &Client{cfg: cfg, nc: nc, js: js,
		space: space{mutex: newMutex()}, removed: removed{mutex: newMutex()}}
	if c.get, err = nc.JetStream(); err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	if c.stream, c.layout, err = openStream(ctx, js, cfg); err != nil {
		return nil, err
	}
	if c.consumer, err = openConsumer(ctx, c.stream, c.layout, cfg.AckWait); err != nil {
		return nil, err
	}
	if c.members, err = openMembers(ctx, js, cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// Schedule sets the timer under key, or replaces the one that is there: it fires at
// the deadline, or at once if that has passed. When it has returned nil the timer
// is stored, on most of the replicas. Any error means that it may or may not be:
// to call Schedule again with the same deadline is safe, as what fires has the same
// ID. It costs one message to the server and back.
func (c *Client) Schedule(ctx context.Context, key string, at time.Time, payload []byte) error {
	_, err := c.set(ctx, "schedule", Timer{Key: key, Deadline: at, Payload: payload}, replace)
	return err
}

// Set sets timers, each as Schedule does, or as Every if it has a Cron and no Deadline. With
// both it replaces what is there, and the first run is at the Deadline. 256 are under way at
// a time: a thousand take as long as four messages to the server and back. Set is not all or
// nothing: with nil all are stored; with an error, of which there is the first, some may be,
// and to call it again with the same timers is safe. Where one is invalid, or two have the
// same key, none is stored.
func (c *Client) Set(ctx context.Context, timers ...Timer) error {
	keys := make(map[string]bool, len(timers))
	for _, t := range timers {
		if err := c.check(&t); err != nil {
			return err
		}
		if keys[t.Key] {
			return fmt.Errorf("durable: set: key %q is there twice", t.Key)
		}
		keys[t.Key] = true
	}
	return inParallel(ctx, setters, timers, func(ctx context.Context, t Timer) error {
		_, err := c.set(ctx, "set", t, replace)
		return err
	})
}

const setters = 256 // timers of one Set under way

// Add sets t as Set does if there is no timer under its key, and returns false if there is
// one. Of several clients that add one key at a time one gets true. After an error it may be
// there: a second Add that returns false may then have found what the first one has set.
func (c *Client) Add(ctx context.Context, t Timer) (bool, error) {
	return c.set(ctx, "add", t, func(Timer) bool { return true })
}

// Every sets a timer under key that fires again and again, or replaces the one that
// is there. One of the same expression, payload and missed stays as it is, with its next run:
// so each process of a cluster may call Every at its start, and each run fires once, whichever
// of them is there. spec is a cron expression of five fields, or of six with seconds first,
// or one such as @hourly or @every 10m. It is in UTC unless it begins with a time
// zone: "CRON_TZ=Europe/Berlin 30 7 * * 1-5". What runs once a day does so as well on the days
// on which the clocks there go forward or back (driver.InZone).
//
// A run is missed if the next one is due as well when it is to fire: as no worker
// was there. missed says what becomes of these, Coalesce if it is left out: they
// fire as one, at the deadline of the last; Skip: none fires; CatchUp: each fires,
// one after the other.
//
// A run does not wait for the one before to have been handled. Cancel ends it. If
// the backend is JetStream the error is errors.ErrUnsupported.
func (c *Client) Every(ctx context.Context, key, spec string, payload []byte,
	missed ...driver.Missed) error {
	t := Timer{Key: key, Payload: payload, Cron: cmp.Or(spec, " ")} // " " is refused
	if len(missed) > 0 {
		t.Missed = missed[0]
	}
	_, err := c.set(ctx, "every", t, replace)
	return err
}

// check returns an error if t cannot be set. It fills in the first run of Every.
func (c *Client) check(t *Timer) error {
	if err := errors.Join(checkKey(t.Key), t.Limits.check(t.Key), c.checkSize(t)); err != nil {
		return err
	}
	if t.Cron != "" {
		first, err := cron.FirstRun(t.Cron, t.Missed, c.cfg.Now())
		if c.layout.backend == JetStream {
			err = fmt.Errorf("backend %v: %w", c.layout.backend, errors.ErrUnsupported)
		}
		if err != nil {
			return fmt.Errorf("durable: every %q: %w", t.Key, err)
		}
		t.Cron = cron.Canonical(t.Cron) // as it is read back
		if t.Deadline.IsZero() {
			t.Deadline = first
		}
	}
	return checkDeadline(t.Key, t.Deadline)
}

// headersRoom is more than the headers take in any message with the payload of a timer, apart
// from its subject and its cron expression: one that stores it, fires it, or buries it.
const headersRoom = 2048

// checkSize returns an error if some message about t would be larger than the server accepts.
func (c *Client) checkSize(t *Timer) error {
	limit := int(c.nc.MaxPayload())
	if max := int(c.stream.CachedInfo().Config.MaxMsgSize); max > 0 {
		limit = min(limit, max)
	}
	size := len(t.Payload) + len(t.Cron) + 2*len(c.layout.timer(t.Key)) + headersRoom
	if size > limit {
		return fmt.Errorf("durable: key %q: the timer takes messages of %d bytes, for a payload of %d: want at most %d: %w",
			t.Key, size, len(t.Payload), limit, nats.ErrMaxPayload)
	}
	return nil
}

func replace(Timer) bool { return false }

// set stores t, unless keep says that the one under its key is to be left as it is, or it is
// the same one of Every.
func (c *Client) set(ctx context.Context, what string, t Timer,
	keep func(Timer) bool) (set bool, err error) {
	again := t.Cron != "" && t.Deadline.IsZero()
	if err := c.check(&t); err != nil {
		return false, err
	}
	return c.change(ctx, what, t.Key, func(old Timer) (*nats.Msg, error) {
		if old.Revision > 0 && (keep(old) || again && same(old, t)) {
			return nil, nil
		}
		return c.replacing(ctx, old, t)
	}, t)
}

// same tells whether a and b are the same timer of Every, whenever the next run is.
func same(a, b Timer) bool {
	return a.Cron == b.Cron && a.Missed == b.Missed && a.Limits == b.Limits &&
		bytes.Equal(a.Payload, b.Payload)
}

// replacing returns the message that stores t in the place of old.
func (c *Client) replacing(ctx context.Context, old, t Timer) (*nats.Msg, error) {
	if err := c.shorten(ctx, &old); err != nil {
		return nil, err
	}
	t.removed = old.removal()
	m := c.layout.message(t)
	setNumber(m, headerExpect, old.Revision) // of its own subject
	return m, nil
}

// shorten notes what t has removed where that has come to be much.
func (c *Client) shorten(ctx context.Context, t *Timer) error {
	if len(t.removed.revisions) < maxRemoves {
		return nil
	}
	err := c.note(ctx, t.removed)
	if err == nil {
		t.removed = removal{}
	}
	return err
}

// Reschedule moves the timer under key to another deadline, and keeps its payload.
// It returns false if there is none: it has fired or was cancelled. If it returns
// true the timer fires at the new deadline and not at the old one. With an error
// either may be so. Of a timer of Every it moves the next run.
func (c *Client) Reschedule(ctx context.Context, key string, at time.Time) (bool, error) {
	if err := checkDeadline(key, at); err != nil {
		return false, err
	}
	return c.change(ctx, "reschedule", key, func(t Timer) (*nats.Msg, error) {
		if t.unusable != nil {
			return nil, t.unusable
		}
		moved := t
		moved.Deadline = at
		return c.replacing(ctx, t, moved)
	})
}

// Cancel removes the timer under key. If it returns true the timer has not fired, though
// its deadline may have passed, and does not fire any more; if false there is none: it has
// fired or was cancelled. With an error either may be so. What had fired and has not been
// handled yet is handled.
func (c *Client) Cancel(ctx context.Context, key string) (bool, error) {
	return c.change(ctx, "cancel", key, func(t Timer) (*nats.Msg, error) {
		return c.layout.cancelMessage(t), nil
	})
}

// change stores what message makes of the timer under key, until it did so before anybody
// else changed the timer, or there is no message. One to add is most likely not there: message
// first gets a timer of revision 0, without a look. Without one to add there has to be a timer.
func (c *Client) change(ctx context.Context, what, key string,
	message func(Timer) (*nats.Msg, error), add ...Timer) (ok bool, err error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	defer wrap(&err, "%s %q", what, key)
	for _, t := range add {
		if err := c.claim(ctx, t); err != nil {
			return false, err
		}
	}
	for t, look := (Timer{Key: key}), len(add) == 0; ; look = true {
		if look {
			if t, err = c.find(ctx, key); err != nil || t.Revision == 0 && len(add) == 0 {
				return false, err
			}
		}
		m, err := message(t)
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

// Get returns the timer under key, and false if there is none.
func (c *Client) Get(ctx context.Context, key string) (t Timer, ok bool, err error) {
	if err := checkKey(key); err != nil {
		return Timer{}, false, err
	}
	defer wrap(&err, "get %q", key)
	t, err = c.find(ctx, key)
	if err = cmp.Or(err, t.unusable); err != nil || t.Revision == 0 {
		return Timer{}, false, err
	}
	return t, true, nil
}

// find returns the timer under key, of revision 0 if there is none. What was removed and is
// there again it removes.
func (c *Client) find(ctx context.Context, key string) (Timer, error) {
	removed, err := c.removedNow(ctx, anyAge)
	for err == nil {
		var m *nats.RawStreamMsg
		if m, err = c.last(ctx, c.layout.timer(key)); err != nil {
			break
		}
		t, err := c.layout.parse(m.Subject, m.Header, m.Data, m.Sequence)
		if err != nil { // it can still be replaced or cancelled
			return Timer{Key: key, Revision: m.Sequence, unusable: err}, nil
		}
		if !removed.has(c.layout.partition(key), t) {
			return t, nil
		}
		// each removal is a message
		if err = c.note(ctx, removal{revisions: []uint64{t.Revision}}); err == nil {
			err = c.stream.DeleteMsg(ctx, t.Revision)
		}
	}
	if errors.Is(err, nats.ErrMsgNotFound) {
		err = nil
	}
	return Timer{Key: key}, err
}

// Pending goes through all timers that are pending and whose key begins with
// prefix, in no order. It reads all timers, whatever the prefix. Timers that are set
// or fire meanwhile may be among them or not. After an error there is nothing more.
func (c *Client) Pending(ctx context.Context, prefix string) iter.Seq2[Timer, error] {
	return list(ctx, c, "pending", lastOfEach, c.layout.allTimers(),
		func(m message, removed *removedSet) (Timer, bool, error) {
			t, err := c.parse(m)
			return t, strings.HasPrefix(t.Key, prefix) && !removed.has(c.layout.partition(t.Key), t), err
		})
}

func (c *Client) parse(m message) (Timer, error) {
	return c.layout.parse(m.Subject(), m.Headers(), m.Data(), m.revision())
}

// setAside logs and counts a stored message that cannot be used. It stays in the stream, as
// another version may understand it, and nothing else depends on it.
func (c *Client) setAside(what string, err error) {
	c.counters.unusable.Add(1)
	c.cfg.Logger.Error(what+" is set aside: it cannot be used", "error", err)
}

// sleep waits for d or until ctx ends, and returns the error of ctx then.
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
