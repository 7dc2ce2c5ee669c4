//go:build unix

package durable

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// There are messages that cannot be read. They are logged and counted, and everything else works.
func TestUnusableMessages(t *testing.T) {
	t.Parallel()
	nc := start(t)
	var log logged
	c := open(t, nc, Config{Partitions: 1, Logger: log.logger()})
	later := time.Now().Add(time.Hour)
	put(t, c, Timer{Key: "cron", Deadline: time.Now(), Cron: "TZ=UTC"})
	put(t, c, Timer{Key: "far cron", Deadline: later, Cron: "TZ=UTC"})
	cut := record{op: opCancel, key: "later"}
	for _, body := range [][]byte{nil, {}, {format}, {1, 2, 3}, cut.append(messageID{1, 2}.append(nil))[:15]} {
		m := nats.NewMsg(c.layout.log(0))
		m.Data = body
		_, err := c.js.PublishMsg(t.Context(), m)
		fatalIf(t, err)
	}
	for _, question := range [][]byte{nil, {askVerdict}, {askTimer}, {askCounts, 255}, {'x', 1}} {
		fatalIf(t, nc.Publish(c.layout.ask(0), question))
	}
	for key, text := range map[string]string{"bad": "{", "negative": `{"lease":-1}`, "long": `{"lease":9223372036854775807}`} {
		_, err := c.members.Put(t.Context(), key, []byte(text))
		fatalIf(t, err)
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
	if all := pending(t, c, ""); len(all) != 3 { // with those that cannot fire
		t.Errorf("%+v are pending, want 3", all)
	}
	if n, err := c.Counts(t.Context()); err != nil || n.Workers != 1 || n.Pending != 3 {
		t.Errorf("Counts = %+v, %v", n, err)
	}
	mustCancel(t, c, "cron")
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil })
	if n := c.Stats().Unusable; n < 8 || log.count("next run of a timer cannot be computed") != 1 {
		t.Errorf("%d messages are counted, and the log is\n%s", n, &log.text)
	}
	m := nats.NewMsg(c.layout.base(0))
	m.Data = []byte{9}
	_, err := c.js.PublishMsg(t.Context(), m)
	fatalIf(t, err)
	other := open(t, nc, Config{})
	for _, err := range other.Pending(t.Context(), "") { // where the log begins is not known
		if err == nil || !strings.Contains(err.Error(), "has format 9: want 2") {
			t.Errorf("Pending: %v", err)
		}
	}
}

// The largest timer that Schedule accepts fires, can become a dead letter, and survives cleaning.
func TestLargest(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1, MaxAttempts: 1})
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
			mustSet(t, c, timer)
			counted(t, c, func(n Counts) bool { return n.Dead == uint64(accepted) })
		}
	}
	if accepted != 3 {
		t.Errorf("%d are accepted, want 3", accepted)
	}
	p := c.worker.Load().served[0]
	before := p.replica.base.First
	for range 20 {
		must(t, func() error { _, err := c.clean(t.Context(), 0, p, true, 0); return err })
	}
	if p.replica.base.First <= before {
		t.Error("the log was not cleaned")
	}
	all := collect(t, c.DeadLetters(t.Context()))
	if len(all) != accepted {
		t.Errorf("%d dead letters are left, want %d", len(all), accepted)
	}
	for _, d := range all {
		if len(d.Payload) < limit-6000 || len(d.Error) != maxError {
			t.Errorf("a dead letter has %d and %d bytes", len(d.Payload), len(d.Error))
		}
	}
}

// A timer that has become larger than a message may be fires nevertheless, and others, too.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	var log logged
	c := open(t, start(t), Config{Partitions: 1, Logger: log.logger()})
	mustSet(t, c, Timer{Key: "large", Deadline: time.Now().Add(time.Hour), Payload: make([]byte, 500_000)})
	cfg := c.stream.CachedInfo().Config
	cfg.MaxMsgSize = 2 * maxBatch
	_, err := c.js.UpdateStream(t.Context(), cfg)
	fatalIf(t, err)
	fired := serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 1 })
	if _, err := c.clean(t.Context(), 0, c.worker.Load().served[0], false, 0); err == nil {
		t.Error("it is repeated")
	}
	set(t, c, "new", 0)
	moveAll(t, c, []string{"large"}, 1, 0)
	for _, size := range []int{3, 500_000} {
		if f := receive(t, fired); len(f.Payload) != size {
			t.Errorf("fired %q with %d bytes, want %d", f.Key, len(f.Payload), size)
		}
	}
}

// A panic while firing ends the process.
func TestPanicEndsFiring(t *testing.T) {
	w := newWorker(&Client{cfg: Config{Now: func() time.Time { panic("on purpose") }}})
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		w.fireDue(context.Background())
	}()
	if p := receive(t, ended); p != "on purpose" {
		t.Errorf("it ends with %v", p)
	}
}
