package durable

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
	Lateness time.Duration // from the deadline until this attempt, by the clock of the worker that handles it
	Attempt  int           // 1 for the first
	ID       string        // the same for each attempt, and for no other deadline or key
}

// worker calls a handler with what has fired.
type worker struct {
	c      *Client
	handle func(context.Context, Fired) error
	room   chan struct{} // has a token for each handler that runs
	remove *remover

	mu   sync.Mutex
	held map[jetstream.Msg]struct{} // those that the server is to give to nobody else
}

// work handles what has fired until ctx ends.
func (c *Client) work(ctx context.Context, remove *remover, handle func(context.Context, Fired) error) error {
	w := &worker{c: c, handle: handle, room: make(chan struct{}, c.cfg.Concurrency), held: make(map[jetstream.Msg]struct{}),
		remove: remove}
	info := c.consumer.CachedInfo()
	// What handlers have is held until they return, which may be after the end of ctx.
	holdCtx, release := context.WithCancel(context.WithoutCancel(ctx))
	var holding sync.WaitGroup
	holding.Go(func() { w.hold(holdCtx, info.Config.AckWait/4) })
	defer holding.Wait()
	defer release()
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range fetchers {
		wg.Go(func() {
			if err := w.fetch(ctx, &wg); err != nil {
				cancel(err)
			}
		})
	}
	<-ctx.Done()
	if err := context.Cause(ctx); errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) {
		return err
	}
	return nil
}

const fetchers = 2 // requests for what has fired at a time

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
		batch, err := w.c.consumer.Fetch(size, jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(pullHeartbeat))
		if err == nil {
			for m := range batch.Messages() {
				w.take(m)
				wg.Go(func() { w.process(ctx, m) })
			}
			err = batch.Error()
		}
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted):
			return err
		default:
			w.c.cfg.Logger.Debug("getting what has fired is tried again", "error", err)
			_ = sleep(ctx, 100*time.Millisecond) // ctx is asked next
		}
	}
}

// process handles m once there is room.
func (w *worker) process(ctx context.Context, m jetstream.Msg) {
	select {
	case w.room <- struct{}{}:
	case <-ctx.Done():
		w.give(m)
		w.tell(m.Nak())
		return
	}
	defer func() { <-w.room }()
	returned := w.attempt(ctx, m)
	w.give(m)
	<-returned
}

func (w *worker) take(m jetstream.Msg) {
	w.mu.Lock()
	w.held[m] = struct{}{}
	w.mu.Unlock()
}

func (w *worker) give(m jetstream.Msg) {
	w.mu.Lock()
	delete(w.held, m)
	w.mu.Unlock()
}

// hold tells the server, now and then, that this worker still has what it has taken.
func (w *worker) hold(ctx context.Context, pause time.Duration) {
	for sleep(ctx, pause) == nil {
		w.mu.Lock()
		held := make([]jetstream.Msg, 0, len(w.held))
		for m := range w.held {
			held = append(held, m)
		}
		w.mu.Unlock()
		for _, m := range held {
			if err := m.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
				w.c.cfg.Logger.Debug("holding what has fired", "error", err)
			}
		}
	}
}

// nothing is what to wait for where no handler runs.
var nothing = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// attempt handles m once and tells the server what has come of it. What it returns
// is closed when the handler has returned, which may be later.
func (w *worker) attempt(ctx context.Context, m jetstream.Msg) (returned <-chan struct{}) {
	c := w.c
	key, deadline, ok := c.layout.parseDone(m.Subject())
	meta, err := m.Metadata()
	var h handled
	if err == nil {
		h, err = parseHandled(m)
	}
	if !ok || err != nil {
		c.cfg.Logger.Error("message that is not a timer is taken out", "subject", m.Subject(), "error", err)
		w.tell(m.Term())
		return nothing
	}
	f := Fired{Key: key, Payload: m.Data(), Deadline: time.Unix(0, deadline), Attempt: int(meta.NumDelivered), ID: id(key, deadline)}
	f.Lateness = c.cfg.Now().Sub(f.Deadline)
	removed, err := c.removedNow(ctx, anyAge)
	for err != nil && sleep(ctx, w.c.cfg.AckWait/4) == nil { // it is not an attempt yet
		removed, err = c.removedNow(ctx, anyAge)
	}
	if err != nil {
		w.tell(m.Nak())
		return nothing
	}
	if removed.hasRevision(h.revision) { // it has been handled, and came back
		w.done(m, h)
		return nothing
	}
	if f.Attempt > c.cfg.MaxAttempts { // the last one ended with its worker
		w.bury(ctx, m, h, f, errors.New("the worker died"))
		return nothing
	}
	returned, err = w.call(ctx, f)
	switch {
	case err == nil:
		c.counters.handled.Add(1)
		w.done(m, h)
	case ctx.Err() != nil: // it may not be the timer's fault
		w.tell(m.Nak())
	case f.Attempt >= c.cfg.MaxAttempts:
		c.counters.failed.Add(1)
		w.bury(ctx, m, h, f, err)
	default:
		c.counters.failed.Add(1)
		c.cfg.Logger.Debug("handler has failed", "key", key, "attempt", f.Attempt, "error", err)
		w.tell(m.NakWithDelay(c.cfg.Backoff(f.Attempt)))
	}
	return returned
}

// call calls the handler, and returns an error if it does not return in time.
// returned is closed when it has returned.
func (w *worker) call(ctx context.Context, f Fired) (returned <-chan struct{}, err error) {
	timeout := w.c.cfg.HandlerTimeout
	ctx, cancel := context.WithTimeout(ctx, timeout)
	result := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				result <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		result <- w.handle(ctx, f)
	}()
	// Not the end of ctx: a handler may bring to its end what it does.
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case err := <-result:
		return done, err
	case <-late.C:
		return done, fmt.Errorf("the handler has not returned after %v", timeout)
	}
}

// bury makes a dead letter of m.
func (w *worker) bury(ctx context.Context, m jetstream.Msg, h handled, f Fired, cause error) {
	if err := w.c.writeDead(ctx, f, cause); err != nil {
		w.c.cfg.Logger.Warn("writing a dead letter is tried again", "key", f.Key, "error", err)
		w.tell(m.NakWithDelay(time.Second))
		return
	}
	w.c.counters.dead.Add(1)
	w.done(m, h)
}

// done tells the server that m need not be handled any more.
func (w *worker) done(m jetstream.Msg, h handled) {
	if err := m.Ack(); err != nil {
		w.tell(err)
		return
	}
	h.at = time.Now()
	w.remove.put(h)
}

// tell takes the error of an answer to the server. If it is lost the timer is handled
// again.
func (w *worker) tell(err error) {
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		w.c.cfg.Logger.Debug("answer about what has fired", "error", err)
	}
}
