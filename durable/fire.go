package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
)

const (
	maxFiring      = 2048            // unanswered messages to the server
	publishTimeout = 2 * time.Second // after which an answer counts as lost
	maxQueued      = 1 << 16         // due timers waiting to be sent, before reading pauses
)

// near is a timer in memory.
type near struct {
	// Fixed.
	p     *partition
	timer Timer

	// Guarded by the partition.
	handle driver.Handle
	scan   uint64 // the last scan of the partition that found the timer
	looked bool   // its time zone

	// Used to fire it, by one goroutine at a time.
	next  time.Time // Every: the run after this one, or zero if this is the last
	moves bool      // Every: this run is stored or skipped, and the timer must move to next
	last  bool      // Every: next is the last of missed runs
	asked bool      // Every: next is known
}

type sentNear struct {
	*near
	jetstream.PubAckFuture
}

// fireDue fires due timers until ctx ends: it sends them to the server and receives the answers. Timers without an
// answer by then may have fired or not.
func (w *worker) fireDue(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var answers sync.WaitGroup
	defer answers.Wait()
	defer cancel() // otherwise a panic would wait for the answers forever
	answers.Go(func() {
		for {
			var s sentNear
			select {
			case s = <-w.sent:
			case <-ctx.Done():
				return
			}
			select {
			case <-s.Ok():
				w.accepted(s.near)
			case err := <-s.Err():
				w.refused(s.near, err)
			case <-ctx.Done():
				return
			}
			w.flying.Add(-1)
		}
	})
	for {
		batch, err := w.due.take(ctx)
		if err != nil {
			return
		}
		waits := false
		if w.lost.Load() { // all wait for the last answer, and go on in order
			waits = w.flying.Load() > 0
			w.lost.Store(waits)
			batch = append(batch, w.late.now()...)
		}
		slices.SortStableFunc(batch, byDeadline)
		for _, n := range batch {
			if ctx.Err() != nil {
				return
			}
			if n != nil && waits {
				w.wait(n)
			} else if n != nil {
				w.fire(ctx, n)
			}
			w.silent.Store(0)
		}
	}
}

// byDeadline compares timers that are due. A probe comes first.
func byDeadline(a, b *near) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.timer.Deadline.Compare(b.timer.Deadline)
}

// probe is called each second. It sends a probe the way of a timer that is due, unless one is on its way.
func (w *worker) probe() {
	if w.silent.Add(1) == 1 {
		w.clock.Schedule(0, func() { w.due.put(nil) })
	}
}

// stalled reports whether neither a timer nor a probe got through for stallTime. Calls of probe are counted, so that a
// process that was suspended does not seem stalled.
func (w *worker) stalled() bool { return w.silent.Load() > int32(stallTime/time.Second) }

const stallTime = 10 * time.Second

// fire sends the message that fires n, unless the timer has changed.
func (w *worker) fire(ctx context.Context, n *near) {
	now := w.cfg.Now()
	if !n.asked {
		if right := n.timer.rightRun(); !right.Equal(n.timer.Deadline) {
			n.next, n.moves, n.asked = right, true, true
		}
	}
	if !n.p.due(n, now) {
		return
	}
	m := w.message(n, now)
	if m == nil {
		return
	}
	if !n.moves { // a move makes as much room as it takes
		size := 20 + 2*len(n.timer.Key) // more than the timer
		if !n.next.IsZero() {
			size = m.Size() // the timer stays
		}
		if w.room.Add(-int64(size))+int64(size) <= 0 {
			poke(w.tight)
			w.again(n, ErrFull)
			return
		}
	}
	future, err := w.js.PublishMsgAsync(m)
	if err != nil {
		w.refused(n, err)
		return
	}
	w.flying.Add(1)
	select {
	case w.sent <- sentNear{n, future}:
	case <-ctx.Done():
	}
}

// message returns the message to store next, or nil if the timer waits. The server stores the message only if the
// timer still has its revision.
func (w *worker) message(n *near, now time.Time) *nats.Msg {
	l, t := w.layout, n.timer
	if t.Cron != "" && !n.asked {
		fires, next, err := w.nextRun(t.Cron, t.Missed, t.last, t.Deadline, now)
		if year := next.UTC().Year(); err == nil && year > lastYear { // the clock is wrong
			err = fmt.Errorf("the next run is in the year %d: want %d at most", year, lastYear)
		}
		if err != nil {
			return w.unreadable(n, err)
		}
		n.next, n.moves, n.asked, n.last = next, !fires, true, !fires && !next.After(now)
	}
	if n.moves {
		return w.changed(t, n.next, n.last, "")
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
func (w *worker) changed(t Timer, deadline time.Time, last bool, text string) *nats.Msg {
	l := w.layout
	t.moved = t.moved && deadline.Equal(t.Deadline) // it is just the error that changes
	t.Deadline, t.last, t.Error = deadline, last, text
	m := l.message(t)
	l.expect(m, t.Key, t.Revision)
	return m
}

// unreadablePause is the pause before a worker computes the next run of a timer again that it could not compute.
const unreadablePause = time.Minute

// unreadable keeps a timer whose next run cannot be computed, for example because the machine does not know its time
// zone, and computes the run again after a pause. The first worker stores the error with the timer.
func (w *worker) unreadable(n *near, err error) *nats.Msg {
	first := n.p.cannotRead(n, err)
	if n.timer.Error == "" {
		n.moves = true
		return w.changed(n.timer, n.timer.Deadline, n.timer.last, err.Error())
	}
	level := slog.LevelDebug
	if first {
		level = slog.LevelError
	}
	w.cfg.Logger.Log(context.Background(), level, "the next run of a timer cannot be computed: it is tried again",
		"key", n.timer.Key, "after", unreadablePause, "error", err)
	w.clock.Schedule(unreadablePause, func() { w.due.put(n) })
	return nil
}

func (w *worker) accepted(n *near) {
	if n.moves {
		n.p.drop(n)
		return
	}
	w.counters.fired.Add(1)
	if n.next.IsZero() {
		n.p.drop(n)
		return
	}
	n.moves = true
	w.due.put(n)
}

// refused handles an error of the server, or a missing answer. If the server did store the
// message, it refuses the next one because the timer is gone.
func (w *worker) refused(n *near, err error) {
	switch {
	case isChanged(err):
		n.p.drop(n)
	case hasCode(err, server.JSMessageSchedulesSchedulerInvalidErr) || isTooLarge(err):
		// No client has stored this timer, or the limit was larger then. It stays in the stream.
		w.setAside("timer", fmt.Errorf("key %q: %w", n.timer.Key, err))
		n.p.drop(n)
	default:
		w.again(n, err)
	}
}

const againStep = 250 * time.Millisecond

// wait makes n due again at the same time as all others that wait.
func (w *worker) wait(n *near) {
	if w.late.put(n) == 1 {
		w.clock.Schedule(againStep, func() { w.due.put(w.late.now()...) })
	}
}

// again fires n again after a pause.
func (w *worker) again(n *near, err error) {
	if isChanging(err) {
		w.clock.Schedule(changingPause, func() { w.due.put(n) })
		return
	}
	w.cfg.Logger.Debug("firing a timer is tried again", "key", n.timer.Key, "after", againStep, "error", err)
	if api := new(jetstream.APIError); !errors.As(err, &api) && !errors.Is(err, ErrFull) {
		w.lost.Store(true)
	}
	w.wait(n)
}
