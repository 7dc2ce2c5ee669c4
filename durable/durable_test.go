package durable_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable"
)

// start returns a connection to a server of its own.
func start(t testing.TB, options ...durable.ServerOption) *nats.Conn {
	t.Helper()
	s, err := durable.Embedded(t.TempDir(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return connect(t, s)
}

func connect(t testing.TB, s *durable.Server) *nats.Conn {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func open(t testing.TB, nc *nats.Conn, cfg durable.Config) *durable.Client {
	t.Helper()
	c, err := durable.Open(t.Context(), nc, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serve runs c as a worker until the test ends, and returns what it handles.
func serve(t testing.TB, c *durable.Client) <-chan durable.Fired {
	t.Helper()
	fired := make(chan durable.Fired, 1<<16)
	serveWith(t, c, func(_ context.Context, f durable.Fired) error {
		fired <- f
		return nil
	})
	return fired
}

func serveWith(t testing.TB, c *durable.Client, handle func(context.Context, durable.Fired) error) (stop func()) {
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

func receive(t testing.TB, fired <-chan durable.Fired) durable.Fired {
	t.Helper()
	select {
	case f := <-fired:
		return f
	case <-time.After(20 * time.Second):
		t.Fatal("nothing fired")
		panic("unreachable")
	}
}

func TestFires(t *testing.T) {
	t.Parallel()
	for _, backend := range []durable.Backend{durable.Driver, durable.JetStream} {
		t.Run(backend.String(), func(t *testing.T) {
			c := open(t, start(t), durable.Config{Backend: backend})
			fired := serve(t, c)
			const key = "a key. with *> marks/ä"
			at := time.Now().Add(300 * time.Millisecond)
			if err := c.Schedule(t.Context(), key, at, []byte("payload")); err != nil {
				t.Fatal(err)
			}
			got, ok, err := c.Get(t.Context(), key)
			if err != nil || !ok || got.Key != key || !got.Deadline.Equal(at) || string(got.Payload) != "payload" {
				t.Errorf("Get = %+v, %v, %v", got, ok, err)
			}
			f := receive(t, fired)
			if f.Key != key || !f.Deadline.Equal(at) || string(f.Payload) != "payload" || f.Attempt != 1 || f.ID != fmt.Sprintf("%s@%d", key, at.UnixNano()) {
				t.Errorf("fired %+v", f)
			}
			if f.Lateness < 0 || f.Lateness > 10*time.Second {
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
		})
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), durable.Config{Horizon: 5 * time.Second})
	fired := serve(t, c)
	ctx, now := t.Context(), time.Now()
	set := func(key string, in time.Duration) {
		t.Helper()
		if err := c.Schedule(ctx, key, now.Add(in), []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	move := func(key string, in time.Duration) {
		t.Helper()
		if ok, err := c.Reschedule(ctx, key, now.Add(in)); !ok || err != nil {
			t.Fatalf("Reschedule(%s) = %v, %v", key, ok, err)
		}
	}
	cancel := func(key string) {
		t.Helper()
		if ok, err := c.Cancel(ctx, key); !ok || err != nil {
			t.Fatalf("Cancel(%s) = %v, %v", key, ok, err)
		}
	}
	set("cancelled", 2*time.Second)
	set("cancelled far", time.Hour)
	set("earlier", time.Hour)
	set("later", time.Second)
	set("replaced", time.Second)
	set("beyond the horizon", 7*time.Second)
	set("past", -time.Hour)
	cancel("cancelled")
	cancel("cancelled far")
	move("earlier", 3*time.Second)
	move("later", 4*time.Second)
	set("replaced", 2500*time.Millisecond)
	want := map[string]time.Duration{"earlier": 3 * time.Second, "later": 4 * time.Second, "replaced": 2500 * time.Millisecond,
		"beyond the horizon": 7 * time.Second, "past": -time.Hour}
	for range len(want) {
		f := receive(t, fired)
		in, ok := want[f.Key]
		if !ok || !f.Deadline.Equal(now.Add(in)) || string(f.Payload) != f.Key {
			t.Errorf("fired %+v", f)
		}
		delete(want, f.Key)
		t.Logf("%s: lateness %v", f.Key, f.Lateness)
	}
	select {
	case f := <-fired:
		t.Errorf("fired %+v as well", f)
	case <-time.After(500 * time.Millisecond):
	}
	counts, err := c.Counts(ctx)
	if err != nil || counts.Pending != 0 || counts.Fired != 0 || counts.Workers != 1 {
		t.Errorf("Counts = %+v, %v", counts, err)
	}
}
