package durable

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
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
	last  bool      // Every: next is the last of missed runs
	asked bool      // Every: next is known
}

// firing fires due timers: it sends them to the server and receives the answers.
type firing struct {
	c       *Client
	due     *queue[*near] // nil is a probe
	sent    chan sentNear
	clock   *driver.Driver
	nextRun func(spec string, missed driver.Missed, last bool, deadline, now time.Time) (bool, time.Time, error)
	silent  atomic.Int32 // probes since the firing last got on
}

type sentNear struct {
	*near
	jetstream.PubAckFuture
}

func newFiring(c *Client, clock *driver.Driver) *firing {
	return &firing{c: c, due: newQueue[*near](), sent: make(chan sentNear, maxFiring), clock: clock, nextRun: cron.NextRun}
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
			if n != nil {
				f.fire(ctx, n)
			}
			f.silent.Store(0)
		}
	}
}

// probe is called each second. It sends a probe the way of a timer that is due, unless one is on its way.
func (f *firing) probe() {
	if f.silent.Add(1) == 1 {
		f.clock.Schedule(0, func() { f.due.put(nil) })
	}
}

// stalled reports whether neither a timer nor a probe got through for stallTime. Calls of probe are counted, so that a
// process that was suspended does not seem stalled.
func (f *firing) stalled() bool { return f.silent.Load() > int32(stallTime/time.Second) }

const stallTime = 10 * time.Second

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
	m := f.message(n, now)
	if m == nil {
		return
	}
	future, err := f.c.js.PublishMsgAsync(m)
	if err != nil {
		f.refused(n, err)
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

// message returns the message to store next, or nil if the timer waits. The server stores the message only if the
// timer still has its revision.
func (f *firing) message(n *near, now time.Time) *nats.Msg {
	l, t := f.c.layout, n.timer
	if t.Cron != "" && !n.asked {
		fires, next, err := f.nextRun(t.Cron, t.Missed, t.last, t.Deadline, now)
		if year := next.UTC().Year(); err == nil && year > lastYear { // the clock is wrong
			err = fmt.Errorf("the next run is in the year %d: want %d at most", year, lastYear)
		}
		if err != nil {
			return f.unreadable(n, err)
		}
		n.next, n.moves, n.asked, n.last = next, !fires, true, !fires && !next.After(now)
	}
	if n.moves {
		return f.changed(t, n.next, n.last, "")
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
	return m
}

// changed returns the message that stores t with other values.
func (f *firing) changed(t Timer, deadline time.Time, last bool, text string) *nats.Msg {
	l := f.c.layout
	t.removed, t.Deadline, t.last, t.Error = t.removal(), deadline, last, text
	m := l.message(t)
	l.expect(m, t.Key, t.Revision)
	return m
}

// unreadablePause is the pause before a worker computes the next run of a timer again that it could not compute.
const unreadablePause = time.Minute

// unreadable keeps a timer whose next run cannot be computed, for example because the machine does not know its time
// zone, and computes the run again after a pause. The first worker stores the error with the timer.
func (f *firing) unreadable(n *near, err error) *nats.Msg {
	first := n.p.cannotRead(n, err)
	if n.timer.Error == "" {
		n.moves = true
		return f.changed(n.timer, n.timer.Deadline, n.timer.last, err.Error())
	}
	level := slog.LevelDebug
	if first {
		level = slog.LevelError
	}
	f.c.cfg.Logger.Log(context.Background(), level, "the next run of a timer cannot be computed: it is tried again",
		"key", n.timer.Key, "after", unreadablePause, "error", err)
	f.clock.Schedule(unreadablePause, func() { f.due.put(n) })
	return nil
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
	// No client has stored this timer, or the limit was larger then.
	if hasCode(err, server.JSMessageSchedulesSchedulerInvalidErr) || isTooLarge(err) {
		f.leave(n, err)
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
