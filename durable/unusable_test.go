//go:build unix

package durable

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Every place has a message that cannot be parsed. The messages are logged and counted, and everything else works.
func TestUnusableMessages(t *testing.T) {
	t.Parallel()
	nc := start(t)
	var log logged
	c := open(t, nc, Config{Partitions: 1, Logger: log.logger()})
	l, later := c.layout, time.Now().Add(time.Hour)
	put := func(m *nats.Msg) {
		t.Helper()
		fatalIf(t, c.publish(t.Context(), m))
	}
	raw := func(subject, header, value, body string) {
		t.Helper()
		m := nats.NewMsg(subject)
		m.Header.Set(header, value)
		m.Data = []byte(body)
		put(m)
	}
	put(l.message(Timer{Key: "cron", Deadline: time.Now(), Cron: "TZ=UTC"}))
	put(l.message(Timer{Key: "far cron", Deadline: later, Cron: "TZ=UTC"}))
	raw(l.timer("no schedule"), headerDeadline, "1", "")
	raw(l.timer("bad"), headerDeadline, "x", "")
	raw(l.subject("p.0.t.%"), headerDeadline, "1", "")
	raw(l.subject("p.1.t.elsewhere"), headerDeadline, "1", "")
	raw(l.notes(0), "X", "", "\x80")
	raw(l.notes(7), "X", "", "\x02")
	raw(l.notes(0), "X", "", string(binary.AppendUvarint(nil, math.MaxUint64-1))) // of a later message
	raw(l.notes(0), headerSummary, "x", "")
	raw(l.notes(0), headerSummary, "1 9223372036854775807", "")
	raw(l.notes(0), headerSummary, "1 18446744073709551616", "")
	raw(l.subject("w.x"), "X", "", "")
	raw(l.fired("fired", 1), headerLimits, "x", "payload")
	raw(l.dead("dead", 1), headerAttempts, "x", "")
	for key, text := range map[string]string{"bad": "{", "negative": `{"lease":-1}`, "long": `{"lease":9223372036854775807}`} {
		if _, err := c.members.Put(t.Context(), key, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	set(t, c, "later", time.Hour)

	fired := serve(t, c)
	set(t, c, "good", 0)
	if f := receive(t, fired); f.Key != "good" {
		t.Errorf("fired %+v", f)
	}
	waitFor(t, func() bool { // the zone and the expression of a timer are missing
		err := c.Ready(t.Context())
		return err != nil && strings.Contains(err.Error(), "1 due timers") && strings.Contains(err.Error(), "TZ=UTC")
	})
	if n, timer := c.Stats().Unreadable, mustGet(t, c, "cron"); n != 1 || !strings.Contains(timer.Error, "TZ=UTC") {
		t.Errorf("%d timers are unreadable, and it is %+v", n, timer)
	}
	var dead []DeadLetter
	waitFor(t, func() bool {
		dead = collect(t, c.DeadLetters(t.Context()))
		return len(dead) == 1
	})
	if d := dead[0]; d.Key != "fired" || string(d.Payload) != "payload" || !strings.Contains(d.Error, headerLimits) {
		t.Errorf("dead letter %+v", d)
	}
	collect(t, c.Waiting(t.Context()))
	if all := pending(t, c, ""); len(all) != 4 { // with those that cannot fire
		t.Errorf("%+v are pending, want 4", all)
	}
	if n, err := c.Counts(t.Context()); err != nil || n.Workers != 1 {
		t.Errorf("Counts = %+v, %v", n, err)
	}
	fatalIf(t, c.worker.Load().served[0].compact(t.Context(), -1)) // it condemns none of them
	if _, _, err := c.Get(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), headerDeadline) {
		t.Errorf("Get: %v, want an error with the header", err)
	}
	if _, err := c.Reschedule(t.Context(), "bad", later); err == nil || !strings.Contains(err.Error(), headerDeadline) {
		t.Errorf("Reschedule: %v, want an error with the header", err)
	}
	if err := c.Schedule(t.Context(), "bad", later, nil); err != nil {
		t.Error(err)
	}
	mustGet(t, c, "bad")
	mustCancel(t, c, "cron")
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil })
	if n := c.Stats().Unusable; n < 10 || log.count("next run of a timer cannot be computed") != 1 {
		t.Errorf("%d messages are counted, and the log is\n%s", n, &log.text)
	}
}

