package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// fatalIf ends the test with an error, if there is one.
func fatalIf(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// embedded returns a server that runs until the test ends.
func embedded(t testing.TB, dir string, options ...ServerOption) *Server {
	t.Helper()
	s, err := Embedded(dir, options...)
	fatalIf(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// start returns a connection to a server of its own.
func start(t testing.TB, options ...ServerOption) *nats.Conn {
	t.Helper()
	return connect(t, embedded(t, t.TempDir(), options...))
}

// set sets a timer that is due after in.
func set(t testing.TB, c *Client, key string, in time.Duration) {
	t.Helper()
	mustSet(t, c, Timer{Key: key, Deadline: time.Now().Add(in), Payload: []byte(key)})
}

// mustSet sets timers.
func mustSet(t testing.TB, c *Client, timers ...Timer) {
	t.Helper()
	must(t, func() error { return c.Set(t.Context(), timers...) })
}

// setMany sets n timers, whose keys are a prefix and a number.
func setMany(t testing.TB, c *Client, n int, prefix string, in time.Duration) {
	t.Helper()
	timers := make([]Timer, n)
	for i := range timers {
		timers[i] = Timer{Key: fmt.Sprint(prefix, i), Deadline: time.Now().Add(in)}
	}
	mustSet(t, c, timers...)
}

// collect returns the values of an iterator.
func collect[T any](t testing.TB, values iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for v, err := range values {
		fatalIf(t, err)
		all = append(all, v)
	}
	return all
}

// pending returns the timers whose key begins with a prefix.
func pending(t testing.TB, c *Client, prefix string) []Timer {
	t.Helper()
	return collect(t, c.Pending(t.Context(), prefix))
}

// counted waits until the counts of the store are right.
func counted(t testing.TB, c *Client, right func(Counts) bool) {
	t.Helper()
	waitFor(t, func() bool { n, err := c.Counts(t.Context()); return err == nil && right(n) })
}

// handled waits until no fired timer is left, and as many dead letters.
func handled(t testing.TB, c *Client, dead uint64) {
	t.Helper()
	counted(t, c, func(n Counts) bool { return n.Dead == dead && n.Fired == 0 })
}

// logged is a log that a test reads.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func (l *logged) has(text string) bool { return l.count(text) > 0 }

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logged) option() ServerOption { return Log(l.logger()) }

// shifted is a clock that a test moves.
type shifted struct{ ahead atomic.Int64 }

func (s *shifted) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *shifted) set(ahead time.Duration) { s.ahead.Store(int64(ahead)) }

// mustCancel cancels a timer that must exist.
func mustCancel(t testing.TB, c *Client, key string) {
	t.Helper()
	cancelled := false
	must(t, func() error {
		ok, err := c.Cancel(t.Context(), key)
		cancelled = cancelled || ok || err != nil // after an error it may be gone
		return err
	})
	if !cancelled {
		t.Fatalf("Cancel(%q) = false", key)
	}
}

// waitFor waits until is returns true, for five minutes at most.
func waitFor(t testing.TB, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the condition is still false after %v", patience)
		}
	}
}

func connect(t testing.TB, s *Server) *nats.Conn {
	t.Helper()
	nc, err := s.Connect()
	fatalIf(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// open opens a client.
func open(t testing.TB, nc *nats.Conn, cfg Config) (c *Client) {
	t.Helper()
	must(t, func() (err error) {
		c, err = Open(t.Context(), nc, cfg)
		return err
	})
	return c
}

// must calls f again while a busy server does not answer in time, for five minutes at most.
func must(t testing.TB, f func() error) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		err := f()
		if err == nil {
			return
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// patience is how long tests wait on a busy machine.
const patience = 5 * time.Minute

// serve runs c as a worker until the test ends. The channel receives the handled timers.
func serve(t testing.TB, c *Client) <-chan Fired {
	t.Helper()
	fired := make(chan Fired, 1<<16)
	serveWith(t, c, func(_ context.Context, f Fired) error {
		fired <- f
		return nil
	})
	return fired
}

func serveWith(t testing.TB, c *Client, handle func(context.Context, Fired) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, handle) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v, want %v", err, context.Canceled)
		}
	}
	t.Cleanup(stop)
	return stop
}

func receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("nothing comes for %v", patience)
		panic("unreachable")
	}
}

func TestFires(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{AckWait: time.Minute})
	fired := serve(t, c)
	const key = "a key. with *> marks/ä"
	at := time.Now().Add(time.Hour)
	mustSet(t, c, Timer{Key: key, Deadline: at, Payload: []byte("payload")})
	if got := mustGet(t, c, key); got.Key != key || !got.Deadline.Equal(at) || string(got.Payload) != "payload" {
		t.Errorf("Get = %+v", got)
	}
	at = time.Now().Add(300 * time.Millisecond)
	mustSet(t, c, Timer{Key: key, Deadline: at, Payload: []byte("payload")})
	f := receive(t, fired)
	if f.Key != key || !f.Deadline.Equal(at) || string(f.Payload) != "payload" || f.Attempt != 1 || f.ID != fmt.Sprintf("%s@%d", key, at.UnixNano()) {
		t.Errorf("fired %+v", f)
	}
	if f.Lateness < 0 || f.Lateness > patience {
		t.Errorf("lateness %v", f.Lateness)
	}
	t.Logf("lateness %v", f.Lateness)
	if _, ok, err := c.Get(t.Context(), key); ok || err != nil {
		t.Errorf("Get of a timer that has fired = %v, %v", ok, err)
	}
	if ok, err := c.Cancel(t.Context(), key); ok || err != nil {
		t.Errorf("Cancel of a timer that has fired = %v, %v", ok, err)
	}
	if ok, err := c.Reschedule(t.Context(), key, at); ok || err != nil {
		t.Errorf("Reschedule of a timer that has fired = %v, %v", ok, err)
	}
}

// mustGet returns a timer that must exist.
func mustGet(t *testing.T, c *Client, key string) (timer Timer) {
	t.Helper()
	var ok bool
	must(t, func() (err error) {
		timer, ok, err = c.Get(t.Context(), key)
		return err
	})
	if !ok {
		t.Fatalf("Get(%q) = false", key)
	}
	return timer
}

// moveAll moves each timer n times, to about in from now.
func moveAll(t *testing.T, c *Client, keys []string, n int, in time.Duration) {
	t.Helper()
	must(t, func() error {
		return inParallel(t.Context(), 32, keys, func(ctx context.Context, key string) error {
			for i := range n {
				if ok, err := c.Reschedule(ctx, key, time.Now().Add(in+time.Duration(i)*time.Millisecond)); !ok || err != nil {
					return fmt.Errorf("%s: move %d: %v, %w", key, i, ok, err)
				}
			}
			return nil
		})
	})
}

// put writes a record that sets a timer, although Set may refuse it.
func put(t testing.TB, c *Client, timer Timer) {
	t.Helper()
	rec := timer.record(opSet)
	must(t, func() error {
		_, err := c.add(t.Context(), c.layout.partition(timer.Key), &rec)
		return err
	})
}
