package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stored returns how many messages a subject has.
func stored(t *testing.T, c *Client, subject string) int {
	t.Helper()
	n, err := c.count(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// embeddedHere returns a server that runs until the test ends.
func embeddedHere(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Embedded(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openHere(t *testing.T, s *Server, cfg Config) *Client {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	c, err := Open(t.Context(), nc, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serveHere runs c as a worker until the test ends, and returns the keys that it handles.
func serveHere(t *testing.T, c *Client) <-chan string {
	fired := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Serve(ctx, func(_ context.Context, f Fired) error { fired <- f.Key; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
	})
	return fired
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 20s: want %s", what)
		}
	}
}

// What is read may be removed meanwhile: reading ends all the same.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	c := openHere(t, s, Config{})
	const n = 2 * readAhead
	for i := range n {
		if _, err := c.js.PublishMsgAsync(c.layout.firedMessage("key", int64(i), nil)); err != nil {
			t.Fatal(err)
		}
	}
	<-c.js.PublishAsyncComplete()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	came := 0
	for _, err := range c.read(ctx, whole, c.layout.allFired()) {
		if came == 0 {
			err = errors.Join(err, c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allFired())))
		}
		if err != nil {
			t.Fatalf("after %d messages: %v", came, err)
		}
		came++
	}
	if came == 0 || came == n {
		t.Errorf("%d messages came, want some of %d", came, n)
	}
}

// Reading the last of each key goes on with the last of each when its consumer is gone.
func TestReadsLastAfterReset(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	c := openHere(t, s, Config{Partitions: 1})
	const n = 2 * readAhead
	for i := range n {
		m := c.layout.message(Timer{Key: strconv.Itoa(min(i, n-2)), Deadline: time.Now().Add(time.Hour)})
		m.Header = nats.Header{} // so that the last two stand beside each other
		if _, err := c.js.PublishMsgAsync(m); err != nil {
			t.Fatal(err)
		}
	}
	<-c.js.PublishAsyncComplete()
	if got := stored(t, c, c.layout.allTimers()); got != n {
		t.Fatalf("%d timers are stored, want %d", got, n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	came := make(map[string]int)
	for m, err := range c.read(ctx, lastOfEach, c.layout.allTimers()) {
		if err != nil {
			t.Fatalf("after %d messages: %v", len(came), err)
		}
		if len(came) == 0 {
			for name := range c.stream.ConsumerNames(ctx).Name() {
				if err := c.stream.DeleteConsumer(ctx, name); err != nil && name != workersConsumer {
					t.Log(err) // one that counts ends by itself
				}
			}
		}
		came[m.Subject()]++
	}
	if len(came) != n-1 || came[c.layout.timer(strconv.Itoa(n-2))] != 1 {
		t.Errorf("%d keys came, want %d, and the last of them %d times, want once",
			len(came), n-1, came[c.layout.timer(strconv.Itoa(n-2))])
	}
}

// A timer is there and so is what has removed it, as the server was killed between the
// two: it is not pending, whoever asks, and does not fire. Reading it removes it.
func TestComesBack(t *testing.T) {
	t.Parallel()
	l := layout{name: "timers", partitions: 1}
	soon := func() time.Time { return time.Now().Add(time.Second) }
	for _, test := range []struct {
		name   string
		remove func(c *Client, old Timer) (*nats.Msg, error) // what has removed the timer
		stays  int                                           // timers that are pending then
	}{
		{"cancelled", func(_ *Client, old Timer) (*nats.Msg, error) {
			m := l.cancelMessage(old)
			m.Header = nats.Header{}
			return m, nil
		}, 0},
		{"fired", func(_ *Client, old Timer) (*nats.Msg, error) {
			m := l.firedMessage(old.Key, old.Deadline.UnixNano(), nil)
			old.removal().write(m)
			return m, nil
		}, 0},
		{"moved", func(c *Client, old Timer) (*nats.Msg, error) {
			moved := old
			moved.Deadline = time.Now().Add(time.Hour)
			m, err := c.replacing(t.Context(), old, moved)
			m.Header.Del(jetstream.MsgRollup)
			m.Header.Del(headerSchedule)
			m.Header.Del(headerScheduleTarget)
			return m, err
		}, 1},
		{"noted", func(c *Client, old Timer) (*nats.Msg, error) {
			return l.firedMessage("other", 0, nil), c.note(t.Context(), old.removal())
		}, 0},
		{"done", func(_ *Client, old Timer) (*nats.Msg, error) {
			text, err := json.Marshal(done{old.Revision, old.Deadline.UnixNano()})
			return newMessage(l.done(0), text), err
		}, 0},
	} {
		for name, horizon := range map[string]time.Duration{"near": time.Hour, "far": time.Second} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := embeddedHere(t, t.TempDir())
				cfg := Config{Partitions: 1, Horizon: horizon}
				c := openHere(t, s, cfg)
				at := soon()
				if horizon < time.Minute {
					at = at.Add(2 * time.Second)
				}
				m := l.message(Timer{Key: "key", Deadline: at})
				m.Header.Del(headerSchedule) // so that the server lets two stand beside each other
				m.Header.Del(headerScheduleTarget)
				if err := c.publish(t.Context(), m); err != nil {
					t.Fatal(err)
				}
				old, err := c.last(t.Context(), l.timer("key"))
				if err != nil {
					t.Fatal(err)
				}
				m, err = test.remove(c, Timer{Key: "key", Deadline: at, Revision: old.Sequence})
				if err == nil {
					err = c.publish(t.Context(), m)
				}
				if err != nil {
					t.Fatal(err)
				}
				if n := stored(t, c, l.timer("key")); n != 1+test.stays {
					t.Fatalf("%d timers are stored, want %d", n, 1+test.stays)
				}

				c = openHere(t, s, cfg)
				n := 0
				for timer, err := range c.Pending(t.Context(), "") {
					if err != nil {
						t.Fatal(err)
					}
					if timer.Revision == old.Sequence {
						t.Errorf("Pending has %+v, which was %s", timer, test.name)
					}
					n++
				}
				if n != test.stays {
					t.Errorf("Pending has %d timers, want %d", n, test.stays)
				}
				fired := serveHere(t, c)
				eventually(t, "the timer removed", func() bool { return stored(t, c, l.timer("key")) == test.stays })
				time.Sleep(time.Until(at.Add(500 * time.Millisecond)))
				want := map[string]int{"fired": 1, "noted": 1}[test.name]
				if len(fired) != want {
					t.Errorf("%d timers fired, want %d", len(fired), want)
				}
				c = openHere(t, s, cfg)
				got, ok, err := c.Get(t.Context(), "key")
				if err != nil || ok != (test.stays > 0) || ok && got.Revision == old.Sequence {
					t.Errorf("Get = %+v, %v, %v", got, ok, err)
				}
			})
		}
	}
}

