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
	"strings"
	"sync"
	"time"
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
// of the pause of Config.Backoff. The attempt counts toward MaxAttempts.
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

// jobID names what a worker handles.
type jobID struct {
	partition int
	id        uint64
}

// job is a timer that this worker handles. The worker has it until it has read in the log that this is over.
type job struct {
	jobID
	Fired
	size     uint32 // of the payload, which may have to be read
	explicit int    // the attempt in the log: 0 for the first one
	begun    bool
	settled  bool // the result is stored
}

// jobs is what a worker handles. Calls of the handler begin in the order of the queue.
type jobs struct {
	mu    sync.Mutex
	some  sync.Cond
	ended bool
	known map[jobID]*job
	queue []*job
	calls int // jobs that have begun, and whose handlers have not returned
}

// enqueue makes e wait for a handler. If the record that says so is not new, the result may come later in the log. The
// partition is locked.
func (w *worker) enqueue(p *partition, e *entry, isNew bool) {
	j := &job{jobID: jobID{p.number, e.more.id}, size: e.size, explicit: e.more.attempts, Fired: e.fired()}
	w.jobs.mu.Lock()
	defer w.jobs.mu.Unlock()
	if known := w.jobs.known[j.jobID]; known != nil && (!isNew || !known.settled) {
		return
	}
	if w.jobs.ended {
		w.settling.Go(func() { w.back(j) })
		return
	}
	if j.explicit <= 1 {
		w.counters.fired.Add(1)
	}
	w.jobs.known[j.jobID] = j
	w.jobs.queue = append(w.jobs.queue, j)
	w.jobs.some.Signal()
}

// fired returns e as a timer that has fired.
func (e *entry) fired() Fired {
	f := Fired{Key: e.key(), Deadline: time.Unix(0, e.deadline), Limits: e.more.limits, Attempt: max(e.more.attempts, 1), ID: id(e.key(), e.deadline)}
	if e.whole() {
		f.Payload = e.payload()
	}
	return f
}

// freed is called when this worker has read that it no longer handles e.
func (p *partition) freed(e *entry) {
	j := &p.w.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.known, jobID{p.number, e.more.id})
}

// roomFor returns how many timers may fire now, and how many of other workers may be taken over.
func (w *worker) roomFor() (fire, take int) {
	w.jobs.mu.Lock()
	defer w.jobs.mu.Unlock()
	busy := len(w.jobs.queue) + int(w.flying.Load())
	// The results must have room, too.
	return min(maxWaiting, w.batch()/32) - busy, w.cfg.Concurrency - w.jobs.calls - busy
}

// handler calls the function of Serve with timers that have fired.
type handler struct {
	w       *worker
	call    func(context.Context, Fired) error
	burying sync.Mutex
}

// handleFired handles what has fired until ctx ends.
func (w *worker) handleFired(ctx context.Context, handle func(context.Context, Fired) error) {
	h := &handler{w: w, call: handle}
	stop := context.AfterFunc(ctx, func() {
		w.jobs.mu.Lock()
		defer w.jobs.mu.Unlock()
		w.jobs.ended = true
		w.jobs.some.Broadcast()
	})
	defer stop()
	var wg sync.WaitGroup
	for range min(w.cfg.Concurrency, 1<<16) {
		wg.Go(func() {
			for j := w.jobs.next(ctx, w); j != nil; j = w.jobs.next(ctx, w) {
				h.process(ctx, j)
				w.jobs.returned(w)
			}
		})
	}
	wg.Wait()
	w.release(func(*job) bool { return true })
}

// next returns the next job, or nil once ctx has ended, which the queue may not know yet.
func (q *jobs) next(ctx context.Context, w *worker) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) == 0 && !q.ended {
		q.some.Wait()
	}
	if q.ended || ctx.Err() != nil {
		return nil
	}
	j := q.queue[0]
	q.queue = q.queue[1:]
	j.begun = true
	q.calls++
	if len(q.queue) < maxWaiting/2 && w.short.Swap(false) {
		w.wake()
	}
	return j
}

// forget drops the results of a partition that are stored: whether they are in the log will be seen.
func (q *jobs) forget(partition int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.known, func(id jobID, j *job) bool { return id.partition == partition && j.settled })
}

// returned says that a handler has returned.
func (q *jobs) returned(w *worker) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls--
	if w.short.Load() && len(q.queue) == 0 {
		w.wake()
	}
}

// release gives back the jobs of the queue that is chosen: other workers may handle them at once.
func (w *worker) release(chosen func(*job) bool) {
	w.jobs.mu.Lock()
	var back []*job
	w.jobs.queue = slices.DeleteFunc(w.jobs.queue, func(j *job) bool {
		is := chosen(j)
		if is {
			back = append(back, j)
		}
		return is
	})
	w.jobs.mu.Unlock()
	for _, j := range back {
		w.back(j)
	}
}

// back gives a job back, whose attempt does not count.
func (w *worker) back(j *job) { w.write(j, record{op: opRelease, id: j.id, attempts: j.Attempt - 1}) }

func (h *handler) attempts(f Fired) int {
	return min(cmp.Or(f.MaxAttempts, h.w.cfg.MaxAttempts), math.MaxInt32)
}

