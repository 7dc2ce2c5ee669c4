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

	"github.com/timerbench/timerbench/driver"
)

// Set sets many timers, or none if one is invalid.
func TestSet(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	set(t, c, "7", time.Hour)
	at := time.Now().Add(2 * time.Hour).Round(0)
	limits := Limits{time.Minute, 7}
	var timers []Timer
	for i := range 1000 {
		timers = append(timers, Timer{Key: fmt.Sprint(i), Deadline: at, Payload: []byte{byte(i)}, Limits: limits})
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
	if n := stored(t, c, c.layout.allTimers()); n != 1 {
		t.Fatalf("%d timers are there, want none of those refused", n)
	}
	timers = append(timers, Timer{Key: "every", Cron: "@hourly"}, Timer{Key: "first", Cron: "@hourly", Deadline: at})
	for range 2 { // it may be called again
		mustSet(t, c, timers...)
	}
	all := pending(t, c, "")
	for _, timer := range all {
		isCron := timer.Cron != ""
		if timer.Deadline.Equal(at) != (timer.Key != "every") || isCron == (timer.Limits == limits) {
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
		if err := c.Every(t.Context(), "key", spec, []byte(payload), missed...); err != nil {
			t.Fatal(err)
		}
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

// A timer that is set or moved loses what a worker has written about its next run.
func TestChangeForgetsTheRun(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	old := Timer{Key: "key", Cron: "@hourly", Deadline: time.Now().Add(time.Hour), last: true, Error: "on purpose"}
	for range 2 {
		must(t, func() error { return c.publish(t.Context(), c.layout.message(old)) })
		timer := mustGet(t, c, "key")
		if !timer.last || timer.Error != old.Error {
			t.Fatalf("%+v is stored", timer)
		}
		must(t, func() error { _, err := c.Reschedule(t.Context(), "key", old.Deadline); return err })
		moved := mustGet(t, c, "key")
		mustSet(t, c, timer)
		if again := mustGet(t, c, "key"); moved.last || moved.Error != "" || again.last || again.Error != "" {
			t.Errorf("moved: %+v, set: %+v", moved, again)
		}
	}
}

// Many clients change one key without a pause: each call returns, the last change wins, other
// timers fire, and little data is left behind.
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
	if timer := mustGet(t, c, "key"); string(timer.Payload) != "last" || len(timer.removed.revisions) > maxRemoves+1 {
		t.Errorf("%+v is left", timer)
	}
	waitFor(t, func() bool { // a worker removes what was cancelled and what has fired
		n, err := c.Counts(t.Context())
		return err == nil && n.Pending == 1 && n.Fired == 0 && stored(t, c, c.layout.allCancelled())+stored(t, c, c.layout.allFired()) == 0
	})
	if n := len(pending(t, c, "")); n != 1 {
		t.Errorf("%d timers are pending, want 1", n)
	}
}
