package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
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
	Limits                 // the timer's own limits, if any
	Lateness time.Duration // from the deadline to this attempt, by the clock of the worker
	Attempt  int           // 1 for the first call of a handler
	ID       string        // names the key and the deadline; the same for each attempt
}

// Permanent wraps an error that a handler returns when another attempt is useless: the timer
// becomes a dead letter at once.
func Permanent(err error) error { return wrapFailure(-1, err) }

// RetryAfter wraps an error that a handler returns, and makes the next attempt start after d, up to 100 years, instead
// of the pause of Config.Backoff. The attempt counts toward MaxAttempts. A timer that waits for its next attempt is
// one of the 32,768 that all workers together may hold: for a long pause set another timer.
func RetryAfter(d time.Duration, err error) error { return wrapFailure(max(d, 0), err) }

// failure is an error of a handler that decides when the next attempt is.
type failure struct {
	error
	after time.Duration // or -1: never
}

func wrapFailure(after time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return failure{err, after}
}

// Unwrap returns the error of the handler.
func (f failure) Unwrap() error { return f.error }

// parseFired returns the timer that has fired and is stored in m. With an error it still
// returns the timer of the subject and the body, or a timer without a key.
func (c *Client) parseFired(m message) (f Fired, err error) {
	key, deadline, ok := c.layout.parseFired(m.Subject())
	if !ok {
		return f, fmt.Errorf("message %d: subject %q is not that of a timer that has fired", m.revision(), m.Subject())
	}
	f = Fired{Key: key, Payload: m.Data(), Deadline: time.Unix(0, deadline), ID: id(key, deadline)}
	f.Lateness = c.cfg.Now().Sub(f.Deadline)
	f.Limits, err = readLimits(m.Headers())
	return f, err
}

// handler calls the function of Serve with timers that have fired.
//
// It counts the calls, because a delivery need not lead to one: the server counts deliveries that were lost
// with a connection, or came while the worker was ending. The first delivery is the first call, so that most
// timers cost no message more. If it led to no call, the worker stores that in a tally. Later deliveries read
// the tally, and store it before they call. So a call that kills its worker counts; and a timer whose first
// delivery was lost loses one attempt, but not its last one.
type handler struct {
	w    *worker
	call func(context.Context, Fired) error
	room chan struct{} // holds a token for each delivery that is asked for or handled

	mu   sync.Mutex
	held map[jetstream.Msg]struct{} // deliveries that no other worker may get
}

// delivery is a timer that the worker has been given.
type delivery struct {
	message
	spent
	Fired
	tally  uint64 // the revision of its tally, or 0
	counts bool   // the tally includes this delivery
}

// handleFired handles what has fired until ctx ends. It returns an error if the consumer is gone.
func (w *worker) handleFired(ctx context.Context, handle func(context.Context, Fired) error) error {
	h := &handler{w: w, call: handle, room: make(chan struct{}, w.cfg.Concurrency), held: make(map[jetstream.Msg]struct{})}
	// Handlers hold their timers until they return, which may be after the end of ctx.
	holdCtx, release := context.WithCancel(context.WithoutCancel(ctx))
	var holding, wg sync.WaitGroup
	defer holding.Wait()
	defer release()
	holding.Go(func() { h.hold(holdCtx) })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wg.Go(func() { cancel(h.fetch(ctx, &wg)) })
	wg.Wait()
	if err := context.Cause(ctx); isGone(err) {
		return err
	}
	return nil
}

// maxFetched is how many fired timers one request asks for. There is one request at a time, because the server deals out
// timers among requests, and so would lose their order.
const maxFetched = 256

func isGone(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted)
}

// fetch asks for fired timers, for as many as there is room for, and passes each one that comes to a goroutine. The
// calls of the handler begin in the order in which the timers come.
func (h *handler) fetch(ctx context.Context, wg *sync.WaitGroup) error {
	most := min(h.w.cfg.Concurrency, maxFetched)
	jobs := make(chan func()) // to goroutines whose stacks have grown already
	defer close(jobs)
	before := make(chan struct{}) // closed when the calls so far have begun
	close(before)
	for {
		size := h.take(ctx, most)
		if size == 0 {
			return nil
		}
		batch, err := h.w.consumer.Fetch(size, jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(signOfLife))
		if err == nil {
			for m := range batch.Messages() {
				size--
				h.hand(m, true)
				earlier, mine := before, make(chan struct{})
				before = mine
				begin := sync.OnceFunc(func() { <-earlier; close(mine) })
				job := func() {
					defer func() { <-h.room }()
					defer h.hand(m, false)
					defer begin() // if there is no call
					h.process(ctx, m, begin)
				}
				select {
				case jobs <- job:
				default:
					wg.Go(func() {
						for ok := true; ok; job, ok = <-jobs {
							job()
						}
					})
				}
			}
			err = batch.Error()
		}
		for range size {
			<-h.room
		}
		switch {
		case err == nil || ctx.Err() != nil:
		case isGone(err):
			return err
		default:
			h.w.cfg.Logger.Debug("getting what has fired is tried again", "error", err)
			_ = sleep(ctx, 100*time.Millisecond) // take looks at ctx
		}
	}
}

