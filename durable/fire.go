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
	maxFiring      = 2048            // messages to the server without an answer
	publishTimeout = 2 * time.Second // until an answer counts as lost
	maxQueued      = 1 << 16         // timers due and not sent, before reading pauses
)

// near is a timer in memory. All but what its partition guards is fixed.
type near struct {
	p        *partition
	timer    Timer
	deadline int64 // of timer, ns since 1970

	// Guarded by the partition.
	handle driver.Handle
	scan   uint64 // the last scan of the partition that found it

	// Used by one goroutine at a time: of the one that fires.
	tries int
	next  time.Time // Every: the run after this one, or zero if it is the last
	moves bool      // Every: this run is done with, the timer is to be moved to next
	asked bool      // Every: next is known
}

// firing sends what is due to the server and takes its answers.
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

// run ends when ctx does. What was sent and not answered is not known then.
func (f *firing) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var answers sync.WaitGroup
	defer answers.Wait()
	defer cancel() // also after a panic, which would wait for the answers otherwise
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

// fire sends what makes n fire, unless it is not there any more.
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
	if errors.Is(err, nats.ErrMaxPayload) { // set where the limit was larger
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

// leave sets a timer aside that cannot be fired. It stays where it is stored.
func (f *firing) leave(n *near, err error) {
	f.c.setAside("timer", fmt.Errorf("key %q: %w", n.timer.Key, err))
	n.p.leave(n)
}

// message returns what is to be stored next. The server stores it only if the timer
// is still there in its revision.
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
	// What workers need is in the subject and the body.
	m := l.firedMessage(t)
	if n.next.IsZero() {
		l.removing(m, t)
	} else {
		l.expect(m, t.Key, t.Revision)
		// The timer keeps its revision: another worker may store the same run. The server
		// takes the second message of an ID for the first one.
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

// refused goes on with n after the server has not stored its message, or has given
// no answer. If it did store it the next message is refused as the timer is gone.
func (f *firing) refused(n *near, err error) {
	if isChanged(err) {
		f.c.counters.gone.Add(1)
		n.p.drop(n)
		return
	}
	if hasCode(err, jetstream.ErrorCode(server.JSMessageSchedulesSchedulerInvalidErr)) {
		f.leave(n, err) // a message that no client has stored
		return
	}
	f.again(n, err)
}

// again makes n fire anew after a pause.
func (f *firing) again(n *near, err error) {
	f.c.counters.retries.Add(1)
	pause := changingPause
	if !isChanging(err) {
		pause = min(20*time.Millisecond<<min(n.tries, 10), time.Second)
		f.c.cfg.Logger.Debug("timer is fired again", "key", n.timer.Key, "after", pause, "error", err)
	}
	n.tries++
	f.clock.Schedule(pause, func() { f.due.put(n) })
}
