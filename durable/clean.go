package durable

import (
	"context"
	"math/bits"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	removers    = 32              // requests to remove a message at a time
	maxRemoved  = 1 << 16         // messages that wait to be removed, before handlers wait
	removeAfter = time.Second     // so that notes and files of the store that empty are few
	sweepPause  = time.Minute     // between looks for what nobody has removed
	orphaned    = 2 * removeAfter // after which nobody else is about to remove what was handled
)

// spent is a message that has done its work and is to be removed, and what it has removed.
type spent struct {
	revision uint64
	removal
	at time.Time // when it has; it is removed removeAfter
}

func spentMessage(m message) (spent, error) {
	r, err := readRemoval(m.Headers())
	return spent{m.revision(), r, m.Timestamp}, err
}

// remover removes from the stream what has been handled, and Cancels. What it does not
// get to, as its worker dies, the next sweep or scan removes.
type remover struct {
	c *Client
	*queue[spent]
}

// run goes on until ended ends and the queue is empty. Once ctx has ended it does not wait
// any more, and once the server has not answered either it removes nothing more.
func (r remover) run(ctx, ended context.Context) {
	for {
		batch, err := r.take(ended)
		if err != nil {
			return
		}
		_ = sleep(ctx, time.Until(batch[0].at.Add(removeAfter))) // what is later can be removed as well
		if err := r.c.removeSpent(batch); err != nil {
			r.c.cfg.Logger.Debug("removing what has been handled is left to a sweep", "error", err)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// removeSpent notes what messages have removed, and removes them. One at a time is what
// costs the server least: after a purge of many it counts again what is before each consumer.
func (c *Client) removeSpent(batch []spent) error {
	if err := c.noteSpent(batch); err != nil {
		return err
	}
	return inParallel(context.Background(), removers, batch, func(ctx context.Context, s spent) error {
		if err := c.stream.DeleteMsg(ctx, s.revision); err != nil {
			c.cfg.Logger.Debug("removing what has been handled is left to a sweep",
				"revision", s.revision, "error", err)
		}
		return nil
	})
}

// noteSpent notes what is about to be removed, and what that has removed.
func (c *Client) noteSpent(batch []spent) error {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	var notes [64]removal // those that stay for long are apart from the others
	now := c.cfg.Now().UnixNano()
	for _, s := range batch {
		n := &notes[bits.Len64(uint64(max(s.until-now, 0))/uint64(noteAge))]
		n.revisions = append(append(n.revisions, s.revision), s.revisions...)
		n.until = max(n.until, s.until)
	}
	for _, n := range notes {
		if err := c.note(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes, now and then, what has been handled and not been removed. It is what
// the worker does that serves partition 0.
func (c *Client) sweep(ctx context.Context) {
	start := time.Now()
	for {
		if err := c.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Logger.Debug("removing what has been handled is tried again", "error", err)
		}
		if sleep(ctx, sweepPause) != nil {
			return
		}
		if time.Since(start) < noteAge {
			continue // who has just come is to read the notes
		}
		start = time.Now()
		if err := c.forgetNotes(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Logger.Debug("removing old notes is tried again", "error", err)
		}
	}
}

func (c *Client) sweepOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stored, err := c.count(ctx, c.layout.allFired())
	if err != nil {
		return err
	}
	info, err := c.consumer.Info(ctx)
	if err != nil {
		return err
	}
	// A tally is younger than the message that it counts the calls for.
	err = c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allTallies()),
		jetstream.WithPurgeSequence(info.AckFloor.Stream+1))
	if err != nil {
		return err
	}
	if stored <= info.NumPending+uint64(info.NumAckPending) {
		return nil
	}
	// All that has fired up to the floor has been handled.
	var orphans []spent
	err = c.read(ctx, headersOnly, c.layout.allFired(), func(m message) error {
		if m.revision() > info.AckFloor.Stream || info.TimeStamp.Sub(m.Timestamp).Abs() < orphaned {
			return errEnough
		}
		s, err := spentMessage(m)
		if err != nil {
			c.setAside("header of what has fired", err)
		}
		orphans = append(orphans, s)
		return nil
	})
	if err != nil || len(orphans) == 0 {
		return err
	}
	if err := c.noteSpent(orphans); err != nil {
		return err
	}
	last := orphans[len(orphans)-1].revision
	return c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allFired()),
		jetstream.WithPurgeSequence(last+1))
}
