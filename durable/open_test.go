package durable

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
)

// Open refuses a stream that would lose timers, and says all that is wrong with it.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	nc := start(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	open(t, nc, Config{Name: "good"})
	good, err := js.Stream(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*jetstream.StreamConfig)
		want   []string
	}{
		{"age", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, []string{"MaxAge 1h0m0s"}},
		{"messages-bytes", func(c *jetstream.StreamConfig) { c.MaxMsgs, c.MaxBytes = 10, 1<<20 }, []string{"MaxMsgs 10", "MaxBytes 1048576"}},
		{"per-subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 }, []string{"MaxMsgsPerSubject 1"}},
		{"work-queue", func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }, []string{"retention is WorkQueue"}},
		{"memory", func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, []string{"storage is Memory"}},
		{"no-schedules", func(c *jetstream.StreamConfig) { c.AllowMsgSchedules = false }, []string{"AllowMsgSchedules is off"}},
		{"subjects", func(c *jetstream.StreamConfig) { c.Subjects = c.Subjects[:1] }, []string{"subjects are"}},
		{"partitions", func(c *jetstream.StreamConfig) { c.Metadata = nil }, []string{"durable-partitions"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := good.CachedInfo().Config
			cfg.Name = test.name
			cfg.Subjects = []string{test.name + ".p.>", test.name + ".w.>", test.name + ".d.>"}
			test.change(&cfg)
			if _, err := js.CreateStream(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), nc, Config{Name: test.name})
			for _, want := range append(test.want, test.name) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Open: %v, want an error with %q", err, want)
				}
			}
		})
	}
	for _, cfg := range []Config{
		{Name: "good", Partitions: 17},
		{Name: "good", Backend: JetStream},
		{Name: "a b"}, {Replicas: 6}, {Partitions: -1}, {Backend: 7}, {Horizon: 1}, {Lease: 1}, {AckWait: 1},
		{Concurrency: -1}, {HandlerTimeout: -1}, {MaxAttempts: -1},
	} {
		if _, err := Open(t.Context(), nc, cfg); err == nil {
			t.Errorf("Open(%+v) returned no error", cfg)
		}
	}
	nc.Close()
	if _, err := Open(t.Context(), nc, Config{}); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("Open on a closed connection: %v", err)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	nc := start(t)
	c := open(t, nc, Config{})
	ctx, now := t.Context(), time.Now()
	for _, key := range []string{"", strings.Repeat("x", MaxKey+1)} {
		if err := c.Schedule(ctx, key, now, nil); err == nil {
			t.Errorf("Schedule of a key of %d bytes returned no error", len(key))
		}
		if _, _, err := c.Get(ctx, key); err == nil {
			t.Errorf("Get of a key of %d bytes returned no error", len(key))
		}
	}
	for _, at := range []time.Time{{}, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if err := c.Schedule(ctx, "key", at, nil); err == nil || !strings.Contains(err.Error(), `"key"`) {
			t.Errorf("Schedule at %v: %v, want an error with the key", at, err)
		}
	}
	if err := c.Every(ctx, "key", "no cron", nil); err == nil || !strings.Contains(err.Error(), `"no cron"`) {
		t.Errorf("Every: %v, want an error with the expression", err)
	}
	if err := c.Schedule(ctx, strings.Repeat("ä ", MaxKey/3), now.Add(time.Hour), nil); err != nil {
		t.Errorf("Schedule of the longest key: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Schedule(ended, "key", now, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Schedule with a context that has ended: %v", err)
	}
	if err := c.Serve(ended, func(context.Context, Fired) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve with a context that has ended: %v", err)
	}
	serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 16 })
	if err := c.Serve(ctx, func(context.Context, Fired) error { return nil }); !errors.Is(err, ErrServing) {
		t.Errorf("a second Serve: %v, want %v", err, ErrServing)
	}
	j := open(t, nc, Config{Name: "scheduled", Backend: JetStream})
	if err := j.Every(ctx, "key", "@hourly", nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Every with backend JetStream: %v", err)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	for timer, err := range c.Pending(t.Context(), "") {
		t.Errorf("before any timer was set there is %+v, %v", timer, err)
	}
	for _, key := range []string{"a.1", "a.2", "b.1"} {
		set(t, c, key, time.Hour)
	}
	if err := c.Every(t.Context(), "a.every", "@daily", nil, driver.Skip); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]int{"": 4, "a.": 3, "a.1": 1, "c": 0} {
		n := 0
		for timer, err := range c.Pending(t.Context(), prefix) {
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(timer.Key, prefix) || timer.Key == "a.every" && (timer.Cron != "@daily" || timer.Missed != driver.Skip) {
				t.Errorf("Pending(%q) has %+v", prefix, timer)
			}
			n++
		}
		if n != want {
			t.Errorf("Pending(%q) has %d timers, want %d", prefix, n, want)
		}
	}
	for _, err := range c.Pending(t.Context(), "") {
		if err != nil {
			t.Error(err)
		}
		break // it can be ended early
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.Pending(ended, "") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Pending with a context that has ended: %v", err)
		}
	}
}

