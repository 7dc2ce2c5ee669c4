package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Fired is a timer that has fired, as its handler gets it.
type Fired struct {
	Key      string
	Payload  []byte
	Deadline time.Time
	Limits   // its own, if it has any
	// from the deadline until this attempt, by the clock of the worker that handles it
	Lateness time.Duration
	Attempt  int    // 1 for the first
	ID       string // the same for each attempt, and for no other deadline or key
}

// Permanent returns err for a handler to return where another attempt is of no use: the timer
// becomes a dead letter at once.
func Permanent(err error) error { return wrapFailure(-1, err) }

// RetryAfter returns err for a handler to return: the next attempt is after d, and not after
// the pause of Config.Backoff. It counts among MaxAttempts as any other. Until then the timer
// is one of the 32,768 that all workers together have in hand: set another one for long pauses.
func RetryAfter(d time.Duration, err error) error { return wrapFailure(max(d, 0), err) }

// failure is an error of a handler that says what is to follow.
type failure struct {
	error
	after time.Duration // or -1: nothing
}

func wrapFailure(after time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, after}
}

// Unwrap returns the error that the handler had.
func (f failure) Unwrap() error { return f.error }

// parseFired returns what is stored in m, of a timer that has fired. It has the number of the
// delivery as its attempt.
func (c *Client) parseFired(m message) (f Fired, err error) {
	key, deadline, ok := c.layout.parseFired(m.Subject())
	if !ok {
		return f, fmt.Errorf("subject %q is not that of a timer that has fired", m.Subject())
	}
	f = Fired{Key: key, Payload: m.Data(), Deadline: time.Unix(0, deadline),
		Attempt: int(m.NumDelivered), ID: id(key, deadline)}
	f.Lateness = c.cfg.Now().Sub(f.Deadline)
	f.Limits, err = readLimits(m.Headers())
	return f, err
}

// worker calls a handler with what has fired.
type worker struct {
	c      *Client
	handle func(context.Context, Fired) error
	room   chan struct{} // has a token for each handler that runs
	remove remover

	mu   sync.Mutex
	held map[jetstream.Msg]struct{} // those that the server is to give to nobody else
}

// work handles what has fired until ctx ends. It returns an error if there is no consumer any more.
func (c *Client) work(ctx context.Context, remove remover,
	handle func(context.Context, Fired) error) error {
	w := &worker{c: c, handle: handle, room: make(chan struct{}, c.cfg.Concurrency), remove: remove,
		held: make(map[jetstream.Msg]struct{})}
	// What handlers have is held until they return, which may be after the end of ctx.
	holdCtx, release := context.WithCancel(context.WithoutCancel(ctx))
	var holding, wg sync.WaitGroup
	defer holding.Wait()
	defer release()
	holding.Go(func() { w.hold(holdCtx, c.consumer.CachedInfo().Config.AckWait/4) })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range fetchers {
		wg.Go(func() { cancel(w.fetch(ctx, &wg)) })
	}
	wg.Wait()
	if err := context.Cause(ctx); isGone(err) {
		return err
	}
	return nil
}

const fetchers = 2 // requests for what has fired at a time

func isGone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrConsumerDeleted)
}

// fetch asks for what has fired again and again, and hands it to handlers.
func (w *worker) fetch(ctx context.Context, wg *sync.WaitGroup) error {
	size := min(max(w.c.cfg.Concurrency/2, 1), 256)
	for {
		select { // those of the last request do not wait any more, or few do
		case w.room <- struct{}{}:
			<-w.room
		case <-ctx.Done():
			return nil
		}
		batch, err := w.c.consumer.Fetch(size, jetstream.FetchContext(ctx),
			jetstream.FetchHeartbeat(signOfLife))
		if err == nil {
			for m := range batch.Messages() {
				w.hand(m, true)
				wg.Go(func() { w.process(ctx, m) })
			}
			err = batch.Error()
		}
		switch {
		case err == nil || ctx.Err() != nil:
		case isGone(err):
			return err
		default:
			w.c.cfg.Logger.Debug("getting what has fired is tried again", "error", err)
			_ = sleep(ctx, 100*time.Millisecond) // ctx is asked next
		}
	}
}

// hand takes note of whether m is in hand.
func (w *worker) hand(m jetstream.Msg, held bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if held {
		w.held[m] = struct{}{}
	} else {
		delete(w.held, m)
	}
}

