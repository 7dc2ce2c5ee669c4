package durable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// changingPause is the pause before a retry when another change of the same timer is in progress.
const changingPause = 5 * time.Millisecond

// isChanged reports whether the server refused a message because the timer no longer has the
// expected revision. This is final.
func isChanged(err error) bool { return hasCode(err, server.JSStreamWrongLastSequenceErrF) }

// isChanging reports whether the server refused a message because another change of the timer is
// in progress, which may still fail.
func isChanging(err error) bool {
	return hasCode(err, server.JSStreamWrongLastSequenceConstantErr)
}

// isTooLarge reports whether a message is larger than the server or the stream accepts.
func isTooLarge(err error) bool {
	return errors.Is(err, nats.ErrMaxPayload) ||
		hasCode(err, server.JSStreamMessageExceedsMaximumErr, server.JSStreamHeaderExceedsMaximumErr)
}

func hasCode(err error, codes ...server.ErrorIdentifier) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, server.ErrorIdentifier(api.ErrorCode))
}

// wrap adds to an error, if any, what has failed.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("durable: %s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// last returns the last message of a subject, or nats.ErrMsgNotFound.
func (c *Client) last(ctx context.Context, subject string, how ...nats.JSOpt) (*nats.RawStreamMsg, error) {
	return c.one(ctx, how, func(how ...nats.JSOpt) (*nats.RawStreamMsg, error) {
		return c.get.GetLastMsg(c.layout.name, subject, how...)
	})
}

// at returns the message with a revision, or nats.ErrMsgNotFound.
func (c *Client) at(ctx context.Context, revision uint64, how ...nats.JSOpt) (*nats.RawStreamMsg, error) {
	return c.one(ctx, how, func(how ...nats.JSOpt) (*nats.RawStreamMsg, error) {
		return c.get.GetMsg(c.layout.name, revision, how...)
	})
}

// one reads a message from the leader of the stream. With nats.DirectGet it asks any replica, which costs the server less
// but may lag behind, and the leader only if the replica does not have the message.
func (c *Client) one(ctx context.Context, how []nats.JSOpt,
	get func(...nats.JSOpt) (*nats.RawStreamMsg, error)) (*nats.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if len(how) > 0 {
		m, err := get(append(how, nats.Context(ctx))...)
		if !errors.Is(err, nats.ErrMsgNotFound) && !errors.Is(err, nats.ErrNoResponders) {
			return m, err
		}
	}
	return get(nats.Context(ctx))
}

type message struct {
	jetstream.Msg
	*jetstream.MsgMetadata
}

func withMetadata(m jetstream.Msg) (message, error) {
	meta, err := m.Metadata()
	return message{m, meta}, err
}

func (m message) revision() uint64 { return m.Sequence.Stream }

// Consumers for reading.
var (
	whole       = jetstream.ConsumerConfig{InactiveThreshold: time.Minute}
	headersOnly = jetstream.ConsumerConfig{InactiveThreshold: time.Minute, HeadersOnly: true}
	lastOfEach  = jetstream.ConsumerConfig{InactiveThreshold: time.Minute,
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy}
)

const (
	readAhead   = 2000                   // messages requested at a time
	pullExpiry  = 4 * time.Second        // how long a request lasts
	signOfLife  = time.Second            // how often the server sends a heartbeat meanwhile
	readPause   = 500 * time.Millisecond // between checks for lost messages
	maxFailures = 4                      // consumers without a message, one after the other
)

// errEnough is returned by a function that wants no more messages.
var errEnough = errors.New("enough")

// read calls f with each message that a subject filter, or one of several with spaces between them, matches and that is stored now, until f returns an error.
func (c *Client) read(ctx context.Context, how jetstream.ConsumerConfig, filter string, f func(message) error) error {
	return c.follow(ctx, how, filter, func(m message) error {
		if m.Msg == nil {
			return errEnough
		}
		return f(m)
	})
}