// take waits for room, and takes the room for at most n timers. It returns 0 when ctx ends.
func (h *handler) take(ctx context.Context, n int) (size int) {
	select {
	case h.room <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for size = 1; size < n; size++ {
		select {
		case h.room <- struct{}{}:
		default:
			return size
		}
	}
	return size
}

// hand notes whether m is held.
func (h *handler) hand(m jetstream.Msg, held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held {
		h.held[m] = struct{}{}
	} else {
		delete(h.held, m)
	}
}

// hold tells the server, four times per AckWait, that this worker is still handling its timers.
func (h *handler) hold(ctx context.Context) {
	for sleep(ctx, h.w.consumer.CachedInfo().Config.AckWait/4) == nil {
		h.mu.Lock()
		held := slices.Collect(maps.Keys(h.held))
		h.mu.Unlock()
		for _, m := range held {
			if err := m.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
				h.w.cfg.Logger.Debug("holding what has fired", "error", err)
			}
		}
	}
}

// process handles a delivery. It calls begin just before the handler, and returns when the handler has.
func (h *handler) process(ctx context.Context, raw jetstream.Msg, begin func()) {
	d, err := h.read(raw)
	if err != nil {
		h.w.setAside("fired timer", err)
		if d.Key == "" {
			h.tell(raw.Term()) // nothing is known that could be handled
		} else {
			h.bury(ctx, d, err)
		}
		return
	}
	if d.partition >= 0 {
		var removed *removedSet
		removed, err = h.w.removedNow(ctx, d.partition, anyAge)
		if err == nil && removed.has(removal{revision: d.spent.revision}) { // it was handled, and came back
			h.done(ctx, d)
			return
		}
	}
	if err == nil && ctx.Err() == nil {
		err = h.count(ctx, &d)
	}
	switch {
	case err != nil || ctx.Err() != nil:
		h.giveBack(ctx, d, err)
	case d.Attempt > h.attempts(d.Fired): // which there were
		d.Attempt--
		h.bury(ctx, d, errors.New("the worker died, or could not store the error"))
	default:
		begin()
		h.attempt(ctx, d)
	}
}

// read returns the timer of a delivery. With an error its key may be missing.
func (h *handler) read(raw jetstream.Msg) (d delivery, err error) {
	if d.message, err = withMetadata(raw); err != nil {
		return d, err
	}
	d.spent = h.w.layout.spentMessage(d.message)
	d.Fired, err = h.w.parseFired(d.message)
	return d, err
}

// count sets the number of the attempt, and stores it unless this is the first delivery.
func (h *handler) count(ctx context.Context, d *delivery) error {
	d.Attempt = 1
	if d.NumDelivered == 1 {
		return nil
	}
	calls, err := h.calls(ctx, d)
	if err != nil {
		return err
	}
	d.Attempt += calls
	if d.tally > 0 && calls >= h.attempts(d.Fired) {
		return nil // there is no further call
	}
	return h.storeTally(ctx, d, d.Attempt)
}

// calls returns the number of calls so far. Without a tally the first delivery was one.
func (h *handler) calls(ctx context.Context, d *delivery) (int, error) {
	m, err := h.w.last(ctx, h.w.layout.tally(d.spent.revision))
	if errors.Is(err, nats.ErrMsgNotFound) {
		return min(1, h.attempts(d.Fired)-1), nil
	}
	if err != nil {
		return 0, err
	}
	n, err := parseNumber(string(m.Data), 0, math.MaxInt32)
	if err != nil { // it is written anew
		h.w.setAside("tally", fmt.Errorf("message %d: %w", m.Sequence, err))
		return min(1, h.attempts(d.Fired)-1), nil
	}
	d.tally = m.Sequence
	return int(n), nil
}

func (h *handler) storeTally(ctx context.Context, d *delivery, calls int) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	ack, err := h.w.js.PublishMsg(ctx, newMessage(h.w.layout.tally(d.spent.revision), strconv.AppendInt(nil, int64(calls), 10)))
	if err == nil {
		d.tally, d.counts = ack.Sequence, true
	}
	return err
}

// giveBack makes the server deliver d again, after a pause if there was an error. If this delivery counts as a call
// so far, that is taken back.
func (h *handler) giveBack(ctx context.Context, d delivery, err error) {
	if d.NumDelivered == 1 || d.counts {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
		defer cancel()
		if err := h.storeTally(ctx, &d, max(d.Attempt-1, 0)); err != nil {
			h.w.cfg.Logger.Debug("an attempt without a call is counted", "key", d.Key, "error", err)
		}
	}
	if err == nil || ctx.Err() != nil {
		h.tell(d.Nak())
		return
	}
	h.w.cfg.Logger.Debug("a fired timer is delivered again", "key", d.Key, "after", givePause, "error", err)
	h.tell(d.NakWithDelay(givePause))
}