func (h *handler) timeout(f Fired) time.Duration {
	return cmp.Or(f.Timeout, h.w.cfg.HandlerTimeout)
}

// process handles a job, and returns when the handler has.
func (h *handler) process(ctx context.Context, j *job) {
	if len(j.Payload) < int(j.size) {
		payload, err := h.w.payload(ctx, j)
		if err != nil { // whoever serves the partition then has another try
			h.w.cfg.Logger.Debug("reading a payload is tried again", "key", j.Key, "error", err)
			_ = sleep(ctx, time.Second) // the worker may end
			h.w.back(j)
			return
		}
		j.Payload = payload
	}
	if j.Attempt > h.attempts(j.Fired) { // which there were
		h.bury(ctx, j, j.Attempt-1, errors.New("the worker died, or could not store the error"))
		return
	}
	timeout := h.timeout(j.Fired)
	var once sync.Once
	settle := func(err error) { once.Do(func() { h.settle(ctx, j, err) }) }
	// A handler has its whole timeout even if ctx ends: it may finish what it does.
	late := time.AfterFunc(timeout, func() {
		if h.w.overdue.Add(1) == 1 {
			h.w.cfg.Logger.Error("a handler has not returned in time", "key", j.Key, "timeout", timeout)
		}
		settle(fmt.Errorf("the handler has not returned after %v", timeout))
	})
	defer func() {
		if !late.Stop() {
			h.w.overdue.Add(-1)
		}
	}()
	j.Lateness = h.w.cfg.Now().Sub(j.Deadline)
	if j.Attempt == 1 {
		h.w.counters.late.add(j.Lateness)
	}
	begin := time.Now()
	err := h.safely(ctx, j.Fired)
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

// settle writes the result of an attempt to the log.
func (h *handler) settle(ctx context.Context, j *job, err error) {
	if err == nil {
		h.w.counters.handled.Add(1)
		h.w.write(j, record{op: opDone, id: j.id})
		return
	}
	if ctx.Err() != nil { // the end of the worker may have cut it short
		h.w.back(j)
		return
	}
	h.w.counters.failed.Add(1)
	told, says := errors.AsType[failure](err)
	if j.Attempt >= h.attempts(j.Fired) || says && told.after < 0 {
		h.bury(ctx, j, j.Attempt, err)
		return
	}
	if !says {
		told.after = h.w.cfg.Backoff(j.Attempt)
	}
	h.w.cfg.Logger.Debug("handler has failed", "key", j.Key, "attempt", j.Attempt, "error", err)
	at := h.w.cfg.Now().Add(min(told.after, longest)).UnixNano()
	h.w.write(j, record{op: opRetry, id: j.id, attempts: j.Attempt, deadline: min(at, lastDeadline)})
}

// maxError is how many bytes of an error are kept.
const maxError = 1024

// clip returns text, cut to at most n bytes.
func clip(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }

// bury makes a timer a dead letter, without its error if there is no room for that.
func (h *handler) bury(ctx context.Context, j *job, attempts int, cause error) {
	rec := record{op: opBury, id: j.id, key: j.Key, payload: j.Payload, deadline: j.Deadline.UnixNano(), attempts: attempts, extra: extra{limits: j.Limits, err: clip(cause.Error(), maxError)}}
	// In a small store, one error after the other: each needs room that is there.
	if h.w.smallStore() {
		h.burying.Lock()
		defer h.burying.Unlock()
	}
	if err := h.w.claim(ctx, &h.w.errors, int64(len(rec.payload)+len(rec.err)+perLogged)); err != nil {
		rec.err = ""
	}
	h.w.counters.dead.Add(1)
	if over := h.w.write(j, rec); rec.err != "" && h.w.smallStore() {
		<-over
	}
}

// smallStore reports whether the store is too small for messages of full size.
func (w *worker) smallStore() bool { return w.batch() < maxBatch }

// write appends the record with the result of j to the log. It tries again until the worker ends. The channel is closed when
// that is over.
func (w *worker) write(j *job, rec record) <-chan struct{} {
	w.settling.Add(1)
	over := make(chan struct{})
	body := rec.append(nil)
	var put func()
	tries := 0 // after the worker has ended
	done := func(_ uint64, _ bool, err error) {
		served := w.serves(j.partition)
		w.jobs.mu.Lock()
		defer w.jobs.mu.Unlock()
		if w.jobs.ended {
			tries++
		}
		if err != nil && tries < 3 {
			w.cfg.Logger.Debug("writing the result of a handler is tried again", "key", j.Key, "error", err)
			time.AfterFunc(againStep, put)
			return
		}
		if j.settled = true; !served { // nobody will read it
			delete(w.jobs.known, j.jobID)
		}
		close(over)
		w.settling.Done()
	}
	put = func() {
		// Cleaning must always have room. A large store has it: small results cannot use it up.
		if w.smallStore() || len(body) >= perLogged {
			ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
			defer cancel()
			if err := w.claim(ctx, &w.results, int64(len(body)+perLogged)); errors.Is(err, ErrFull) {
				done(0, false, err)
				return
			}
		}
		w.senders[j.partition].put(item{body: body, count: 1, work: true, done: done})
	}
	put()
	return over
}
