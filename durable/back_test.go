package durable

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stored returns how many messages a subject filter matches.
func stored(t *testing.T, c *Client, subject string) int {
	t.Helper()
	var n uint64
	must(t, func() (err error) {
		n, err = c.count(t.Context(), subject)
		return err
	})
	return int(n)
}

// publishAll stores n messages, many at a time.
func publishAll(t *testing.T, c *Client, n int, message func(i int) *nats.Msg) {
	t.Helper()
	for i := range n {
		if _, err := c.js.PublishMsgAsync(message(i)); err != nil {
			t.Fatal(err)
		}
	}
	<-c.js.PublishAsyncComplete()
}

// mustNote notes that a server has restored timers of a partition.
func mustNote(t *testing.T, c *Client, timers ...Timer) {
	t.Helper()
	var list []removal
	for _, timer := range timers {
		list = append(list, timer.removal())
	}
	fatalIf(t, c.note(t.Context(), c.layout.partition(timers[0].Key), true, list...))
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

// removedBy returns what a new client considers removed from the partition of a key.
func removedBy(t *testing.T, s *Server, key string) *removedSet {
	t.Helper()
	c := open(t, connect(t, s), Config{})
	set, err := c.removedNow(t.Context(), c.layout.partition(key), anyAge)
	fatalIf(t, err)
	return set
}

// Reading ends even if the messages are removed in the meantime.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{})
	const n = 2 * readAhead
	publishAll(t, c, n, func(i int) *nats.Msg {
		return c.layout.firedMessage(Timer{Key: "key", Deadline: time.Unix(0, int64(i))})
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	came := 0
	err := c.read(ctx, whole, c.layout.allFired(), func(message) error {
		if came++; came > 1 {
			return nil
		}
		return c.stream.Purge(ctx, jetstream.WithPurgeSubject(c.layout.allFired()))
	})
	if err != nil {
		t.Fatalf("after %d messages: %v", came, err)
	}
	if came == 0 || came == n {
		t.Errorf("%d messages came, want some of %d", came, n)
	}
}

// A killed server has restored a timer, and the stream has the message that removed it. The timer
// is not pending for any client and does not fire, and a scan removes it.
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
			m := l.firedMessage(old)
			m.Header.Set(headerScheduler, l.timer("nobody")) // so that the server does not remove it again
			m.Header.Set(headerScheduleNext, "purge")
			return m, nil
		}, 0},
		{"moved", func(c *Client, old Timer) (*nats.Msg, error) {
			moved := old
			moved.Deadline = time.Now().Add(time.Hour)
			m := l.message(moved)
			m.Header.Del(jetstream.MsgRollup)
			m.Header.Del(headerSchedule)
			m.Header.Del(headerScheduleTarget)
			return m, nil
		}, 1},
		{"noted", func(c *Client, old Timer) (*nats.Msg, error) {
			return l.firedMessage(Timer{Key: "other", Deadline: time.Unix(0, 0)}), c.note(t.Context(), 0, false, old.removal())
		}, 0},
		{"summary", func(_ *Client, old Timer) (*nats.Msg, error) {
			return summary{to: old.Revision}.message(l.notes(0)), nil
		}, 0},
	} {
		for name, horizon := range map[string]time.Duration{"near": time.Hour, "far": time.Second} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := embedded(t, t.TempDir())
				cfg := Config{Partitions: 1, Horizon: horizon}
				c := open(t, connect(t, s), cfg)
				at := soon()
				if horizon < time.Minute {
					at = at.Add(2 * time.Second)
				}
				m := l.message(Timer{Key: "key", Deadline: at})
				m.Header.Del(headerSchedule) // so that the server lets two stand beside each other
				m.Header.Del(headerScheduleTarget)
				fatalIf(t, c.publish(t.Context(), m))
				old, err := c.last(t.Context(), l.timer("key"))
				fatalIf(t, err)
				m, err = test.remove(c, Timer{Key: "key", Deadline: at, Revision: old.Sequence})
				if err == nil {
					err = c.publish(t.Context(), m)
				}
				fatalIf(t, err)
				if n := stored(t, c, l.timer("key")); n != 1+test.stays {
					t.Fatalf("%d timers are stored, want %d", n, 1+test.stays)
				}

				c = open(t, connect(t, s), cfg)
				all := pending(t, c, "")
				if len(all) != test.stays || len(all) > 0 && all[0].Revision == old.Sequence {
					t.Errorf("Pending has %+v, want %d timers", all, test.stays)
				}
				fired := serve(t, c)
				waitFor(t, func() bool { return stored(t, c, l.timer("key")) == test.stays })
				time.Sleep(time.Until(at.Add(500 * time.Millisecond)))
				want := map[string]int{"fired": 1, "noted": 1}[test.name]
				if len(fired) != want {
					t.Errorf("%d timers fired, want %d", len(fired), want)
				}
				c = open(t, connect(t, s), cfg)
				got, ok, err := c.Get(t.Context(), "key")
				if err != nil || ok != (test.stays > 0) || ok && got.Revision == old.Sequence {
					t.Errorf("Get = %+v, %v, %v", got, ok, err)
				}
			})
		}
	}
}