// The largest timer that Schedule accepts fires, and can become a dead letter.
func TestLargest(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{MaxAttempts: 1})
	serveWith(t, c, func(context.Context, Fired) error { return errors.New(strings.Repeat("\x00", 10_000)) })
	limit, accepted := int(c.nc.MaxPayload()), 0
	for _, key := range []string{"k", strings.Repeat(".", MaxKey)} {
		for _, below := range []int{0, 1500, 2100, 5200} {
			timer := Timer{Key: key, Deadline: time.Now(), Payload: make([]byte, limit-below)}
			if err := c.check(&timer); err != nil {
				if !errors.Is(err, nats.ErrMaxPayload) || !strings.Contains(err.Error(), "want at most") {
					t.Errorf("%d below the limit: %v, want %v", below, err, nats.ErrMaxPayload)
				}
				continue
			}
			accepted++
			waitFor(t, func() bool { return c.publish(t.Context(), c.layout.message(timer)) == nil })
			waitFor(t, func() bool { return c.Stats().Dead == uint64(accepted) })
		}
	}
	if accepted != 3 {
		t.Errorf("%d are accepted, want 3", accepted)
	}
}

// A tally that no worker has written is replaced. The timer is not called more often than it may be.
func TestUnusableTally(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{MaxAttempts: 3, AckWait: time.Minute, Backoff: func(int) time.Duration { return 0 }})
	bad := []string{"x", "-1", "2147483648", "9223372036854775807"}
	for _, text := range bad {
		fatalIf(t, c.publish(t.Context(), c.layout.firedMessage(Timer{Key: "key" + text, Deadline: time.Unix(1, 0)})))
		m, err := c.last(t.Context(), c.layout.fired("key"+text, time.Unix(1, 0).UnixNano()))
		fatalIf(t, err)
		fatalIf(t, c.publish(t.Context(), newMessage(c.layout.tally(m.Sequence), []byte(text))))
	}
	serveWith(t, c, func(context.Context, Fired) error { return errors.New("on purpose") })
	waitFor(t, func() bool { return c.Stats().Dead == uint64(len(bad)) })
	if s := c.Stats(); s.Failed != uint64(3*len(bad)) || s.Unusable != uint64(len(bad)) {
		t.Errorf("%+v: want 3 calls of each, and each of the %d tallies counted once", s, len(bad))
	}
}

// Fired timers whose dead letters are too large do not keep other timers from being handled, are not
// handled again and again, and stay in the stream. Timers that are too large to fire stay, too.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for name, lower := range map[string]bool{"raw": false, "lowered": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logged
			c := open(t, start(t), Config{Concurrency: 4, MaxAttempts: 1, AckWait: time.Minute, Logger: log.logger()})
			const n = 8
			for i := range n {
				m := nats.NewMsg(c.layout.fired(fmt.Sprint("large", i), 1))
				m.Data = make([]byte, c.nc.MaxPayload()-8)
				if lower {
					m.Data = m.Data[:5000]
				}
				must(t, func() error { return c.publish(t.Context(), m) })
			}
			left := uint64(n)
			if lower {
				mustSet(t, c, Timer{Key: "pending", Deadline: time.Now(), Payload: make([]byte, 5000)})
				cfg := c.stream.CachedInfo().Config
				cfg.MaxMsgSize = 4000
				if _, err := c.js.UpdateStream(t.Context(), cfg); err != nil {
					t.Fatal(err)
				}
				left++
			}
			fired := make(chan Fired, 1<<16)
			serveWith(t, c, func(_ context.Context, f Fired) error {
				fired <- f
				if f.Key == "new" {
					return nil
				}
				return errors.New("on purpose")
			})
			waitFor(t, func() bool { return c.Stats().Unusable == left })
			set(t, c, "new", 0)
			calls := make(map[string]int)
			for f := receive(t, fired); f.Key != "new"; f = receive(t, fired) {
				calls[f.Key]++
			}
			for i := range n {
				if key := fmt.Sprint("large", i); calls[key] != 1 {
					t.Errorf("%s is handled %d times", key, calls[key])
				}
			}
			if !log.has("large0") || lower && !log.has("pending") || len(calls) != n {
				t.Errorf("%v are handled, and the log is\n%s", calls, &log.text)
			}
			waitFor(t, func() bool { return stored(t, c, c.layout.allFired()) == n })
			if k := stored(t, c, c.layout.allTimers()); k != int(left)-n {
				t.Errorf("%d timers are stored, want %d", k, int(left)-n)
			}
			if s := c.Stats(); s.Unusable != left || s.Dead != 0 {
				t.Errorf("%+v: want %d counted once", s, left)
			}
		})
	}
}

// A panic while firing ends the process.
func TestPanicEndsFiring(t *testing.T) {
	w := newWorker(&Client{cfg: Config{Now: func() time.Time { panic("on purpose") }}}, nil)
	w.due.put(&near{})
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		w.fireDue(context.Background())
	}()
	if p := receive(t, ended); p != "on purpose" { // it does not wait for the goroutine that takes the answers
		t.Errorf("it ends with %v", p)
	}
}
