//go:build unix

package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/timerbench/timerbench/driver"
)

// stranger creates a stream as Open does, apart from a change. It returns the configuration for Open.
func stranger(t *testing.T, js jetstream.JetStream, change func(*jetstream.StreamConfig)) Config {
	t.Helper()
	cfg, err := Config{Name: nuid.Next()}.withDefaults()
	fatalIf(t, err)
	stream := streamConfig(cfg)
	if change != nil {
		change(&stream)
	}
	_, err = js.CreateStream(t.Context(), stream)
	fatalIf(t, err)
	return Config{Name: cfg.Name}
}

// operated returns a server that this package has not configured, and a connection to it.
func operated(t *testing.T) (*server.Server, *nats.Conn) {
	t.Helper()
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), Port: server.RANDOM_PORT, NoSigs: true})
	fatalIf(t, err)
	s.Start()
	t.Cleanup(s.WaitForShutdown)
	t.Cleanup(s.Shutdown)
	nc, err := nats.Connect(s.ClientURL())
	fatalIf(t, err)
	t.Cleanup(nc.Close)
	return s, nc
}

// A stream that would lose or delay timers is refused, with the reason.
func TestOpenRefusesSettings(t *testing.T) {
	t.Parallel()
	_, nc := operated(t)
	js, err := jetstream.New(nc)
	fatalIf(t, err)
	open(t, nc, stranger(t, js, nil)) // which is good
	type stream = *jetstream.StreamConfig
	for want, change := range map[string]func(stream){
		"MaxAge 1h0m0s": func(c stream) { c.MaxAge = time.Hour },
		"MaxMsgs 10 removes timers: want -1; MaxBytes": func(c stream) { c.MaxMsgs, c.MaxBytes = 10, 1<<20 },
		"MaxMsgsPerSubject 1":                          func(c stream) { c.MaxMsgsPerSubject = 1 },
		"MaxMsgSize 5000":                              func(c stream) { c.MaxMsgSize = 5000 },
		"MaxConsumers 999 ":                            func(c stream) { c.MaxConsumers = 999 },
		"want -1 or at least 3072":                     func(c stream) { c.MaxConsumers, c.Metadata[metadataPartitions] = 3000, "1024" },
		"ConsumerLimits.InactiveThreshold 1m0s":        func(c stream) { c.ConsumerLimits.InactiveThreshold = time.Minute },
		"Retention is WorkQueue: want Limits":          func(c stream) { c.Retention = jetstream.WorkQueuePolicy },
		"Retention is Interest":                        func(c stream) { c.Retention = jetstream.InterestPolicy },
		"Storage is Memory: want File":                 func(c stream) { c.Storage = jetstream.MemoryStorage },
		"PersistMode is Async: want Default":           func(c stream) { c.PersistMode = jetstream.AsyncPersistMode },
		"AllowRollup is false":                         func(c stream) { c.AllowRollup = false },
		"AllowDirect is false":                         func(c stream) { c.AllowDirect = false },
		"has format 1: want 2":                         func(c stream) { delete(c.Metadata, metadataFormat) },
		"has format 3: want 2":                         func(c stream) { c.Metadata[metadataFormat] = "3" },
		"DenyPurge is true":                            func(c stream) { c.DenyPurge, c.AllowRollup = true, false },
		"NoAck is true":                                func(c stream) { c.NoAck = true },
		"Sources is [":                                 func(c stream) { c.Sources = []*jetstream.StreamSource{{Name: "other"}} },
		"SubjectTransform is &{": func(c stream) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: c.Subjects[1], Destination: strings.Replace(c.Subjects[1], ".b.*", ".v.{{wildcard(1)}}", 1)}
		},
		"Subjects is [": func(c stream) { c.Subjects = c.Subjects[:1] },
	} {
		cfg := stranger(t, js, change)
		if _, err := Open(t.Context(), nc, cfg); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), cfg.Name) {
			t.Errorf("Open: %v, want an error with %q", err, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	nc := start(t)
	c := open(t, nc, Config{Name: "good"})
	strange := c.stream.CachedInfo().Config
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, metadata := range map[string]map[string]string{"strange": nil, "large": {metadataPartitions: "1025", metadataFormat: "2"}} {
		strange.Name, strange.Metadata, strange.Subjects = name, metadata, layout{name: name}.subjects()
		_, err := c.js.CreateStream(ctx, strange)
		fatalIf(t, err)
	}
	for _, test := range []struct {
		cfg  Config
		want string
	}{
		{Config{Name: "strange"}, "durable-partitions"}, {Config{Name: "large"}, "1 to 1024"},
		{Config{Name: "good", Partitions: 17}, "4 partitions"},
		{Config{Name: "a b"}, "Name"}, {Config{Replicas: 6}, "Replicas"}, {Config{Partitions: -1}, "Partitions"},
		{Config{Horizon: 1}, "Horizon"}, {Config{Lease: 1}, "Lease"},
		{Config{Horizon: math.MaxInt64}, "Horizon"}, {Config{Lease: time.Hour + 1}, "Lease"},
		{Config{HandlerTimeout: math.MaxInt64}, "HandlerTimeout"}, {Config{AckWait: math.MaxInt64}, "AckWait"},
		{Config{AckWait: 1}, "AckWait"}, {Config{Concurrency: -1}, "Concurrency"},
		{Config{HandlerTimeout: -1}, "HandlerTimeout"}, {Config{MaxAttempts: -1}, "MaxAttempts"},
	} {
		if _, err := Open(ctx, nc, test.cfg); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%+v): %v, want an error with %q", test.cfg, err, test.want)
		}
	}
	nc.Close()
	if _, err := Open(ctx, nc, Config{}); !errors.Is(err, nats.ErrConnectionClosed) {
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
	waitFor(t, func() bool { return c.Stats().Partitions == defaultPartitions })
	if err := c.Serve(ctx, func(context.Context, Fired) error { return nil }); !errors.Is(err, ErrServing) {
		t.Errorf("a second Serve: %v, want %v", err, ErrServing)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	if all := pending(t, c, ""); len(all) > 0 {
		t.Errorf("before any timer was set there is %+v", all)
	}
	for _, key := range []string{"a.1", "a.2", "b.1"} {
		set(t, c, key, time.Hour)
	}
	fatalIf(t, c.Every(t.Context(), "a.every", "@daily", nil, driver.Skip))
	for prefix, want := range map[string]int{"": 4, "a.": 3, "a.1": 1, "c": 0} {
		all := pending(t, c, prefix)
		for _, timer := range all {
			if !strings.HasPrefix(timer.Key, prefix) || timer.Key == "a.every" && (timer.Cron != "@daily" || timer.Missed != driver.Skip) {
				t.Errorf("Pending(%q) has %+v", prefix, timer)
			}
		}
		if len(all) != want {
			t.Errorf("Pending(%q) has %d timers, want %d", prefix, len(all), want)
		}
	}
}

// Each run fires once, until Cancel.
func TestEvery(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	fired := serve(t, c)
	fatalIf(t, c.Every(t.Context(), "key", "@every 1s", []byte("payload"), driver.CatchUp))
	var last Fired
	for i := range 2 {
		f := receive(t, fired)
		if i > 0 && f.Deadline.Sub(last.Deadline) != time.Second || string(f.Payload) != "payload" || f.ID == last.ID {
			t.Errorf("after %+v comes %+v", last, f)
		}
		last = f
	}
	must(t, func() error {
		_, err := c.Reschedule(t.Context(), "key", time.Now().Add(100*time.Millisecond))
		return err
	})
	for f := last; f.Deadline.Nanosecond() == 0; { // some runs may have fired before
		f = receive(t, fired)
	}
	mustCancel(t, c, "key")
	handled(t, c, 0)
	for len(fired) > 0 {
		<-fired
	}
	select {
	case f := <-fired:
		t.Errorf("after Cancel: %+v", f)
	case <-time.After(1100 * time.Millisecond):
	}
}

// Missed runs fire as configured when no worker was there.
func TestMissedRuns(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	const day = 24 * time.Hour
	first := time.Now().Truncate(time.Second).Add(-7 * day / 2)
	var want []string
	for i, key := range []string{"all", "all", "all", "all", "one"} {
		want = append(want, id(key, first.Add(time.Duration(min(i, 3))*day).UnixNano()))
	}
	for key, missed := range map[string]driver.Missed{"one": driver.Coalesce, "none": driver.Skip, "all": driver.CatchUp} {
		mustSet(t, c, Timer{Key: key, Cron: "@every 24h", Deadline: first, Missed: missed})
	}
	fired := serve(t, c)
	for _, key := range []string{"one", "none", "all"} {
		waitFor(t, func() bool { return mustGet(t, c, key).Deadline.Equal(first.Add(4 * day)) })
	}
	handled(t, c, 0)
	ids := make(map[string]bool) // on a busy machine a timer may be handled again
	for len(fired) > 0 {
		ids[(<-fired).ID] = true
	}
	if got := slices.Sorted(maps.Keys(ids)); !slices.Equal(got, want) {
		t.Errorf("fired %q, want %q", got, want)
	}
}

// A far timer that is set again and again uses little memory.
func TestStaleIsDropped(t *testing.T) {
	cfg, err := Config{}.withDefaults()
	fatalIf(t, err)
	p := newPartition(newWorker(&Client{cfg: cfg}), 0)
	for _, in := range []time.Duration{24 * time.Hour, time.Minute} {
		for i := range 3 * maxStale {
			p.replica.do(position(uint64(i+1), 0), time.Now(), 1, &record{op: opSet, key: "key", payload: []byte("payload"), deadline: time.Now().Add(in).UnixNano()})
			if n := max(p.farSize, len(p.soon)); n > maxStale+10 {
				t.Fatalf("after %d times there are %d", i, n)
			}
		}
	}
}

// There can be more partitions than the 1000 readers that the server allows by default.
func TestManyPartitions(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1024})
	serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 1024 })
}

