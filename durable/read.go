package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// isGone reports whether the stream was deleted.
func isGone(err error) bool { return errors.Is(err, jetstream.ErrStreamNotFound) }

func hasCode(err error, codes ...server.ErrorIdentifier) bool {
	api, is := errors.AsType[*jetstream.APIError](err)
	return is && slices.Contains(codes, server.ErrorIdentifier(api.ErrorCode))
}

// wrap adds to an error, if any, what has failed.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("durable: %s: %w", fmt.Sprintf(format, args...), *err)
	}
}

// records returns the records of one message.
func (c *Client) records(ctx context.Context, seq uint64) ([]record, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := c.get.GetMsg(c.layout.name, seq, nats.Context(ctx), nats.DirectGet())
	if errors.Is(err, nats.ErrMsgNotFound) { // a replica of the server may lag behind
		m, err = c.get.GetMsg(c.layout.name, seq, nats.Context(ctx))
	}
	var list []record
	if err == nil {
		_, list, err = parseMessage(m.Data, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("message %d: %w", seq, err)
	}
	return list, nil
}

const (
	pullExpiry  = 4 * time.Second        // how long a request lasts
	signOfLife  = time.Second            // how often the server sends a heartbeat meanwhile
	readPause   = 500 * time.Millisecond // between checks for lost messages
	maxFailures = 4                      // consumers without a message, one after the other
)

// The messages without a body that follow passes on.
const isBehind, isLevel = 0, 1

// follow calls f with each message of a log from a sequence number on, until f returns an error: first the stored messages,
// then new ones as they come. If its consumer is lost, for example with a node that was killed, it continues with another
// one. It calls f with isBehind before it reads stored messages, and with isLevel after it.
func (c *Client) follow(ctx context.Context, subject string, from uint64, f func(message) error) error {
	r := reading{Client: c, subject: subject, next: max(from, 1), f: f}
	for failures := 0; ; failures++ {
		before := r.next
		err := r.consume(ctx)
		switch {
		case r.told != nil:
			return r.told
		case r.next > before:
			failures = 0
		case ctx.Err() != nil || r.consumer == nil || failures == maxFailures:
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

type reading struct {
	*Client
	subject  string
	next     uint64 // the first message that has not been seen
	f        func(message) error
	told     error              // returned by f
	consumer jetstream.Consumer // nil if it could not be created
	came     uint64             // messages from this consumer
	level    bool               // all stored messages have been read
	turn     time.Time          // the last one of the loop, or when the server has answered since
}

// consume continues with a new consumer. It returns the error of f, or an error if messages are lost or do not come.
func (r *reading) consume(ctx context.Context) (err error) {
	r.came, r.level = 0, false
	if err := r.tell(message{seq: isBehind}); err != nil {
		return err
	}
	if r.consumer, err = r.newConsumer(ctx, r.subject, r.next, time.Minute); err != nil {
		return err
	}
	if err := r.left(r.consumer.CachedInfo().NumPending); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages, failed := make(chan jetstream.Msg, 1024), make(chan error, 1)
	consuming, err := r.consumer.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxBytes(max(fetchBytes, 2*int(r.nc.MaxPayload()))), jetstream.PullExpiry(pullExpiry),
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
	for r.turn = time.Now(); err == nil; {
		var m jetstream.Msg
		select {
		case m = <-messages:
		case err = <-failed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-look.C:
		}
		still := stoodStill(r.turn, time.Now())
		r.turn = time.Now()
		switch {
		case err != nil:
		case still: // messages may have been removed before the server sent them
			err = errors.New("the process stood still")
		case m != nil:
			err = r.take(m)
		case r.nc.Stats().Reconnects != connection: // messages in flight are lost
			err = errors.New("the connection was lost")
		case !r.level && r.came == before && len(messages) == 0:
			err = r.silent(ctx)
		}
		if m == nil {
			before = r.came
		}
	}
	return err
}

// stoodStill reports whether a loop that turns at least each readPause was suspended, with its machine or alone.
func stoodStill(turn, now time.Time) bool {
	return max(now.Sub(turn), now.Round(0).Sub(turn.Round(0))) > tightAge*3/4
}

func (r *reading) tell(m message) error {
	r.told = r.f(m)
	return r.told
}

// take passes a message to f, unless f has had it.
func (r *reading) take(m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	if r.came++; meta.Sequence.Consumer != r.came {
		return fmt.Errorf("message %d of %s is the %dth that came", meta.Sequence.Consumer, r.subject, r.came)
	}
	if seq := meta.Sequence.Stream; seq >= r.next {
		r.next = seq + 1
		if err := r.tell(message{seq, meta.Timestamp, body(m)}); err != nil {
			return err
		}
	}
	return r.left(meta.NumPending)
}

// left tells f when none of the stored messages is left.
func (r *reading) left(n uint64) error {
	if n > 0 || r.level {
		return nil
	}
	r.level = true
	err := r.tell(message{seq: isLevel})
	r.turn = time.Now()
	return err
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
		return fmt.Errorf("messages of %s are missing", r.subject)
	}
	return r.left(0)
}

func (c *Client) newConsumer(ctx context.Context, subject string, from uint64, lasts time.Duration) (jetstream.Consumer, error) {
	consumer, err := c.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: subject, AckPolicy: jetstream.AckNonePolicy,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1), InactiveThreshold: lasts,
		MemoryStorage: true, Replicas: 1})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", subject, err)
	}
	return consumer, nil
}

// count counts the messages of a log from a sequence number on.
func (c *Client) count(ctx context.Context, subject string, from uint64) (uint64, error) {
	consumer, err := c.newConsumer(ctx, subject, from, time.Second)
	if err != nil {
		return 0, err
	}
	return consumer.CachedInfo().NumPending, nil
}

// body returns the body of a message, which is not nil.
func body(m jetstream.Msg) []byte {
	if b := m.Data(); b != nil {
		return b
	}
	return []byte{}
}

// inParallel calls f with each item, n at a time. It returns the first error. After an error it
// starts no more calls, and ends the contexts of the others.
func inParallel[T any](ctx context.Context, n int, items []T, f func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, len(items)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				if err := f(ctx, items[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// mutex is a mutex whose lock method returns an error when a context ends.
type mutex chan struct{}

func newMutex() mutex { return make(mutex, 1) }

func (m mutex) lock(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m mutex) unlock() { <-m }

// poke puts a token into c, unless it is full.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