const (
	givePause = time.Second      // after an error about a fired timer
	buryPause = 10 * time.Second // after an error about a dead letter
	leftPause = time.Hour        // the same, if the dead letter is too large
)

func (h *handler) attempts(f Fired) int {
	return min(cmp.Or(f.MaxAttempts, h.w.cfg.MaxAttempts), math.MaxInt32)
}

func (h *handler) timeout(f Fired) time.Duration {
	return cmp.Or(f.Timeout, h.w.cfg.HandlerTimeout)
}

func (h *handler) attempt(ctx context.Context, d delivery) {
	timeout := h.timeout(d.Fired)
	var once sync.Once
	settle := func(err error) {
		once.Do(func() {
			h.settle(ctx, d, err)
			h.hand(d.Msg, false)
		})
	}
	// A handler has its whole timeout even if ctx ends: it may finish what it does.
	late := time.AfterFunc(timeout, func() {
		if h.w.overdue.Add(1) == 1 {
			h.w.cfg.Logger.Error("a handler has not returned in time", "key", d.Key, "timeout", timeout)
		}
		settle(fmt.Errorf("the handler has not returned after %v", timeout))
	})
	defer func() {
		if !late.Stop() {
			h.w.overdue.Add(-1)
		}
	}()
	if d.Attempt == 1 {
		h.w.counters.late.add(d.Lateness)
	}
	begin := time.Now()
	err := h.safely(ctx, d.Fired)
	h.w.counters.took.add(time.Since(begin))
	settle(err)
}

func (h *handler) safely(ctx context.Context, f Fired) (err error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout(f))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return h.call(ctx, f)
}

// settle tells the server the result of an attempt.
func (h *handler) settle(ctx context.Context, d delivery, err error) {
	if err == nil {
		h.w.counters.handled.Add(1)
		h.done(ctx, d)
		return
	}
	if ctx.Err() != nil { // the end of the worker may have cut it short
		h.giveBack(ctx, d, nil)
		return
	}
	h.w.counters.failed.Add(1)
	var told failure
	says := errors.As(err, &told)
	if d.Attempt >= h.attempts(d.Fired) || says && told.after < 0 {
		h.bury(ctx, d, err)
		return
	}
	if !says {
		told.after = h.w.cfg.Backoff(d.Attempt)
	}
	h.w.cfg.Logger.Debug("handler has failed", "key", d.Key, "attempt", d.Attempt, "error", err)
	h.tell(d.NakWithDelay(min(told.after, longest)))
}

// bury writes a dead letter. If the server does not store it, the timer is delivered again after a pause, without
// another call of its handler: it must not keep one of the places of Concurrency.
func (h *handler) bury(ctx context.Context, d delivery, cause error) {
	err := h.w.writeDead(ctx, d.Fired, cause)
	for tries := 1; err != nil && !isTooLarge(err) && tries < 3 && sleep(ctx, time.Second) == nil; tries++ { // meanwhile a full store gets room
		err = h.w.writeDead(ctx, d.Fired, cause)
	}
	pause := buryPause
	switch {
	case err == nil:
		h.w.counters.dead.Add(1)
		h.done(ctx, d)
		return
	case ctx.Err() != nil:
		pause = 0
	case isTooLarge(err):
		pause = leftPause
		h.w.setAside("dead letter", fmt.Errorf("key %q: %w: its timer is left for %v; its last error: %w", d.Key, err, pause, cause))
	default:
		h.w.cfg.Logger.Warn("writing a dead letter is tried again", "key", d.Key, "after", pause, "error", err, "cause", cause)
	}
	tally, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if err := h.storeTally(tally, &d, h.attempts(d.Fired)); err != nil {
		h.w.cfg.Logger.Debug("the handler is called once more", "key", d.Key, "error", err)
	}
	h.tell(d.NakWithDelay(pause))
}

// done tells the server that d is done with, and has it removed.
func (h *handler) done(ctx context.Context, d delivery) {
	if err := d.Ack(); err != nil {
		h.tell(err)
		return
	}
	d.spent.at = time.Now()
	if d.tally > 0 {
		h.w.spent.put(spent{removal: removal{revision: d.tally}, partition: -1, at: d.spent.at})
	}
	h.w.spent.put(d.spent)
	h.w.spent.wait(ctx, maxRemoved)
}

// tell logs the error of an answer to the server. If an answer is lost the timer is handled again.
func (h *handler) tell(err error) {
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		h.w.cfg.Logger.Debug("answer about what has fired", "error", err)
	}
}