// hold tells the server, now and then, that this worker still has what is in hand.
func (w *worker) hold(ctx context.Context, pause time.Duration) {
	for sleep(ctx, pause) == nil {
		w.mu.Lock()
		held := slices.Collect(maps.Keys(w.held))
		w.mu.Unlock()
		for _, m := range held {
			if err := m.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
				w.c.cfg.Logger.Debug("holding what has fired", "error", err)
			}
		}
	}
}

// process handles m once there is room. It returns when the handler has.
func (w *worker) process(ctx context.Context, raw jetstream.Msg) {
	defer w.hand(raw, false)
	select {
	case w.room <- struct{}{}:
		defer func() { <-w.room }()
	case <-ctx.Done():
		w.tell(raw.Nak())
		return
	}
	c := w.c
	removed, err := c.removedNow(ctx, anyAge)
	for err != nil && sleep(ctx, c.cfg.AckWait/4) == nil { // it is not an attempt yet
		removed, err = c.removedNow(ctx, anyAge)
	}
	if err != nil {
		w.tell(raw.Nak())
		return
	}
	m, err := withMetadata(raw)
	var s spent
	var f Fired
	if err == nil {
		s, err = spentMessage(m)
	}
	if err == nil {
		f, err = c.parseFired(m)
	}
	if err != nil {
		c.cfg.Logger.Error("message that is not a timer is taken out",
			"subject", raw.Subject(), "error", err)
		w.tell(raw.Term())
		return
	}
	switch {
	case removed.hasRevision(s.revision): // it has been handled, and came back
		w.done(ctx, m, s)
	case f.Attempt > w.attempts(f): // the last one ended with its worker
		w.bury(ctx, m, s, f, errors.New("the worker died"))
	default:
		w.attempt(ctx, m, s, f)
	}
}

func (w *worker) attempts(f Fired) int { return cmp.Or(f.MaxAttempts, w.c.cfg.MaxAttempts) }

func (w *worker) timeout(f Fired) time.Duration {
	return cmp.Or(f.Timeout, w.c.cfg.HandlerTimeout)
}

func (w *worker) attempt(ctx context.Context, m message, s spent, f Fired) {
	timeout := w.timeout(f)
	var once sync.Once
	settle := func(err error) {
		once.Do(func() {
			w.settle(ctx, m, s, f, err)
			w.hand(m.Msg, false)
		})
	}
	// Not the end of ctx: a handler may bring to its end what it does.
	late := time.AfterFunc(timeout, func() {
		settle(fmt.Errorf("the handler has not returned after %v", timeout))
	})
	defer late.Stop()
	if f.Attempt == 1 {
		w.c.counters.late.add(f.Lateness)
	}
	begin := time.Now()
	err := w.call(ctx, f)
	w.c.counters.took.add(time.Since(begin))
	settle(err)
}

func (w *worker) call(ctx context.Context, f Fired) (err error) {
	ctx, cancel := context.WithTimeout(ctx, w.timeout(f))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return w.handle(ctx, f)
}

// settle tells the server what has come of an attempt.
func (w *worker) settle(ctx context.Context, m message, s spent, f Fired, err error) {
	c := w.c
	if err == nil {
		c.counters.handled.Add(1)
		w.done(ctx, m, s)
		return
	}
	if ctx.Err() != nil { // it may not be the timer's fault
		w.tell(m.Nak())
		return
	}
	c.counters.failed.Add(1)
	var told failure
	says := errors.As(err, &told)
	if f.Attempt >= w.attempts(f) || says && told.after < 0 {
		w.bury(ctx, m, s, f, err)
		return
	}
	if !says {
		told.after = c.cfg.Backoff(f.Attempt)
	}
	c.cfg.Logger.Debug("handler has failed", "key", f.Key, "attempt", f.Attempt, "error", err)
	w.tell(m.NakWithDelay(told.after))
}

func (w *worker) bury(ctx context.Context, m message, s spent, f Fired, cause error) {
	if err := w.c.writeDead(ctx, f, cause); err != nil {
		w.c.cfg.Logger.Warn("writing a dead letter is tried again", "key", f.Key, "error", err)
		w.tell(m.NakWithDelay(time.Second))
		return
	}
	w.c.counters.dead.Add(1)
	w.done(ctx, m, s)
}

// done tells the server that m need not be handled any more.
func (w *worker) done(ctx context.Context, m message, s spent) {
	if err := m.Ack(); err != nil {
		w.tell(err)
		return
	}
	s.at = time.Now()
	w.remove.put(s)
	w.remove.wait(ctx, maxRemoved)
}

// tell takes the error of an answer to the server. If it is lost the timer is handled
// again.
func (w *worker) tell(err error) {
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		w.c.cfg.Logger.Debug("answer about what has fired", "error", err)
	}
}