// Set sets many timers, or none if one is invalid.
func TestSet(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	set(t, c, "7", time.Hour)
	at := time.Now().Add(2 * time.Hour).Round(0)
	limits := Limits{time.Minute, 7}
	var timers []Timer
	for i := range 1000 {
		timers = append(timers, Timer{Key: fmt.Sprint(i), Deadline: at, Payload: []byte{byte(i)}, Limits: limits, Error: "of another run"})
	}
	refused := func(bad Timer) {
		t.Helper()
		err := c.Set(t.Context(), append(slices.Clone(timers), bad)...)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", bad.Key)) {
			t.Errorf("%+v: %v, want an error with its key", bad, err)
		}
	}
	refused(Timer{Key: "7", Deadline: at})
	refused(Timer{Key: "no time"})
	refused(Timer{Key: "no cron", Cron: "x"})
	refused(Timer{Key: "negative", Deadline: at, Limits: Limits{MaxAttempts: -1}})
	if n := len(pending(t, c, "")); n != 1 {
		t.Fatalf("%d timers are there, want none of those refused", n)
	}
	timers = append(timers, Timer{Key: "every", Cron: "@hourly"}, Timer{Key: "first", Cron: "@hourly", Deadline: at},
		Timer{Key: "largest", Deadline: at, Payload: make([]byte, c.nc.MaxPayload()-recordRoom-7), Limits: limits})
	for range 2 { // it may be called again
		mustSet(t, c, timers...)
	}
	all := pending(t, c, "")
	for _, timer := range all {
		isCron := timer.Cron != ""
		if timer.Deadline.Equal(at) != (timer.Key != "every") || isCron == (timer.Limits == limits) || timer.Error != "" {
			t.Errorf("%+v", timer)
		}
	}
	if len(all) != len(timers) {
		t.Errorf("%d timers are pending, want %d", len(all), len(timers))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Set(ended, timers...); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// If many clients add the same key, one succeeds.
func TestAdd(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	at := time.Now().Add(time.Hour)
	added := make(chan byte, 16)
	var all []byte
	for i := range byte(16) {
		c := open(t, connect(t, s), Config{})
		go func() {
			ok, err := c.Add(t.Context(), Timer{Key: "key", Deadline: at, Payload: []byte{i}})
			if err != nil {
				t.Error(err)
			}
			if !ok {
				i = 255
			}
			added <- i
		}()
	}
	for range 16 {
		if i := <-added; i != 255 {
			all = append(all, i)
		}
	}
	c := open(t, connect(t, s), Config{})
	if timer := mustGet(t, c, "key"); !slices.Equal(all, timer.Payload) {
		t.Errorf("%d have added it, and it is that of %d", all, timer.Payload)
	}
	mustCancel(t, c, "key")
	if ok, err := c.Add(t.Context(), Timer{Key: "key", Deadline: at}); !ok || err != nil {
		t.Errorf("after it is gone: %v, %v", ok, err)
	}
}

// Every does not change an equal timer, and replaces a different one.
func TestEveryAgain(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	every := func(spec, payload string, missed ...driver.Missed) uint64 {
		t.Helper()
		fatalIf(t, c.Every(t.Context(), "key", spec, []byte(payload), missed...))
		return mustGet(t, c, "key").Revision
	}
	first := every("@every 1h", "")
	for _, same := range []string{"@every 1h", " @every 1h ", "@every\t 1h\n"} {
		if again := every(same, ""); again != first {
			t.Errorf("%q is set anew", same)
		}
	}
	last := first
	for _, other := range []func() uint64{
		func() uint64 { return every("@every 2h", "") },
		func() uint64 { return every("@every 2h", "payload") },
		func() uint64 { return every("@every 2h", "payload", driver.Skip) },
	} {
		now := other()
		if now == last {
			t.Errorf("revision %d stays, though the timer is another one", now)
		}
		last = now
	}
}

// Many clients change one key without a pause: each call returns, the last change wins, other
// timers fire.
func TestFloodOfOneKey(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{})
	fired := serve(t, c)
	var flood sync.WaitGroup
	for g := range 16 {
		c := open(t, connect(t, s), Config{})
		flood.Go(func() {
			for i := range 60 {
				at := time.Now().Add(time.Duration((g+i)%3) * 5 * time.Hour)
				var err error
				switch (g + i) % 4 {
				case 0:
					_, err = c.Cancel(t.Context(), "key")
				case 1:
					_, err = c.Reschedule(t.Context(), "key", at)
				default:
					err = c.Schedule(t.Context(), "key", at, nil)
				}
				if err != nil && !errors.Is(err, context.DeadlineExceeded) { // a busy machine
					t.Error(err)
				}
			}
		})
	}
	set(t, c, "other", 0)
	for receive(t, fired).Key != "other" {
	}
	flood.Wait()
	mustSet(t, c, Timer{Key: "key", Deadline: time.Now().Add(time.Hour), Payload: []byte("last")})
	if timer := mustGet(t, c, "key"); string(timer.Payload) != "last" {
		t.Errorf("%+v is left", timer)
	}
	counted(t, c, func(n Counts) bool { return n.Pending == 1 && n.Fired == 0 })
	if n := len(pending(t, c, "")); n != 1 {
		t.Errorf("%d timers are pending, want 1", n)
	}
}

