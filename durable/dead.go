package durable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// DeadLetter is a timer that no attempt could handle. It stays until it is revived
// or discarded.
type DeadLetter struct {
	Key      string
	Payload  []byte
	Deadline time.Time
	Limits
	Attempts int // so many there were
	ID       string
	Error    string // what the last attempt returned
	Revision uint64 // of the dead letter: another one of the same timer has another
}

// maxError is how much is kept of an error, in bytes and quoted.
const maxError = 1024

func (c *Client) writeDead(ctx context.Context, f Fired, cause error) error {
	m := newMessage(c.layout.dead(f.Key, f.Deadline.UnixNano()), f.Payload)
	text := strconv.Quote(cause.Error()) // a header is one line
	for n := maxError; len(text) > maxError; n -= n / 4 {
		text = strconv.Quote(cause.Error()[:min(n, len(cause.Error()))])
	}
	m.Header[headerError] = []string{text}
	setNumber(m, headerAttempts, f.Attempt)
	f.Limits.write(m)
	return c.publish(ctx, m)
}

// DeadLetters goes through all dead letters, oldest first. After an error there is
// nothing more.
func (c *Client) DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error] {
	return list(ctx, c, "dead letters", whole, c.layout.allDead(),
		func(m message, _ *removedSet) (DeadLetter, bool, error) {
			d, err := c.parseDead(m)
			return d, true, err
		})
}

// Waiting goes through what has fired and waits for a worker, or has one: in the order in
// which it fired. What was handled within the last second or two may be among it. Attempt is
// 0, as it is not known. After an error there is nothing more.
func (c *Client) Waiting(ctx context.Context) iter.Seq2[Fired, error] {
	return list(ctx, c, "waiting", whole, c.layout.allFired(),
		func(m message, removed *removedSet) (Fired, bool, error) {
			f, err := c.parseFired(m)
			return f, !removed.hasRevision(m.revision()), err
		})
}

func (c *Client) parseDead(m message) (d DeadLetter, err error) {
	key, deadline, ok := c.layout.parseFired(m.Subject())
	if !ok {
		return d, fmt.Errorf("subject %q is not that of a dead letter", m.Subject())
	}
	d = DeadLetter{Key: key, Payload: m.Data(), Deadline: time.Unix(0, deadline),
		ID: id(key, deadline), Revision: m.revision()}
	attempts, err := number(m.Headers(), headerAttempts)
	if err == nil {
		d.Limits, err = readLimits(m.Headers())
	}
	if err == nil {
		if d.Error, err = strconv.Unquote(m.Headers().Get(headerError)); err != nil {
			err = fmt.Errorf("header %s: %w", headerError, err)
		}
	}
	if err != nil {
		return DeadLetter{}, fmt.Errorf("dead letter %s: %w", d.ID, err)
	}
	d.Attempts = int(attempts)
	return d, nil
}

// Revive gives a dead letter to the workers again, as if it had just fired. After an
// error it may be there twice: among what has fired and among the dead letters.
func (c *Client) Revive(ctx context.Context, d DeadLetter) error {
	err := c.publish(ctx, c.layout.firedMessage(
		Timer{Key: d.Key, Deadline: d.Deadline, Payload: d.Payload, Limits: d.Limits}))
	if err != nil {
		return fmt.Errorf("durable: revive %s: %w", d.ID, err)
	}
	return c.Discard(ctx, d)
}

// Discard removes a dead letter, if it is there, and not one that the same timer has left
// since.
func (c *Client) Discard(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "discard %s", d.ID)
	if err = c.stream.DeleteMsg(ctx, d.Revision); err != nil {
		if _, gone := c.at(ctx, d.Revision); errors.Is(gone, nats.ErrMsgNotFound) {
			return nil
		}
	}
	return err
}
