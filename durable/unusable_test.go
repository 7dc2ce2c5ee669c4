//go:build unix

package durable

import (
	"context"
	"errors"
	"math"
	"slices"
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
		if err := c.publish(t.Context(), m); err != nil {
			t.Fatal(err)
		}
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
	raw(l.cancelled(0), headerRemoves, "x", "bad")
	raw(l.notes(), headerUntil, "x", "\x80")
	raw(l.done(0), "X", "", "{")
	raw(l.done(7), "X", "", "{}")
	raw(l.subject("w.x"), "X", "", "")
	raw(l.fired("fired", 1), headerLimits, "x", "payload")
	raw(l.dead("dead", 1), headerAttempts, "x", "")
	if _, err := c.members.Put(t.Context(), "bad", []byte("{")); err != nil {
		t.Fatal(err)
	}
	set(t, c, "later", time.Hour)

	fired := serve(t, c)
	set(t, c, "good", 0)
	if f := receive(t, fired); f.Key != "good" {
		t.Errorf("fired %+v", f)
	}
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil })
	var dead []DeadLetter
	waitFor(t, func() bool {
		dead = nil
		for d, err := range c.DeadLetters(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			dead = append(dead, d)
		}
		return len(dead) == 1
	})
	if d := dead[0]; d.Key != "fired" || string(d.Payload) != "payload" || !strings.Contains(d.Error, headerLimits) {
		t.Errorf("dead letter %+v", d)
	}
	for _, err := range c.Waiting(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
	if all := pending(t, c, ""); len(all) != 4 { // with those that cannot fire
		t.Errorf("%+v are pending, want 4", all)
	}
	if n, err := c.Counts(t.Context()); err != nil || n.Workers != 1 {
		t.Errorf("Counts = %+v, %v", n, err)
	}
	if err := c.forgetNotes(t.Context()); err != nil {
		t.Error(err)
	}
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
	if n := c.Stats().Unusable; n < 10 || !log.has("TZ=UTC") {
		t.Errorf("%d messages are counted, and the log is\n%s", n, &log.text)
	}
}

// A panic while firing ends the process.
func TestPanicEndsFiring(t *testing.T) {
	f := newFiring(&Client{cfg: Config{Now: func() time.Time { panic("on purpose") }}}, nil)
	f.due.put(&near{})
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		f.run(context.Background())
	}()
	select {
	case p := <-ended:
		if p != "on purpose" {
			t.Errorf("it ends with %v", p)
		}
	case <-time.After(time.Minute):
		t.Error("the panic waits for the goroutine that takes the answers")
	}
}

// The largest timer that Schedule accepts fires, and can become a dead letter.
func TestLargest(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{MaxAttempts: 1})
	serveWith(t, c, func(context.Context, Fired) error { return errors.New(strings.Repeat("\x00", 10_000)) })
	// A timer that was moved often removes its own earlier messages.
	removed := removal{slices.Repeat([]uint64{math.MaxInt64}, maxRemoves-1), math.MaxInt64}
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
			timer.removed = removed
			waitFor(t, func() bool { return c.publish(t.Context(), c.layout.message(timer)) == nil })
			waitFor(t, func() bool { return c.Stats().Dead == uint64(accepted) })
		}
	}
	if accepted != 3 {
		t.Errorf("%d are accepted, want 3", accepted)
	}
}