// Runs follow each other, each once, until Cancel.
func TestEvery(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	fired := serve(t, c)
	if err := c.Every(t.Context(), "key", "@every 1s", []byte("payload")); err != nil {
		t.Fatal(err)
	}
	var last Fired
	for i := range 3 {
		f := receive(t, fired)
		if i > 0 && f.Deadline.Sub(last.Deadline) != time.Second || string(f.Payload) != "payload" || f.ID == last.ID {
			t.Errorf("after %+v comes %+v", last, f)
		}
		last = f
	}
	if ok, err := c.Reschedule(t.Context(), "key", time.Now().Add(100*time.Millisecond)); !ok || err != nil {
		t.Errorf("Reschedule = %v, %v", ok, err)
	}
	if f := receive(t, fired); f.Deadline.Sub(last.Deadline) >= time.Second {
		t.Errorf("the run that was moved fires at %v, after %v", f.Deadline, last.Deadline)
	}
	if ok, err := c.Cancel(t.Context(), "key"); !ok || err != nil {
		t.Errorf("Cancel = %v, %v", ok, err)
	}
	for len(fired) > 0 {
		<-fired
	}
	select {
	case f := <-fired:
		t.Errorf("after Cancel: %+v", f)
	case <-time.After(1500 * time.Millisecond):
	}
}

// Runs are missed while no worker is there.
func TestMissedRuns(t *testing.T) {
	t.Parallel()
	nc := start(t)
	c := open(t, nc, Config{})
	for key, missed := range map[string]driver.Missed{"one": driver.Coalesce, "none": driver.Skip, "all": driver.CatchUp} {
		if err := c.Every(t.Context(), key, "@every 1s", nil, missed); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(4500 * time.Millisecond) // four are due
	fired := serve(t, c)
	late := make(map[string]int)
	for end := time.After(1500 * time.Millisecond); ; {
		select {
		case f := <-fired:
			if f.Lateness > 1200*time.Millisecond {
				late[f.Key]++
			}
			continue
		case <-end:
		}
		break
	}
	if late["one"] != 1 || late["none"] != 0 || late["all"] < 3 {
		t.Errorf("late runs: %v, want 1 of one, 0 of none, 3 or more of all", late)
	}
}

// A timer that is set again and again leaves little behind, near or far.
func TestStaleIsDropped(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1})
	serve(t, c)
	at := time.Now().Add(24 * time.Hour)
	done := make(chan error)
	for g := range 64 {
		go func() {
			var err error
			for range 250 {
				err = errors.Join(err, c.Schedule(t.Context(), "key"+string(rune('A'+g)), at, nil))
			}
			done <- err
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { s := c.Stats(); return s.Partitions == 1 && s.Near+s.Far <= 12_000 })
	if s := c.Stats(); s.Scans < 2 || s.Near+s.Far < 64 {
		t.Errorf("%+v: want another scan, and all 64 timers", s)
	}
}

func TestEmbeddedRefuses(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]ServerOption{
		"cluster without Listen": {Cluster("c", "n", "127.0.0.1:1")},
		"no port":                {Listen("127.0.0.1")},
		"port 0":                 {Listen("127.0.0.1:0")},
		"store of 0 bytes":       {MaxStore(0)},
	} {
		if s, err := Embedded(t.TempDir(), options...); err == nil {
			s.Close()
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Embedded(""); err == nil {
		t.Error("no folder: no error")
	}
}

// The server lets a stream have 1000 readers if nothing else is said: fewer than partitions.
func TestManyPartitions(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1024})
	serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 1024 })
}

// Two workers fire the same run, as one takes over from the other: it is stored once.
func TestEveryFiresOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{})
	if err := c.Every(t.Context(), "key", "@every 1s", nil); err != nil {
		t.Fatal(err)
	}
	timer := mustGet(t, c, "key")
	for range 2 {
		c := open(t, connect(t, s), Config{})
		n := &near{timer: timer, deadline: timer.Deadline.UnixNano()}
		m, err := newFiring(c, nil).message(n, timer.Deadline)
		if err == nil {
			err = c.publish(t.Context(), m)
		}
		if err != nil || n.moves || n.next.IsZero() {
			t.Fatalf("%+v: %v", n, err)
		}
	}
	if n := stored(t, c, c.layout.allFired()); n != 1 {
		t.Errorf("the run is stored %d times", n)
	}
}