// list iterates over the results of parse for the messages that a subject filter matches. It
// skips a message if parse returns false or an error. Errors of reading begin with what.
func list[T any](ctx context.Context, c *Client, what string, how jetstream.ConsumerConfig,
	filter string, parse func(message, map[int]*removedSet) (T, bool, error)) iter.Seq2[T, error] {
	return func(yield func(v T, err error) bool) {
		removed, err := c.readRemoved(ctx, "*")
		if err == nil {
			err = c.read(ctx, how, filter, func(m message) error {
				v, keep, err := parse(m, removed)
				if err != nil {
					c.setAside("message", err)
				} else if keep && !yield(v, nil) {
					return errEnough
				}
				return nil
			})
		}
		if wrap(&err, "%s", what); err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

// follow calls f with each message that a subject filter matches, until f returns an error: first
// the stored messages, then one without a Msg, then new messages as they come. If its consumer is
// lost, for example with a node that was killed, it continues with another one.
func (c *Client) follow(ctx context.Context, how jetstream.ConsumerConfig, filter string,
	f func(message) error) error {
	r := reading{Client: c, how: how, filter: filter, f: f}
	for failures := 0; ; failures++ {
		before := r.seen
		err := r.consume(ctx)
		switch {
		case errors.Is(r.told, errEnough):
			return nil
		case r.told != nil:
			return r.told
		case r.seen > before:
			failures = 0
		case ctx.Err() != nil || r.consumer == nil || failures == maxFailures:
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

type reading struct {
	*Client
	how      jetstream.ConsumerConfig
	filter   string
	f        func(message) error
	told     error              // returned by f
	consumer jetstream.Consumer // nil if it could not be created
	came     uint64             // messages from this consumer
	seen     uint64             // the last revision
	stored   bool               // all stored messages have been read
}

// consume continues after the last message seen, with a new consumer. It returns the error of f,
// or an error if messages are lost or do not come.
func (r *reading) consume(ctx context.Context) (err error) {
	how := r.how
	if r.seen > 0 && how.DeliverPolicy != jetstream.DeliverLastPerSubjectPolicy {
		how.DeliverPolicy, how.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.seen+1
	}
	r.came = 0
	if r.consumer, err = r.newConsumer(ctx, how, r.filter); err != nil {
		return err
	}
	if err := r.left(r.consumer.CachedInfo().NumPending); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages, failed := make(chan jetstream.Msg, readAhead), make(chan error, 1)
	consuming, err := r.consumer.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessages(readAhead), jetstream.PullExpiry(pullExpiry),
		jetstream.PullHeartbeat(signOfLife),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			select {
			case failed <- err:
			default:
			}
		}))
	if err != nil {
		return err
	}
	defer consuming.Stop()
	look := time.NewTicker(readPause)
	defer look.Stop()
	connection, before := r.nc.Stats().Reconnects, r.came
	for err == nil {
		select {
		case m := <-messages:
			err = r.take(m)
		case err = <-failed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-look.C:
			if r.nc.Stats().Reconnects != connection { // messages in flight are lost
				err = errors.New("the connection was lost")
			} else if !r.stored && r.came == before && len(messages) == 0 {
				err = r.silent(ctx)
			}
			before = r.came
		}
	}
	return err
}

// take passes a message to f, unless f has had it.
func (r *reading) take(raw jetstream.Msg) error {
	m, err := withMetadata(raw)
	if err != nil {
		return err
	}
	if r.came++; m.Sequence.Consumer != r.came {
		return fmt.Errorf("message %d of %s is the %dth that came", m.Sequence.Consumer, r.filter, r.came)
	}
	if m.revision() > r.seen {
		r.seen = m.revision()
		if r.told = r.f(m); r.told != nil {
			return r.told
		}
	}
	return r.left(m.NumPending)
}

// left tells f when none of the stored messages is left.
func (r *reading) left(n uint64) error {
	if n == 0 && !r.stored {
		r.stored = true
		r.told = r.f(message{})
	}
	return r.told
}

// silent finds out why no message came: the rest may have been removed in the meantime, or lost.
func (r *reading) silent(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout) // nobody may answer
	defer cancel()
	info, err := r.consumer.Info(ctx)
	if err != nil {
		return err
	}
	if info.NumPending > 0 || info.Delivered.Consumer > r.came {
		return fmt.Errorf("messages of %s are missing", r.filter)
	}
	return r.left(0)
}

func (c *Client) newConsumer(ctx context.Context, how jetstream.ConsumerConfig,
	filter string) (jetstream.Consumer, error) {
	how.FilterSubjects, how.AckPolicy = strings.Fields(filter), jetstream.AckNonePolicy
	how.MemoryStorage, how.Replicas = true, 1
	consumer, err := c.stream.CreateConsumer(ctx, how)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", strings.TrimPrefix(filter, c.layout.name+"."), err)
	}
	return consumer, nil
}

func (c *Client) count(ctx context.Context, filter string) (uint64, error) {
	once := jetstream.ConsumerConfig{InactiveThreshold: time.Second}
	consumer, err := c.newConsumer(ctx, once, filter)
	if err != nil {
		return 0, err
	}
	return consumer.CachedInfo().NumPending, nil
}