// Get, Cancel and Schedule take no notice of a timer that has come back, and remove it.
func TestChangesWhatCameBack(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	far := time.Now().Add(time.Hour)
	for name, call := range map[string]func(*Client, string) (bool, error){
		"get":        func(c *Client, key string) (bool, error) { _, ok, err := c.Get(t.Context(), key); return ok, err },
		"cancel":     func(c *Client, key string) (bool, error) { return c.Cancel(t.Context(), key) },
		"reschedule": func(c *Client, key string) (bool, error) { return c.Reschedule(t.Context(), key, far) },
		"schedule":   func(c *Client, key string) (bool, error) { return false, c.Schedule(t.Context(), key, far, nil) },
	} {
		c := openHere(t, s, Config{})
		if err := c.Schedule(t.Context(), name, far, nil); err != nil {
			t.Fatal(err)
		}
		old, err := c.last(t.Context(), c.layout.timer(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.note(t.Context(), removal{revisions: []uint64{old.Sequence}}); err != nil {
			t.Fatal(err)
		}
		c = openHere(t, s, Config{})
		if ok, err := call(c, name); ok || err != nil {
			t.Errorf("%s = %v, %v", name, ok, err)
		}
		if now, err := c.last(t.Context(), c.layout.timer(name)); err == nil && now.Sequence == old.Sequence {
			t.Errorf("%s leaves the timer where it was", name)
		}
	}
}

// What came back is removed without a message for each: that is no loss.
func TestRemovedAgainIsNoLoss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embeddedHere(t, dir)
	c := openHere(t, s, Config{Partitions: 1})
	var all []uint64
	for i := range 200 {
		key := strconv.Itoa(i)
		if err := c.Schedule(t.Context(), key, time.Now().Add(time.Hour), nil); err != nil {
			t.Fatal(err)
		}
		if i < 10 {
			continue
		}
		timer, _, err := c.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, timer.Revision)
	}
	if err := c.note(t.Context(), removal{revisions: all}); err != nil {
		t.Fatal(err)
	}
	var text []byte // of a note that has all timers, and no message after
	eventually(t, "all timers noted", func() bool {
		var n inventory
		var err error
		text, err = os.ReadFile(s.inventoryPath())
		return err == nil && json.Unmarshal(text, &n) == nil &&
			n.Streams["timers"].Timers == 200 && n.Streams["timers"].Last >= all[len(all)-1]+1
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	c = openHere(t, s, Config{})
	go func() { ended <- c.Serve(ctx, func(context.Context, Fired) error { return nil }) }()
	eventually(t, "what came back removed", func() bool { return stored(t, c, c.layout.allTimers()) == 10 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returned %v", err)
	}
	s.Close()
	restart := func() error {
		if err := os.WriteFile(s.inventoryPath(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Embedded(dir)
		if err == nil {
			s.Close()
		}
		return err
	}
	if err := restart(); err != nil {
		t.Error(err)
	}
	text = bytes.Replace(text, []byte(`"Timers":200`), []byte(`"Timers":600`), 1)
	if err := restart(); !errors.Is(err, ErrLoss) {
		t.Errorf("with 600 timers noted: %v, want %v", err, ErrLoss)
	}
}

// The revisions that a timer has had go along with it, and are noted when there are many.
func TestTakesAlongWhatItRemoved(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	c := openHere(t, s, Config{})
	var all []uint64
	at := time.Now().Add(time.Hour)
	for i := range 2*maxRemoves + 5 {
		var err error
		if i%2 == 0 {
			err = c.Schedule(t.Context(), "key", at, nil)
		} else {
			_, err = c.Reschedule(t.Context(), "key", at)
		}
		if err != nil {
			t.Fatal(err)
		}
		timer, _, err := c.Get(t.Context(), "key")
		if err != nil || len(timer.removed.revisions) > maxRemoves+1 {
			t.Fatalf("%d revisions go along, %v", len(timer.removed.revisions), err)
		}
		all = append(all, timer.Revision)
	}
	if ok, err := c.Cancel(t.Context(), "key"); !ok || err != nil {
		t.Fatalf("Cancel = %v, %v", ok, err)
	}
	set, err := openHere(t, s, Config{}).removedNow(t.Context(), anyAge)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if !set.hasRevision(r) {
			t.Errorf("revision %d of %d is not among what was removed", i, len(all))
		}
	}
	// A worker notes the Cancel, and removes it.
	serveHere(t, c)
	eventually(t, "the Cancel removed", func() bool { return stored(t, c, c.layout.allCancelled()) == 0 })
	if set, err = openHere(t, s, Config{}).removedNow(t.Context(), anyAge); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(all, func(r uint64) bool { return !set.hasRevision(r) }); i >= 0 {
		t.Errorf("after the Cancel is gone revision %d of %d is not among what was removed", i, len(all))
	}
}

func TestNoteRefuses(t *testing.T) {
	if got, err := parseNote(nil, []byte{3, 2, 0x80}); err == nil {
		t.Errorf("a note that is cut off: %v, no error", got)
	}
	header := nats.Header{headerRemoves: {"3 x"}}
	if got, err := readRemoval(header); err == nil || !strings.Contains(err.Error(), headerRemoves) {
		t.Errorf("readRemoval(%v) = %v, %v", header, got, err)
	}
}

// A worker knows up to which deadline all has fired.
func TestDone(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	c := openHere(t, s, Config{Partitions: 1, Horizon: time.Minute})
	now := time.Now()
	var last Timer
	for _, in := range []time.Duration{time.Second, 20 * time.Second, time.Hour} {
		key := in.String()
		if err := c.Schedule(t.Context(), key, now.Add(in), nil); err != nil {
			t.Fatal(err)
		}
		timer, _, err := c.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if timer.Revision > last.Revision {
			last = timer
		}
	}
	fired := serveHere(t, c)
	eventually(t, "all timers read", func() bool { st := c.Stats(); return st.Partitions == 1 && st.Near+st.Far == 3 })
	p := c.owner.Load().served[0].partition
	check := func(after, before time.Duration) {
		t.Helper()
		d, ok := p.done()
		at := time.Unix(0, d.Deadline)
		if !ok || d.Revision < last.Revision || at.Before(now.Add(after)) || !at.Before(now.Add(before)) {
			t.Errorf("done = %+v, %v: want at least revision %d and a deadline from %v to %v", d, ok, last.Revision, after, before)
		}
	}
	check(-time.Second, time.Second)
	if _, ok := p.done(); ok {
		t.Error("nothing has changed, and done says otherwise")
	}
	<-fired
	eventually(t, "one timer gone", func() bool { st := c.Stats(); return st.Near == 1 })
	check(time.Second, 20*time.Second)
	n := &near{p: p, timer: Timer{Key: "stuck"}, deadline: now.UnixNano()}
	p.leave(n)
	check(-time.Second, 0)

	p.storeDone(t.Context())
	p.mu.Lock()
	p.changed = true
	p.mu.Unlock()
	p.storeDone(t.Context())
	set, err := openHere(t, s, Config{}).removedNow(t.Context(), anyAge)
	if err != nil || set.done[0].Revision < last.Revision || set.has(0, last) {
		t.Errorf("%+v, %v: want what is done with stored, and what is pending left out", set, err)
	}
}

// Notes stay until what they name would be due.
func TestForgetsNotes(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	var ahead time.Duration
	c := openHere(t, s, Config{Now: func() time.Time { return time.Now().Add(ahead) }})
	batch := []spent{{revision: 100}, {revision: 101, removal: removal{[]uint64{90}, time.Now().Add(time.Hour).UnixNano()}}}
	if err := c.noteSpent(batch); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		ahead time.Duration
		want  []uint64
	}{{0, []uint64{90, 100, 101}}, {noteAge + time.Second, []uint64{90, 101}}, {2 * time.Hour, nil}} {
		ahead = step.ahead
		if err := c.forgetNotes(t.Context()); err != nil {
			t.Fatal(err)
		}
		set, err := openHere(t, s, Config{}).removedNow(t.Context(), anyAge)
		if err != nil || !slices.Equal(set.revisions, step.want) {
			t.Errorf("after %v: %v, %v: want %v", step.ahead, set.revisions, err, step.want)
		}
	}
}

// A worker looks again for far timers when the clock has jumped, as after a suspend.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	c := openHere(t, s, Config{Now: now})
	for key, in := range map[string]time.Duration{"near": 30 * time.Minute, "far": 3 * time.Hour} {
		if err := c.Schedule(t.Context(), key, time.Now().Add(in), nil); err != nil {
			t.Fatal(err)
		}
	}
	fired := serveHere(t, c)
	eventually(t, "both timers read", func() bool { st := c.Stats(); return st.Near == 1 && st.Far == 1 })
	ahead.Store(int64(4 * time.Hour))
	for range 2 {
		select {
		case <-fired:
		case <-time.After(10 * time.Second):
			t.Fatal("10s after the clock has jumped a timer has not fired")
		}
	}
}

// Only workers that give signs of life are counted.
func TestCountsTheLiving(t *testing.T) {
	t.Parallel()
	s := embeddedHere(t, t.TempDir())
	c := openHere(t, s, Config{Lease: 500 * time.Millisecond})
	if _, err := c.members.Put(t.Context(), "dead", []byte(`{"serves":[],"lease":500000000}`)); err != nil {
		t.Fatal(err)
	}
	serveHere(t, c)
	eventually(t, "one worker of two", func() bool {
		n, err := c.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n.Workers == 1 && c.Stats().Partitions == 16
	})
}
