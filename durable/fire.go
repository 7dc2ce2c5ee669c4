package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

const (
	maxFiring      = 2048            // unanswered messages to the server
	publishTimeout = 2 * time.Second // after which an answer counts as lost
	maxQueued      = 1 << 16         // due timers waiting to be sent, before reading pauses
)

// near is a timer in memory.
type near struct {
	// Fixed.
	p        *partition
	timer    Timer
	deadline int64 // of timer, in ns since 1970

	// Guarded by the partition.
	handle driver.Handle
	scan   uint64 // the last scan of the partition that found the timer

	// Used by the firing, by one goroutine at a time.
	tries int
	next  time.Time // Every: the run after this one, or zero if this is the last
	moves bool      // Every: this run is stored or skipped, and the timer must move to next
	asked bool      // Every: next is known
}

// firing fires due timers: it sends them to the server and receives the answers.
type firing struct {
	c     *Client
	due   *queue[*near]
	sent  chan sentNear
	clock *driver.Driver
}

type sentNear struct {
	*near
	jetstream.PubAckFuture
}

func newFiring(c *Client, clock *driver.Driver) *firing {
	return &firing{c: c, due: newQueue[*near](), sent: make(chan sentNear, maxFiring), clock: clock}
}

// run fires timers until ctx ends. Timers without an answer by then may have fired or not.
func (f *firing) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var answers sync.WaitGroup
	defer answers.Wait()
	defer cancel() // otherwise a panic would wait for the answers forever
	answers.Go(func() {
		for {
			var s sentNear
			select {
			case s = <-f.sent:
			case <-ctx.Done():
				return
			}
			select {
			case <-s.Ok():
				f.stored(s.near)
			case err := <-s.Err():
				f.refused(s.near, err)
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		batch, err := f.due.take(ctx)
		if err != nil {
			return
		}
		for _, n := range batch {
			if ctx.Err() != nil {
				return
			}
			f.fire(ctx, n)
		}
	}
}

// fire sends the message that fires n, unless the timer has changed.
func (f *firing) fire(ctx context.Context, n *near) {
	now := f.c.cfg.Now()
	if !n.p.due(n, now) {
		return
	}
	if err := f.c.shorten(ctx, &n.timer); err != nil { // of Every, where each run moves the timer
		f.again(n, err)
		return
	}
	m, err := f.message(n, now)
	if err != nil {
		f.leave(n, err)
		return
	}
	future, err := f.c.js.PublishMsgAsync(m)
	if errors.Is(err, nats.ErrMaxPayload) { // the limit was larger when the timer was set
		f.leave(n, err)
		return
	}
	if err != nil {
		f.again(n, err)
		return
	}
	select {
	case f.sent <- sentNear{n, future}:
	case <-ctx.Done():
	}
}

// leave drops a timer that cannot be fired. Its message stays in the stream.
func (f *firing) leave(n *near, err error) {
	f.c.setAside("timer", fmt.Errorf("key %q: %w", n.timer.Key, err))
	n.p.leave(n)
}

// message returns the message to store next. The server stores it only if the timer still has its revision.
func (f *firing) message(n *near, now time.Time) (*nats.Msg, error) {
	l, t := f.c.layout, n.timer
	if t.Cron != "" && !n.asked {
		fires, next, err := cron.NextRun(t.Cron, t.Missed, t.Deadline, now)
		if err != nil {
			return nil, err
		}
		n.next, n.moves, n.asked = next, !fires, true
	}
	if n.moves {
		t.removed, t.Deadline = t.removal(), n.next
		m := l.message(t)
		l.expect(m, t.Key, t.Revision)
		return m, nil
	}
	m := l.firedMessage(t)
	if n.next.IsZero() {
		l.removing(m, t)
	} else {
		l.expect(m, t.Key, t.Revision)
		// The timer keeps its revision, so another worker may store the same run. The server
		// drops a second message with the same ID.
		setNumber(m, jetstream.MsgIDHeader, t.Revision)
	}
	return m, nil
}

func (f *firing) stored(n *near) {
	n.tries = 0
	if n.moves {
		n.p.drop(n)
		return
	}
	f.c.counters.fired.Add(1)
	if n.next.IsZero() {
		n.p.drop(n)
		return
	}
	n.moves = true
	f.due.put(n)
}

// refused handles an error of the server, or a missing answer. If the server did store the
// message, it refuses the next one because the timer is gone.
func (f *firing) refused(n *near, err error) {
	if isChanged(err) {
		f.c.counters.gone.Add(1)
		n.p.drop(n)
		return
	}
	if hasCode(err, jetstream.ErrorCode(server.JSMessageSchedulesSchedulerInvalidErr)) {
		f.leave(n, err) // no client has stored this timer
		return
	}
	f.again(n, err)
}

// again fires n again after a pause.
func (f *firing) again(n *near, err error) {
	f.c.counters.retries.Add(1)
	pause := changingPause
	if !isChanging(err) {
		pause = min(20*time.Millisecond<<min(n.tries, 10), time.Second)
		f.c.cfg.Logger.Debug("firing a timer is tried again", "key", n.timer.Key, "after", pause, "error", err)
	}
	n.tries++
	f.clock.Schedule(pause, func() { f.due.put(n) })
}