// A server whose accounts may have few consumers is refused.
func TestOpenRefusesAccount(t *testing.T) {
	t.Parallel()
	s, nc := operated(t)
	fatalIf(t, s.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{
		"": {MaxConsumers: 20, MaxStore: -1, MaxMemory: -1, MaxStreams: -1}}))
	js, err := jetstream.New(nc)
	fatalIf(t, err)
	cfg := stranger(t, js, func(c *jetstream.StreamConfig) { c.MaxConsumers = -1 })
	if _, err := Open(t.Context(), nc, cfg); err == nil || !strings.Contains(err.Error(), cfg.Name+" would lose or delay timers: MaxConsumers 20") {
		t.Errorf("Open: %v, want an error with the limit of the account", err)
	}
}

// lossy is a connection that loses the first request for a bucket.
type lossy struct {
	net.Conn
	lost bool
}

// Dial connects.
func (l *lossy) Dial(network, address string) (conn net.Conn, err error) {
	l.Conn, err = net.Dial(network, address)
	return l, err
}

// Write drops the first request for a bucket.
func (l *lossy) Write(p []byte) (int, error) {
	if !l.lost && bytes.Contains(p, []byte("STREAM.INFO.KV_")) {
		l.lost = true
		return len(p), nil
	}
	return l.Conn.Write(p)
}

// A request without an answer does not use up the time of the context.
func TestOpenTriesAgain(t *testing.T) {
	t.Parallel()
	address := addresses(t, 1)[0]
	embedded(t, t.TempDir(), Listen(address))
	l := &lossy{}
	nc, err := nats.Connect("nats://"+address, nats.SetCustomDialer(l))
	fatalIf(t, err)
	defer nc.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	begin := time.Now()
	must(t, func() error {
		_, err := Open(ctx, nc, Config{})
		return err
	})
	if took := time.Since(begin); !l.lost || took > patience {
		t.Errorf("Open takes %v, with a request lost: %v", took, l.lost)
	}
}
