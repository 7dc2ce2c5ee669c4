package durable

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"
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

// DeadLetters iterates over all dead letters, oldest first in each partition. An error ends the iteration.
func (c *Client) DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error] {
	return list(ctx, c, "dead letters", func(r *replica) (all []DeadLetter) {
		for _, e := range r.ordered(isDead) {
			f := e.fired()
			all = append(all, DeadLetter{Key: f.Key, Payload: f.Payload, Deadline: f.Deadline, Limits: f.Limits,
				Attempts: e.more.attempts, ID: f.ID, Error: e.more.err, Revision: e.more.id})
		}
		return all
	})
}

// Waiting iterates over the timers that have fired and are not handled yet, in the order in which those of a partition fired.
// Attempt is always 0. An error ends the iteration.
func (c *Client) Waiting(ctx context.Context) iter.Seq2[Fired, error] {
	return list(ctx, c, "waiting", func(r *replica) (all []Fired) {
		for _, e := range r.ordered(isFired) {
			f := e.fired()
			f.Attempt, f.Lateness = 0, c.cfg.Now().Sub(f.Deadline)
			all = append(all, f)
		}
		return all
	})
}

// ordered returns what is in a state, in the order of becoming so.
func (r *replica) ordered(s state) (all []*entry) {
	for _, e := range r.others {
		if e.state == s {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.more.id, b.more.id) })
	return all
}

// Revive hands a dead letter to the workers again, as if the timer had just fired, if it still exists.
func (c *Client) Revive(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "revive %s", d.ID)
	return c.endDead(ctx, d, opRevive)
}

// Discard removes a dead letter, if it still exists. It does not remove a later dead letter of the same timer.
func (c *Client) Discard(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "discard %s", d.ID)
	return c.endDead(ctx, d, opDiscard)
}

func (c *Client) endDead(ctx context.Context, d DeadLetter, o op) error {
	err := c.room(ctx, &c.changing, perLogged)
	if err == nil {
		_, _, err = c.add(ctx, c.layout.partition(d.Key), &record{op: o, id: d.Revision})
	}
	return err
}
