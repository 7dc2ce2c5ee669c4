package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Counts describes the store, for all clients.
type Counts struct {
	Pending uint64 // pending timers
	Fired   uint64 // timers that have fired and are not handled yet
	Handled uint64 // the part of Fired that workers hold
	Dead    uint64 // dead letters
	Bytes   uint64 // the size of the stream
	Stored  uint64 // how many bytes the account stores, including Bytes
	Limit   uint64 // the limit of Stored, or 0 if there is none; a part of it is reserved
	Workers int    // workers that gave a sign of life within their lease
}

// Counts counts the stored timers. It asks the workers, and reads the partitions that no worker has read.
func (c *Client) Counts(ctx context.Context) (n Counts, err error) {
	defer wrap(&err, "counts")
	for i := range c.layout.partitions {
		k, err := c.partitionCounts(ctx, i)
		if err != nil {
			return Counts{}, err
		}
		n.Pending, n.Fired, n.Handled, n.Dead = n.Pending+k.Pending, n.Fired+k.Fired, n.Handled+k.Handled, n.Dead+k.Dead
	}
	stream, err := c.stream.Info(ctx)
	if err != nil {
		return Counts{}, err
	}
	n.Bytes = stream.State.Bytes
	_ = c.found(checkStream(stream.Config, c.layout)) // which keeps the error for Stats
	stored, limit, err := c.stored(ctx)
	if err != nil {
		return Counts{}, err
	}
	n.Stored, n.Limit = uint64(stored), uint64(limit)
	if n.Workers, err = c.living(ctx, stream.TimeStamp); err != nil {
		return Counts{}, err
	}
	return n, nil
}

// Stats counts the work of a client so far, and the timers that it holds.
type Stats struct {
	Fired      uint64 // timers fired
	Handled    uint64 // handler calls that returned nil
	Failed     uint64 // handler calls that failed
	Dead       uint64 // dead letters written
	Unusable   uint64 // stored messages that could not be used, counted at each reading
	Partitions int    // partitions that the client serves and has read
	Near       int    // timers within the horizon
	Far        int    // timers beyond the horizon, including timers that have changed since
	Overdue    int    // handlers that have not returned after their timeouts, and keep places of Concurrency
	Unfit      string // why timers may be lost or delayed, by the settings that Ready, Counts or Serve last saw; "" if not
	Unreadable int    // timers of Every that are due and whose next run cannot be computed: tried again each minute
}

type counters struct {
	fired, handled, failed, dead, unusable atomic.Uint64

	late histogram // lateness of first attempts
	took histogram // duration of all handler calls
}

// Stats returns the counts of the client. It does not ask the server.
func (c *Client) Stats() Stats {
	n := &c.counters
	s := Stats{
		Fired: n.fired.Load(), Handled: n.handled.Load(), Failed: n.failed.Load(), Dead: n.dead.Load(), Unusable: n.unusable.Load(),
	}
	if text := c.unfit.Load(); text != nil {
		s.Unfit = *text
	}
	if w := c.worker.Load(); w != nil {
		s.Partitions, s.Overdue = len(w.loaded()), int(max(w.overdue.Load(), 0))
		for _, p := range w.all() {
			near, far := p.size()
			unreadable, _ := p.unreadable()
			s.Near, s.Far, s.Unreadable = s.Near+near, s.Far+far, s.Unreadable+unreadable
		}
	}
	return s
}

// Handler returns an HTTP handler for GET requests of
//
//   - /metrics: Stats, Counts, and histograms of the lateness of first attempts and
//     the duration of handler calls, in the text format of Prometheus. durable_up is 0 if the store does not answer.
//   - /live: always 200.
//   - /ready: 200, or 503 and the error of Ready.
//
// It needs no authentication, and shows no keys or payloads. An error of Ready may have a cron expression.
func (c *Client) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		if err := c.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), lookTimeout)
		defer cancel()
		n, err := c.Counts(ctx)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		c.writeMetrics(w, n, err == nil)
	})
	return mux
}

// Ready returns nil if the store answers within a second, no setting of the stream loses or delays timers
// (Stats.Unfit) and, while the client serves, the other workers know about it, all its partitions have been read, it can
// compute the next runs of its timers of Every, no handler has exceeded its timeout without returning (Stats.Overdue), and
// due timers have got on within 10 s: otherwise the other workers take over its partitions. The error names the missing part.
func (c *Client) Ready(ctx context.Context) (err error) {
	defer wrap(&err, "ready")
	if err := c.look(ctx); err != nil {
		return err
	}
	if w := c.worker.Load(); w != nil {
		return w.ready()
	}
	return nil
}