// Removing restored timers is no loss, although it stores no message per timer.
func TestRemovedAgainIsNoLoss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, dir)
	c := open(t, connect(t, s), Config{Partitions: 1})
	setMany(t, c, 200, "", time.Hour)
	all := pending(t, c, "")
	slices.SortFunc(all, func(a, b Timer) int { return cmp.Compare(a.Revision, b.Revision) })
	mustNote(t, c, all[10:]...)
	// The note has all timers, and no message after.
	text := waitForNote(t, dir, func(h holding) bool { return h.Timers == 200 && h.Last >= all[199].Revision+1 })
	c = open(t, connect(t, s), Config{})
	stop := serveWith(t, c, func(context.Context, Fired) error { return nil })
	waitFor(t, func() bool { return stored(t, c, c.layout.allTimers()) == 10 })
	stop()
	s.Close()
	restart := func() error {
		fatalIf(t, os.WriteFile(s.inventoryPath(), text, 0o600))
		return tryEmbedded(dir)
	}
	if err := restart(); err != nil {
		t.Error(err)
	}
	text = bytes.Replace(text, []byte(`"Timers":200`), []byte(`"Timers":600`), 1)
	if err := restart(); !errors.Is(err, ErrLoss) {
		t.Errorf("with 600 timers noted: %v, want %v", err, ErrLoss)
	}
}

