package durable

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	removers    = 32              // requests to note or remove something at a time
	unanswered  = 32              // requests to remove a message, of which one has an answer
	maxRemoved  = 1 << 16         // messages waiting for removal before handlers wait
	removeAfter = time.Second     // a delay that keeps notes, and files with holes, few
	sweepPause  = time.Minute     // between searches for messages that nobody removed
	orphaned    = 2 * removeAfter // the age at which no worker will remove a handled message
	setBack     = time.Minute     // a step of the server's clock that calls for a reset
)

// spent is a message that has done its work and is to be removed. It may remove a timer itself.
type spent struct {
	removal
	partition int       // or -1: it needs no note
	back      bool      // a server has restored it
	older     string    // if not "": the messages of this subject are removed, except the last
	at        time.Time // when it was done; it is removed removeAfter later
}

// spentMessage returns a timer that has fired.
func (l layout) spentMessage(m message) spent {
	s := spent{removal: removal{revision: m.revision()}, partition: -1, at: m.Timestamp}
	if n, ok := l.partitionOf(m.Subject()); ok {
		s.partition = n
		if key, _, ok := l.parseFired(m.Subject()); ok && m.Headers().Get(headerScheduleNext) != "" {
			s.key = digestOf(key)
		}
	}
	return s
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
		if err := w.removeSpent(ctx, batch); err != nil {
			w.cfg.Logger.Debug("removing handled messages is left to a sweep", "error", err)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// removeSpent notes messages, and removes them one at a time. After a purge of many the server would count again what
// precedes each consumer. Until ctx ends it leaves pauses, in which the server stores and delivers timers.
func (c *Client) removeSpent(ctx context.Context, batch []spent) error {
	if err := c.noteSpent(batch); err != nil {
		return err
	}
	pause := removeAfter * unanswered / time.Duration(len(batch))
	for i, s := range batch {
		request, cancel := context.WithTimeout(context.Background(), requestTimeout)
		var err error
		switch {
		case s.older != "":
			err = c.stream.Purge(request, jetstream.WithPurgeSubject(s.older), jetstream.WithPurgeKeep(1))
		case i+1 == len(batch):
			err = c.stream.DeleteMsg(request, s.revision)
		case (i+1)%unanswered == 0:
			err = c.stream.DeleteMsg(request, s.revision)
			_ = sleep(ctx, pause)
		default: // an answer would cost the server as much again
			err = c.nc.Publish("$JS.API.STREAM.MSG.DELETE."+c.layout.name, fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, s.revision))
		}
		cancel()
		if err != nil {
			c.cfg.Logger.Debug("removing a handled message is left to a sweep", "revision", s.revision, "error", err)
		}
	}
	return nil
}

// noteSpent notes messages about to be removed, and the timers that they removed.
func (c *Client) noteSpent(batch []spent) error {
	ctx, cancel := context.WithTimeout(context.Background(), publishTimeout)
	defer cancel()
	type note struct {
		partition int
		back      bool
	}
	notes := make(map[note][]removal)
	for _, s := range batch {
		if s.partition >= 0 {
			n := note{s.partition, s.back}
			notes[n] = append(notes[n], s.removal)
		}
	}
	return inParallel(ctx, removers, slices.Collect(maps.Keys(notes)), func(ctx context.Context, n note) error {
		return c.note(ctx, n.partition, n.back, notes[n]...)
	})
}

// sweeper removes handled messages that their worker did not. The worker that serves partition 0 runs it.
type sweeper struct {
	*Client
	server, at time.Time // the server's clock, and when it was read
	reset      uint64    // messages up to this one were delivered again
}

// run sweeps once each sweepPause, until ctx ends.
func (s *sweeper) run(ctx context.Context) {
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.cfg.Logger.Debug("removing handled messages is tried again", "error", err)
		}
		if sleep(ctx, sweepPause) != nil {
			return
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
		orphans = append(orphans, s.layout.spentMessage(m))
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
