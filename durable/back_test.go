package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var errEnough = errors.New("enough")

// Reading ends even if the messages are removed in the meantime.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1})
	const n = 4000
	for i := range n {
		rec := record{op: opSet, key: "key", payload: make([]byte, 4000), deadline: int64(i)}
		m := nats.NewMsg(c.layout.log(0))
		m.Data = rec.append(messageID{1, uint64(i)}.append(nil))
		_, err := c.js.PublishMsgAsync(m)
		fatalIf(t, err)
	}
	<-c.js.PublishAsyncComplete()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	came := 0
	err := c.follow(ctx, c.layout.log(0), 0, func(m message) error {
		switch {
		case m.body == nil && m.seq == isLevel:
			return errEnough
		case m.body == nil:
			return nil
		}
		if came++; came > 1 {
			return nil
		}
		return c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.log(0)))
	})
	if !errors.Is(err, errEnough) || came == 0 || came == n {
		t.Errorf("%d messages came, want some of %d: %v", came, n, err)
	}
}

// A killed server has restored messages that were removed. They do not count for any client, a timer in them does not fire,
// and the server does not take them for others that are missing.
func TestComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, dir)
	c := open(t, connect(t, s), Config{Partitions: 1})
	set(t, c, "back", 0)
	set(t, c, "cancelled", time.Hour)
	mustCancel(t, c, "cancelled")
	last, err := c.last(t.Context(), 0)
	fatalIf(t, err)
	m := nats.NewMsg(c.layout.base(0))
	m.Data = base{First: last + 1, Complete: last, Removed: 3}.append()
	_, err = c.js.PublishMsg(t.Context(), m)
	fatalIf(t, err)
	for range 2 {
		c = open(t, connect(t, s), Config{})
		if _, ok, err := c.Get(t.Context(), "back"); ok || err != nil || len(pending(t, c, "")) > 0 {
			t.Errorf("it is there: %v, %v", ok, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		fired := make(chan string, 100)
		ended := make(chan error)
		go func() { ended <- c.Serve(ctx, func(_ context.Context, f Fired) error { fired <- f.Key; return nil }) }()
		set(t, c, "new", 0)
		if key := receive(t, fired); key != "new" {
			t.Errorf("%q fires", key)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		s.Close()
		s = embedded(t, dir) // which has lost nothing
	}
}

// The clock of a worker jumps, because it is set or the machine was suspended. No timer fires early
// by that clock, and each due timer fires soon.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	var clock shifted
	now := clock.now
	c := open(t, connect(t, s), Config{Now: now})
	fired := serve(t, c)
	setAt := func(key string, in time.Duration) {
		t.Helper()
		mustSet(t, c, Timer{Key: key, Deadline: now().Add(in)})
	}
	next := func(want ...string) {
		t.Helper()
		for range want {
			f := receive(t, fired)
			if !slices.Contains(want, f.Key) || f.Deadline.After(now()) {
				t.Errorf("%s fires at %v, due at %v: want %q", f.Key, now(), f.Deadline, want)
			}
		}
	}
	begin := time.Now()
	for key, in := range map[string]time.Duration{"soon": 2 * time.Second, "near": 30 * time.Minute, "far": 3 * time.Hour} {
		setAt(key, in)
	}
	waitFor(t, func() bool { st := c.Stats(); return st.Far == 1 })
	clock.set(-5 * time.Hour)
	if time.Now().After(begin.Add(2 * time.Second)) {
		t.Skip("this machine is too slow: the timer was due before the jump")
	}
	time.Sleep(2500 * time.Millisecond) // it would be due by the old clock
	setAt("new", 0)
	next("new")
	clock.set(time.Hour)
	next("soon", "near")
	clock.set(-time.Hour)
	setAt("newer", time.Second)
	next("newer")
	clock.set(4 * time.Hour)
	next("far")
	waitFor(t, func() bool { return c.Stats().Far == 0 })
	if len(fired) > 0 {
		t.Errorf("%+v fires as well", <-fired)
	}
}

// sizeOf returns the bytes of a log and of its live records.
func sizeOf(t *testing.T, c *Client) (size, live int64) {
	t.Helper()
	fatalIf(t, c.withCold(t.Context(), 0, func(k *cold) error {
		size, live = k.replica.size(), k.replica.live
		return nil
	}))
	return size, live
}

// Two clients clean a log while others set, move, cancel and fire timers. No change is lost, and little is left.
func TestLogsAreCleaned(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{Partitions: 1, Concurrency: 4, Horizon: time.Hour})
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	stop := serveWith(t, c, func(_ context.Context, f Fired) error {
		switch {
		case strings.HasPrefix(f.Key, "held"):
			<-hold
		case strings.HasPrefix(f.Key, "bad"):
			return Permanent(errors.New("on purpose"))
		}
		return nil
	})
	set(t, c, "held", 0)
	waitFor(t, func() bool { st := c.Stats(); return st.Partitions == 1 && st.Fired == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	times := 0
	for i := range 2 {
		other := open(t, connect(t, s), Config{})
		wg.Go(func() {
			for ctx.Err() == nil {
				if i == 0 {
					p := c.worker.Load().served[0]
					if more, err := c.clean(ctx, 0, p, true, 0); more && err == nil {
						times++
					}
					continue
				}
				_ = other.withCold(ctx, 0, func(k *cold) error { // the other one may be faster
					_, err := other.clean(ctx, 0, k, true, tightAge) // the worker has read the rest
					return err
				})
			}
		})
	}
	const each = 100
	want := make(map[string]time.Time)
	for i := range each {
		key := func(kind string) string { return fmt.Sprint(kind, i) }
		set(t, c, key("cancelled"), time.Hour)
		mustCancel(t, c, key("cancelled"))
		for _, in := range []time.Duration{time.Hour, 3 * time.Hour} { // in memory or not
			key := key(fmt.Sprint("pending", in))
			set(t, c, key, in)
			moveAll(t, c, []string{key}, 2, 2*in)
			want[key] = mustGet(t, c, key).Deadline
		}
		set(t, c, key("fired"), time.Hour)
		moveAll(t, c, []string{key("fired")}, 1, 0)
		set(t, c, key("bad"), 0)
	}
	counted(t, c, func(n Counts) bool { return n.Fired == 1 && n.Pending == 2*each && n.Dead == each })
	cancel()
	wg.Wait()
	t.Logf("%d times", times)
	if times < 10 {
		t.Errorf("the log was cleaned %d times", times)
	}
	other := open(t, connect(t, s), Config{})
	for _, timer := range pending(t, other, "") {
		if !timer.Deadline.Equal(want[timer.Key]) || string(timer.Payload) != timer.Key {
			t.Errorf("%+v is pending, want %v", timer, want[timer.Key])
		}
		delete(want, timer.Key)
	}
	if len(want) > 0 {
		t.Errorf("%d timers are lost: %v", len(want), want)
	}
	if w := collect(t, other.Waiting(t.Context())); len(w) != 1 || w[0].Key != "held" {
		t.Errorf("%+v wait, want the timer that is held", w)
	}
	for _, d := range collect(t, other.DeadLetters(t.Context())) {
		if !strings.HasPrefix(d.Key, "bad") || d.Error != "on purpose" || string(d.Payload) != d.Key {
			t.Errorf("dead letter %+v", d)
		}
	}
	release()
	stop()
}

// Moves leave little in the stream, with a worker and without one.
func TestMovesLeaveLittle(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1})
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint("key", i)
		set(t, c, keys[i], time.Hour)
	}
	for range 2 {
		moveAll(t, c, keys, 30, time.Hour)
		if size, live := sizeOf(t, c); size > 2*live+slack+cleanBytes/8 {
			t.Errorf("the log has %d bytes, %d of them live", size, live)
		}
	}
	serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 1 })
	moveAll(t, c, keys, 30, time.Hour)
	waitFor(t, func() bool { size, live := sizeOf(t, c); return size <= 2*live+slack })
	if n := len(pending(t, c, "")); n != len(keys) {
		t.Errorf("%d timers are pending, want %d", n, len(keys))
	}
}
