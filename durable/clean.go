package durable

import (
	"context"
	"math/bits"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	removers    = 32              // requests to remove a message at a time
	maxRemoved  = 1 << 16         // messages waiting for removal before handlers wait
	removeAfter = time.Second     // a delay that keeps notes, and files with holes, few
	sweepPause  = time.Minute     // between searches for messages that nobody removed
	orphaned    = 2 * removeAfter // the age at which no worker will remove a handled message
	setBack     = time.Minute     // a step of the server's clock that calls for a reset
)

// spent is a message that has done its work and is to be removed, with the revisions that it removed itself.
type spent struct {
	revision uint64
	removal
	at time.Time // when it was done; it is removed removeAfter later
}

func spentMessage(m message) (spent, error) {
	r, err := readRemoval(m.Headers())
	return spent{m.revision(), r, m.Timestamp}, err
}

// removeAll removes handled messages and Cancels from the stream, until ended ends and the queue is empty. Once ctx
// has ended it does not delay removals any more, and gives up if the server does not answer. If the worker dies, the
// next sweep or scan removes the rest.
func (w *worker) removeAll(ctx, ended context.Context) {
	for {
		batch, err := w.spent.take(ended)
		if err != nil {
			return
		}
		_ = sleep(ctx, time.Until(batch[0].at.Add(removeAfter))) // the others are about as old
		if err := w.removeSpent(batch); err != nil {
			w.cfg.Logger.Debug("removing handled messages is left to a sweep", "error", err)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// removeSpent notes the revisions that messages removed, and removes the messages one at a
// time. After a purge of many the server would count again what precedes each consumer.
func (c *Client) removeSpent(batch []spent) error {
	if err := c.noteSpent(batch); err != nil {
		return err
	}
	return inParallel(context.Background(), removers, batch, func(ctx context.Context, s spent) error {
		if err := c.stream.DeleteMsg(ctx, s.revision); err != nil {
			c.cfg.Logger.Debug("removing a handled message is left to a sweep", "revision", s.revision, "error", err)
		}
		return nil
	})
}

// noteSpent notes the revisions of messages about to be removed, and of what they removed.
func (c *Client) noteSpent(batch []spent) error {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	var notes [64]removal // by the logarithm of the time that they stay
	now := c.cfg.Now()
	for _, s := range batch {
		n := &notes[bits.Len64(uint64(max(time.Unix(0, s.until).Sub(now), 0)/noteAge))]
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

// sweeper removes handled messages that their worker did not. The worker that serves partition 0 runs it.
type sweeper struct {
	*Client
	server, at time.Time // the server's clock, and when it was read
	reset      uint64    // messages up to this one were delivered again
}

// run sweeps once each sweepPause, until ctx ends.
func (s *sweeper) run(ctx context.Context) {
	start := time.Now()
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Debug("removing handled messages is tried again", "error", err)
		}
		if sleep(ctx, sweepPause) != nil {
			return
		}
		if time.Since(start) < noteAge {
			continue // clients that have just started must be able to read the notes
		}
		start = time.Now()
		if err := s.forgetNotes(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Debug("removing old notes is tried again", "error", err)
		}
	}
}

func (s *sweeper) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stored, err := s.count(ctx, s.layout.allFired())
	if err != nil {
		return err
	}
	info, err := s.consumer.Info(ctx)
	if err != nil {
		return err
	}
	if err := s.checkClock(ctx, info); err != nil {
		return err
	}
	// A tally is younger than the message whose calls it counts.
	err = s.stream.Purge(ctx, jetstream.WithPurgeSubject(s.layout.allTallies()),
		jetstream.WithPurgeSequence(info.AckFloor.Stream+1))
	if err != nil {
		return err
	}
	if stored <= info.NumPending+uint64(info.NumAckPending) {
		return nil
	}
	// All fired timers up to the floor have been handled.
	var orphans []spent
	err = s.read(ctx, headersOnly, s.layout.allFired(), func(m message) error {
		if m.revision() > info.AckFloor.Stream || info.TimeStamp.Sub(m.Timestamp).Abs() < orphaned {
			return errEnough
		}
		o, err := spentMessage(m)
		if err != nil {
			s.setAside("header of a fired timer", err)
		}
		orphans = append(orphans, o)
		return nil
	})
	if err != nil || len(orphans) == 0 {
		return err
	}
	if err := s.noteSpent(orphans); err != nil {
		return err
	}
	last := orphans[len(orphans)-1].revision
	return s.stream.Purge(ctx, jetstream.WithPurgeSubject(s.layout.allFired()), jetstream.WithPurgeSequence(last+1))
}

// checkClock makes the server deliver all unhandled timers again if its clock was set back. The
// server compares times of delivery from before with the clock, so that a retry, or a timer
// whose worker died, would be late by as much as the clock was set back.
func (s *sweeper) checkClock(ctx context.Context, info *jetstream.ConsumerInfo) error {
	back := !s.at.IsZero() && s.server.Add(time.Since(s.at)).Sub(info.TimeStamp) > setBack
	s.server, s.at = info.TimeStamp, time.Now()
	if !back && info.NumAckPending > 0 { // nor since the oldest was stored, before a restart?
		first := headersOnly
		first.DeliverPolicy, first.OptStartSeq = jetstream.DeliverByStartSequencePolicy, info.AckFloor.Stream+1
		err := s.read(ctx, first, s.layout.allFired(), func(m message) error {
			back = m.revision() > s.reset && m.Timestamp.Sub(info.TimeStamp) > setBack
			return errEnough
		})
		if err != nil {
			return err
		}
	}
	if !back {
		return nil
	}
	s.cfg.Logger.Warn("the clock of the server was set back: unhandled timers are delivered again")
	s.reset = info.Delivered.Stream
	_, err := s.stream.ResetConsumer(ctx, workersConsumer)
	return err
}
