package durable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
)

// Client sets timers and, by Serve, fires and handles them. Make it with Open. Its
// methods can be called from any goroutine.
type Client struct {
	cfg      Config
	nc       *nats.Conn
	js       jetstream.JetStream
	stream   jetstream.Stream
	consumer jetstream.Consumer
	members  jetstream.KeyValue
	layout   layout
	space    space

	serving  atomic.Bool
	owner    atomic.Pointer[owner] // while the client serves
	counters counters
}

// ErrServing is returned by a second Serve of one client.
var ErrServing = errors.New("durable: the client serves already")

// requestTimeout is how long one request to the server may take where the caller's
// context does not end before.
const requestTimeout = 5 * time.Second

// Open returns a client of the timers at nc. It makes their stream, consumer and
// bucket unless they are there. It refuses a stream with limits or settings that
// would lose timers, and says which, and a Config that does not agree with the
// stream's. The connection stays the caller's: it must outlive the client, and
// should reconnect without end (nats.MaxReconnects(-1)).
func Open(ctx context.Context, nc *nats.Conn, cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
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
	c := &Client{cfg: cfg, nc: nc, js: js, space: space{busy: make(chan struct{}, 1)}}
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
	return c.set(ctx, "schedule", Timer{Key: key, Deadline: at, Payload: payload})
}

// Every sets a timer under key that fires again and again, or replaces the one that
// is there. spec is a cron expression of five fields, or of six with seconds first,
// or one such as @hourly or @every 10m. It is in UTC unless it begins with a time
// zone: "CRON_TZ=Europe/Berlin 30 7 * * 1-5".
//
// A run is missed if the next one is due as well when it is to fire: as no worker
// was there. missed says what becomes of these, Coalesce if it is left out: they
// fire as one, at the deadline of the last; Skip: none fires; CatchUp: each fires,
// one after the other.
//
// A run does not wait for the one before to have been handled. Cancel ends it. If
// the backend is JetStream the error is errors.ErrUnsupported.
func (c *Client) Every(ctx context.Context, key, spec string, payload []byte, missed ...driver.Missed) error {
	if c.layout.backend == JetStream {
		return fmt.Errorf("durable: every %q: backend %v: %w", key, c.layout.backend, errors.ErrUnsupported)
	}
	t := Timer{Key: key, Payload: payload, Cron: spec}
	if len(missed) > 0 {
		t.Missed = missed[0]
	}
	var err error
	if t.Deadline, err = firstRun(spec, t.Missed, c.cfg.Now()); err != nil {
		return fmt.Errorf("durable: every %q: %w", key, err)
	}
	return c.set(ctx, "every", t)
}

func (c *Client) set(ctx context.Context, what string, t Timer) error {
	if err := checkKey(t.Key); err != nil {
		return err
	}
	if err := checkDeadline(t.Key, t.Deadline); err != nil {
		return err
	}
	if err := c.claim(ctx, t); err != nil {
		return fmt.Errorf("durable: %s %q: %w", what, t.Key, err)
	}
	if err := c.publish(ctx, c.layout.message(t)); err != nil {
		return fmt.Errorf("durable: %s %q: %w", what, t.Key, err)
	}
	return nil
}

// Reschedule moves the timer under key to another deadline, and keeps its payload.
// It returns false if there is none: it has fired or was cancelled. If it returns
// true the timer fires at the new deadline and not at the old one. With an error
// either may be so. Of a timer of Every it moves the next run.
func (c *Client) Reschedule(ctx context.Context, key string, at time.Time) (bool, error) {
	if err := checkDeadline(key, at); err != nil {
		return false, err
	}
	return c.change(ctx, "reschedule", key, func(t Timer) *nats.Msg {
		t.Deadline = at
		m := c.layout.message(t)
		c.layout.expect(m, key, t.Revision)
		return m
	})
}

// Cancel removes the timer under key. If it returns true the timer does not fire
// any more, and false that there is none: it has fired or was cancelled. With an
// error either may be so. What had fired and has not been handled yet is handled.
func (c *Client) Cancel(ctx context.Context, key string) (bool, error) {
	return c.change(ctx, "cancel", key, func(t Timer) *nats.Msg {
		m := newMessage(c.layout.cancelled(c.layout.partition(key)), []byte(key))
		c.layout.removing(m, key, t.Revision)
		return m
	})
}

// change publishes what message makes of the timer under key, until it did so
// before anybody else changed the timer.
func (c *Client) change(ctx context.Context, what, key string, message func(Timer) *nats.Msg) (bool, error) {
	for {
		t, ok, err := c.Get(ctx, key)
		if err != nil || !ok {
			return false, err
		}
		err = c.publish(ctx, message(t))
		switch {
		case err == nil:
			return true, nil
		case isChanged(err):
		case isChanging(err):
			if err := sleep(ctx, changingPause); err != nil {
				return false, fmt.Errorf("durable: %s %q: %w", what, key, err)
			}
		default:
			return false, fmt.Errorf("durable: %s %q: %w", what, key, err)
		}
	}
}

// publish stores one message.
func (c *Client) publish(ctx context.Context, m *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := c.js.PublishMsg(ctx, m)
	return asFull(err)
}

// Get returns the timer under key, and false if there is none.
func (c *Client) Get(ctx context.Context, key string) (Timer, bool, error) {
	if err := checkKey(key); err != nil {
		return Timer{}, false, err
	}
	m, err := c.last(ctx, c.layout.timer(key))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Timer{}, false, nil
	}
	if err != nil {
		return Timer{}, false, fmt.Errorf("durable: get %q: %w", key, err)
	}
	t, err := c.layout.parse(m.Subject, m.Header, m.Data, m.Sequence)
	return t, err == nil, err
}

// Pending goes through all timers that are pending and whose key begins with
// prefix, in no order. It reads all timers, whatever the prefix. Timers that are set
// or fire meanwhile may be among them or not. After an error there is nothing more.
func (c *Client) Pending(ctx context.Context, prefix string) iter.Seq2[Timer, error] {
	return func(yield func(Timer, error) bool) {
		for m, err := range c.read(ctx, c.layout.allTimers()) {
			var t Timer
			if err == nil {
				t, err = c.parseMsg(m)
			}
			if err != nil {
				yield(Timer{}, fmt.Errorf("durable: pending: %w", err))
				return
			}
			if strings.HasPrefix(t.Key, prefix) && !yield(t, nil) {
				return
			}
		}
	}
}

func (c *Client) parseMsg(m jetstream.Msg) (Timer, error) {
	meta, err := m.Metadata()
	if err != nil {
		return Timer{}, err
	}
	return c.layout.parse(m.Subject(), m.Headers(), m.Data(), meta.Sequence.Stream)
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