// A sweep removes handled timers that their worker left, and neither the next one, which nobody has handled, nor a tally
// of it. It notes what they had removed.
func TestSweep(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{AckWait: time.Hour})
	put := func(m *nats.Msg) (revision uint64) {
		t.Helper()
		must(t, func() error {
			ack, err := c.js.PublishMsg(t.Context(), m)
			if err == nil {
				revision = ack.Sequence
			}
			return err
		})
		return revision
	}
	oldTally := put(nats.NewMsg(c.layout.tally(99))) // as of a timer that was handled
	fired := func(key string) *nats.Msg {
		m := c.layout.firedMessage(Timer{Key: key, Deadline: time.Now()})
		c.layout.removing(m, Timer{Key: key})
		return m
	}
	first := put(fired("first"))
	last := put(fired("last"))
	next := put(fired("unhandled"))
	tally := put(newMessage(c.layout.tally(next), []byte("1")))
	if next != last+1 {
		t.Fatalf("revisions %d and %d: want one after the other", last, next)
	}
	batch, err := c.consumer.Fetch(3)
	fatalIf(t, err)
	for m := range batch.Messages() {
		if !strings.Contains(m.Subject(), "unhandled") {
			fatalIf(t, m.DoubleAck(t.Context()))
		}
	}
	exists := func(revision uint64) bool {
		_, err := c.at(t.Context(), revision)
		if err != nil && !errors.Is(err, nats.ErrMsgNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	sweep := func() {
		t.Helper()
		must(t, func() error { return (&sweeper{Client: c}).sweep(t.Context()) })
	}
	begin := time.Now()
	sweep()
	if !exists(first) && time.Since(begin) < orphaned/2 {
		t.Error("a timer is removed while its worker may be about to")
	}
	waitFor(t, func() bool {
		sweep()
		return !exists(first) && !exists(last)
	})
	if exists(oldTally) || !exists(next) || !exists(tally) {
		t.Errorf("there are an old tally: %v, the next timer: %v, its tally: %v; want the last two",
			exists(oldTally), exists(next), exists(tally))
	}
	for key, fired := range map[string]uint64{"first": first, "last": last, "unhandled": next} {
		set := removedBy(t, s, key)
		if set.has(removal{revision: fired}) != (fired != next) || !set.hasTimer(Timer{Key: key, Revision: fired - 1}) {
			t.Errorf("%+v does not have %q, or has message %d", set, key, next)
		}
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
	if len(fired) > 0 {
		t.Errorf("%+v fires as well", <-fired)
	}
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

// noteBytes returns the size of all notes and summaries.
func noteBytes(t *testing.T, c *Client) (size int) {
	t.Helper()
	must(t, func() error {
		size = 0
		return c.read(t.Context(), whole, c.layout.allNotes("*"), func(m message) error {
			size += noteSize + len(m.Data())
			return nil
		})
	})
	return size
}

// A summary takes over what notes say about removed messages, while others set, move, cancel and fire timers, and
// while another worker replaces the same notes. It condemns no message that is there.
func TestNotesAreReplaced(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{Partitions: 1, Concurrency: 4})
	l := c.layout
	hold := make(chan struct{})
	stop := serveWith(t, c, func(_ context.Context, f Fired) error {
		if strings.HasPrefix(f.Key, "held") {
			<-hold
		}
		return nil
	})
	set(t, c, "held", 0)
	waitFor(t, func() bool { st := c.Stats(); return st.Partitions == 1 && st.Fired == 1 })
	p := c.worker.Load().served[0]
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	summaries := 0
	for i := range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				err := p.compact(ctx, 200)
				if i == 0 && err == nil {
					summaries++
				}
			}
		})
	}
	const each = 100
	var removed, fired [each]removal
	for i := range each {
		key := func(kind string) string { return fmt.Sprint(kind, i) }
		set(t, c, key("cancelled"), time.Hour)
		removed[i] = mustGet(t, c, key("cancelled")).removal()
		mustCancel(t, c, key("cancelled"))
		set(t, c, key("pending"), time.Hour)
		moveAll(t, c, []string{key("pending")}, 2, 2*time.Hour)
		set(t, c, key("fired"), time.Hour)
		fired[i] = mustGet(t, c, key("fired")).removal()
		moveAll(t, c, []string{key("fired")}, 1, 0)
	}
	waitFor(t, func() bool { return stored(t, c, l.allCancelled("*"))+stored(t, c, l.allFired()) == 1 })
	cancel()
	wg.Wait()
	must(t, func() error { return p.compact(t.Context(), -1) })
	size := noteBytes(t, c)
	t.Logf("%d times, and %d bytes are left", summaries, size)
	if summaries < 3 || size > 64*each {
		t.Errorf("%d summaries, and %d bytes are left: want some, and at most 64 for each of %d timers", summaries, size, each)
	}
	known := removedBy(t, s, "any")
	for i := range each {
		if !known.has(removed[i]) || !known.has(fired[i]) {
			t.Errorf("timer %d of %d that were removed is not known", i, each)
		}
	}
	if n := len(pending(t, c, "pending")); n != each {
		t.Errorf("%d timers are pending, want %d", n, each)
	}
	if w := collect(t, c.Waiting(t.Context())); len(w) != 1 || w[0].Key != "held" {
		t.Errorf("%+v wait, want the timer that is held", w)
	}
	close(hold)
	stop()
}

// Moves leave nothing in the stream, even without a worker. A client that starts reads little.
func TestMovesLeaveNothing(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{})
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint("key", i)
		set(t, c, keys[i], time.Hour)
	}
	moveAll(t, c, keys, 1, time.Hour) // its message has one header more
	before, err := c.Counts(t.Context())
	fatalIf(t, err)
	moveAll(t, c, keys, 40, time.Hour)
	after, err := c.Counts(t.Context())
	fatalIf(t, err)
	if after.Bytes > before.Bytes+before.Bytes/10 {
		t.Errorf("the stream grows from %d to %d bytes", before.Bytes, after.Bytes)
	}
	nc := connect(t, s)
	c = open(t, nc, Config{})
	read := nc.Stats().InBytes
	mustGet(t, c, keys[0])
	t.Logf("%d bytes", nc.Stats().InBytes-read)
	if read = nc.Stats().InBytes - read; read > 8_000 {
		t.Errorf("a new client reads %d bytes to get a timer", read)
	}
}