func (w *worker) ready() error {
	if w.stalled() {
		return fmt.Errorf("no due timer has got on for %v: other workers take over the partitions", stallTime)
	}
	if n := w.overdue.Load(); n > 0 {
		return fmt.Errorf("%d handlers of at most %d have not returned after their timeouts", n, w.cfg.Concurrency)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.joined {
		return errors.New("the other workers do not know about this one")
	}
	for n, p := range w.served {
		if !p.loaded.Load() {
			return fmt.Errorf("partition %d has not been read yet", n)
		}
	}
	for n, p := range w.served {
		if k, err := p.unreadable(); k > 0 {
			return fmt.Errorf("partition %d: the next runs of %d due timers cannot be computed: %w", n, k, err)
		}
	}
	return nil
}

func (c *Client) writeMetrics(w io.Writer, n Counts, up bool) {
	write := func(name string, value uint64) {
		kind := "gauge"
		if strings.HasSuffix(name, "_total") {
			kind = "counter"
		}
		fmt.Fprintf(w, "# TYPE durable_%s %s\ndurable_%[1]s %[3]d\n", name, kind, value)
	}
	s := c.Stats()
	write("fired_total", s.Fired)
	write("handled_total", s.Handled)
	write("failed_total", s.Failed)
	write("buried_total", s.Dead)
	write("unusable_total", s.Unusable)
	write("partitions", uint64(s.Partitions))
	write("near", uint64(s.Near))
	write("far", uint64(s.Far))
	write("unreadable", uint64(s.Unreadable))
	write("overdue", uint64(s.Overdue))
	write("unfit", uint64(min(len(s.Unfit), 1)))
	c.counters.late.write(w, "durable_lateness_seconds")
	c.counters.took.write(w, "durable_handler_seconds")
	if !up {
		write("up", 0)
		return
	}
	write("up", 1)
	write("waiting", n.Fired-n.Handled)
	write("in_hand", n.Handled)
	write("dead_letters", n.Dead)
	write("workers", uint64(n.Workers))
	write("stream_bytes", n.Bytes)
	write("store_bytes", n.Stored)
	write("store_limit_bytes", n.Limit)
}

// bounds are the upper bounds of the buckets of a histogram, in seconds.
var bounds = [...]float64{
	.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

type histogram struct {
	counts [len(bounds) + 1]atomic.Uint64
	sum    atomic.Uint64 // the bits of a float64, in s: a sum of lateness can exceed 292 years
}

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	bucket, _ := slices.BinarySearch(bounds[:], d.Seconds())
	h.counts[bucket].Add(1)
	for {
		old := h.sum.Load()
		if h.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+d.Seconds())) {
			return
		}
	}
}

func (h *histogram) write(w io.Writer, name string) {
	fmt.Fprintf(w, "# TYPE %s histogram\n", name)
	total := uint64(0)
	for i, bound := range bounds {
		total += h.counts[i].Load()
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", name, bound, total)
	}
	total += h.counts[len(bounds)].Load()
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%[1]s_sum %[3]g\n%[1]s_count %[2]d\n",
		name, total, math.Float64frombits(h.sum.Load()))
}

// DeadLetter is a timer whose attempts have all failed. It stays until it is revived or discarded.
type DeadLetter struct {
	Key      string
	Payload  []byte
	Deadline time.Time
	Limits
	Attempts int    // how many there were
	ID       string // as in Fired
	Error    string // of the last attempt, up to 1 kB; "" if there was no room for it
	Revision uint64 // of the dead letter; a later one of the same timer has another
}

// DeadLetters iterates over all dead letters, oldest first in each partition. An error ends the iteration.
func (c *Client) DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error] {
	return list(ctx, c, "dead letters", func(r *replica) (all []DeadLetter) {
		for _, e := range r.ordered(isDead) {
			f := e.fired()
			all = append(all, DeadLetter{Key: f.Key, Payload: f.Payload, Deadline: f.Deadline, Limits: f.Limits,
				Attempts: e.more.attempts, ID: f.ID, Error: e.more.err, Revision: e.more.id})
		}
		return all
	})
}

// Waiting iterates over the timers that have fired and are not handled yet, in the order in which those of a partition fired.
// Attempt is always 0. An error ends the iteration.
func (c *Client) Waiting(ctx context.Context) iter.Seq2[Fired, error] {
	return list(ctx, c, "waiting", func(r *replica) (all []Fired) {
		for _, e := range r.ordered(isFired) {
			f := e.fired()
			f.Attempt, f.Lateness = 0, c.cfg.Now().Sub(f.Deadline)
			all = append(all, f)
		}
		return all
	})
}

// ordered returns what is in a state, in the order of becoming so.
func (r *replica) ordered(s state) (all []*entry) {
	for _, e := range r.others {
		if e.state == s {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.more.id, b.more.id) })
	return all
}

// Revive hands a dead letter to the workers again, as if the timer had just fired, if it still exists.
func (c *Client) Revive(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "revive %s", d.ID)
	_, err = c.change(ctx, d.Key, record{op: opRevive, id: d.Revision})
	return err
}

// Discard removes a dead letter, if it still exists. It does not remove a later dead letter of the same timer.
func (c *Client) Discard(ctx context.Context, d DeadLetter) (err error) {
	defer wrap(&err, "discard %s", d.ID)
	_, err = c.change(ctx, d.Key, record{op: opDiscard, id: d.Revision})
	return err
}
