package durable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// DeadLetter is a timer whose attempts have all failed. It stays until it is revived or discarded.
type DeadLetter struct {
	Key      string
	Payload  []byte
	Deadline time.Time
	Limits
	Attempts int    // how many there were
	ID       string // as in Fired
	Error    string // of the last attempt, up to 1 kB; "" if there was no room for it
	Revision uint64 // of the dead letter; a later one of the same timer has another
}

// maxError is how many bytes of an error are kept, in quoted form.
const maxError = 1024

// writeDead stores a dead letter, without its error if there is no room for that.
func (c *Client) writeDead(ctx context.Context, f Fired, cause error) error {
	m := newMessage(c.layout.dead(f.Key, f.Deadline.UnixNano()), f.Payload)
	m.Header[headerError] = []string{quote(cause.Error(), maxError)}
	setNumber(m, headerAttempts, f.Attempt)
	f.Limits.write(m)
	err := c.claim(ctx, &c.space, int64(m.Size()))
	if err == nil {
		err = c.publish(ctx, m)
	}
	if isTooLarge(err) || errors.Is(err, ErrFull) {
		m.Header[headerError] = []string{`""`}
		if err = c.claim(ctx, &c.burying, int64(m.Size())); err == nil {
			err = c.publish(ctx, m)
		}
	}
	return err
}

// DeadLetters iterates over all dead letters, oldest first. An error ends the iteration.
func (c *Client) DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error] {
	return list(ctx, c, "dead letters", whole, c.layout.allDead(),
		func(m message, _ map[int]*removedSet) (DeadLetter, bool, error) {
			d, err := c.parseDead(m)
			return d, true, err
		})
}

// Waiting iterates over the timers that have fired and are not handled yet, in the order in which they fired.
// It may include timers handled within the last two seconds. Attempt is always 0. An error ends the iteration.
func (c *Client) Waiting(ctx context.Context) iter.Seq2[Fired, error] {
	return list(ctx, c, "waiting", whole, c.layout.allFired(),
		func(m message, removed map[int]*removedSet) (Fired, bool, error) {
			f, err := c.parseFired(m)
			partition, _ := c.layout.partitionOf(m.Subject())
			return f, !removed[partition].has(removal{revision: m.revision()}), err
		})
}

func (c *Client) parseDead(m message) (d DeadLetter, err error) {
	f, err := c.parseFired(m)
	if err != nil {
		return d, err
	}
	d = DeadLetter{Key: f.Key, Payload: f.Payload, Deadline: f.Deadline, Limits: f.Limits, ID: f.ID, Revision: m.revision()}
	attempts, err := number(m.Headers(), headerAttempts, 0, math.MaxInt32)
	if err != nil {
		return d, fmt.Errorf("dead letter %s: %w", d.ID, err)
	}
	d.Attempts = int(attempts)
	if d.Error, err = strconv.Unquote(m.Headers().Get(headerError)); err != nil {
		err = fmt.Errorf("dead letter %s: header %s: %w", d.ID, headerError, err)
	}
	return d, err
}

// Revive hands a dead letter to the workers again, as if the timer had just fired. After an error
// it may both have fired and be a dead letter.
func (c *Client) Revive(ctx context.Context, d DeadLetter) error {
	err := c.publish(ctx, c.layout.firedMessage(
		Timer{Key: d.Key, Deadline: d.Deadline, Payload: d.Payload, Limits: d.Limits}))
	if err != nil {
		return fmt.Errorf("durable: revive %s: %w", d.ID, err)
	}
	return c.Discard(ctx, d)
}

// Discard removes a dead letter, if it still exists. It does not remove a later dead letter of the same timer.
func (c *Client) Discard(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "discard %s", d.ID)
	if err = c.stream.DeleteMsg(ctx, d.Revision); err != nil {
		if _, gone := c.at(ctx, d.Revision); errors.Is(gone, nats.ErrMsgNotFound) {
			return nil
		}
	}
	return err
}
