package durable

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
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

// mustNote notes that revisions were removed.
func mustNote(t *testing.T, c *Client, revisions ...uint64) {
	t.Helper()
	fatalIf(t, c.note(t.Context(), removal{revisions: revisions}))
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

// removedBy returns what a new client considers removed.
func removedBy(t *testing.T, s *Server) *removedSet {
	t.Helper()
	set, err := open(t, connect(t, s), Config{}).removedNow(t.Context(), anyAge)
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

// If its consumer is deleted, reading the last message per key continues without duplicates.
func TestReadsLastAfterReset(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{Partitions: 1})
	const n = 2 * readAhead
	publishAll(t, c, n, func(i int) *nats.Msg {
		m := c.layout.message(Timer{Key: strconv.Itoa(min(i, n-2)), Deadline: time.Now().Add(time.Hour)})
		m.Header = nats.Header{} // so that the last two stand beside each other
		return m
	})
	if got := stored(t, c, c.layout.allTimers()); got != n {
		t.Fatalf("%d timers are stored, want %d", got, n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	came := make(map[string]int)
	err := c.read(ctx, lastOfEach, c.layout.allTimers(), func(m message) error {
		if len(came) == 0 {
			for name := range c.stream.ConsumerNames(ctx).Name() {
				if err := c.stream.DeleteConsumer(ctx, name); err != nil && name != workersConsumer {
					t.Log(err) // one that counts ends by itself
				}
			}
		}
		came[m.Subject()]++
		return nil
	})
	if err != nil {
		t.Fatalf("after %d messages: %v", len(came), err)
	}
	if len(came) != n-1 || came[c.layout.timer(strconv.Itoa(n-2))] != 1 {
		t.Errorf("%d keys came, want %d, and the last of them %d times, want once",
			len(came), n-1, came[c.layout.timer(strconv.Itoa(n-2))])
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
			return l.firedMessage(Timer{Key: "other", Deadline: time.Unix(0, 0)}), c.note(t.Context(), old.removal())
		}, 0},
		{"done", func(_ *Client, old Timer) (*nats.Msg, error) {
			text, err := json.Marshal(done{old.Revision, old.Deadline.UnixNano()})
			return newMessage(l.done(0), text), err
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

// Get, Cancel, Reschedule and Schedule ignore a restored timer, and remove it.
func TestChangesWhatCameBack(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	far := time.Now().Add(time.Hour)
	for name, call := range map[string]func(*Client, string) (bool, error){
		"get":        func(c *Client, key string) (bool, error) { _, ok, err := c.Get(t.Context(), key); return ok, err },
		"cancel":     func(c *Client, key string) (bool, error) { return c.Cancel(t.Context(), key) },
		"reschedule": func(c *Client, key string) (bool, error) { return c.Reschedule(t.Context(), key, far) },
		"schedule":   func(c *Client, key string) (bool, error) { return false, c.Schedule(t.Context(), key, far, nil) },
	} {
		c := open(t, connect(t, s), Config{})
		set(t, c, name, time.Hour)
		old := mustGet(t, c, name)
		mustNote(t, c, old.Revision)
		c = open(t, connect(t, s), Config{})
		must(t, func() error {
			ok, err := call(c, name)
			if ok {
				t.Errorf("%s = %v, %v", name, ok, err)
			}
			return err
		})
		if now, err := c.last(t.Context(), c.layout.timer(name)); err == nil && now.Sequence == old.Revision {
			t.Errorf("%s leaves the timer where it was", name)
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
	var all []uint64
	for _, timer := range pending(t, c, "") {
		all = append(all, timer.Revision)
	}
	slices.Sort(all)
	all = all[10:]
	mustNote(t, c, all...)
	// The note has all timers, and no message after.
	text := waitForNote(t, dir, func(h holding) bool { return h.Timers == 200 && h.Last >= all[len(all)-1]+1 })
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

// A timer carries the revisions that it replaced. If there are many, they go into a note. They are known until the latest
// deadline, because each may come back with its own.
func TestTakesAlongWhatItRemoved(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	var clock shifted
	c := open(t, connect(t, s), Config{Now: clock.now})
	var all []uint64
	for i := range 2*maxRemoves + 5 {
		at := time.Now().Add([]time.Duration{time.Minute, 2 * time.Hour, time.Hour}[i%3])
		must(t, func() (err error) {
			if i%2 == 0 {
				return c.Schedule(t.Context(), "key", at, nil)
			}
			_, err = c.Reschedule(t.Context(), "key", at)
			return err
		})
		timer := mustGet(t, c, "key")
		if len(timer.removed.revisions) > maxRemoves+1 {
			t.Fatalf("%d revisions go along", len(timer.removed.revisions))
		}
		all = append(all, timer.Revision)
	}
	mustCancel(t, c, "key")
	check := func(when string, want bool) {
		t.Helper()
		known := removedBy(t, s)
		if i := slices.IndexFunc(all, func(r uint64) bool { return known.hasRevision(r) != want }); i >= 0 {
			t.Errorf("%s: is revision %d of %d among what was removed? want %v", when, i, len(all), want)
		}
	}
	check("after the Cancel", true)
	stop := serveWith(t, c, func(context.Context, Fired) error { return nil }) // a worker notes the Cancel, and removes it
	waitFor(t, func() bool { return stored(t, c, c.layout.allCancelled()) == 0 })
	stop()
	for _, ahead := range []time.Duration{0, 30 * time.Minute, 2 * time.Hour, 2*time.Hour + noteAge + time.Minute} {
		clock.set(ahead)
		must(t, func() error { return c.forgetNotes(t.Context()) })
		check(fmt.Sprint("after ", ahead), ahead <= 2*time.Hour)
	}
}

func TestNoteRefuses(t *testing.T) {
	for _, body := range [][]byte{{3, 2, 0x80}, binary.AppendUvarint([]byte{1}, math.MaxInt64), binary.AppendUvarint(nil, math.MaxUint64)} {
		if got, err := parseNote(body); err == nil {
			t.Errorf("the note %v is %v, without an error", body, got)
		}
	}
	header := nats.Header{headerRemoves: {"3 x"}}
	if got, err := readRemoval(header); err == nil || !strings.Contains(err.Error(), headerRemoves) {
		t.Errorf("readRemoval(%v) = %v, %v", header, got, err)
	}
}

// A worker knows up to which deadline all timers have fired.
func TestDone(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	var clock shifted
	c := open(t, connect(t, s), Config{Partitions: 1, Horizon: 30 * time.Minute, Now: clock.now})
	now := time.Now()
	var last Timer
	for _, in := range []time.Duration{10 * time.Minute, 20 * time.Minute, time.Hour} {
		set(t, c, in.String(), in)
		if timer := mustGet(t, c, in.String()); timer.Revision > last.Revision {
			last = timer
		}
	}
	fired := serve(t, c)
	waitFor(t, func() bool { st := c.Stats(); return st.Partitions == 1 && st.Near+st.Far == 3 })
	p := c.worker.Load().served[0]
	check := func(after, before time.Duration) {
		t.Helper()
		d, ok := p.done()
		at := time.Unix(0, d.Deadline)
		if !ok || d.Revision < last.Revision || at.Before(now.Add(after)) || !at.Before(now.Add(before)) {
			t.Errorf("done = %+v, %v: want at least revision %d and a deadline from %v to %v", d, ok, last.Revision, after, before)
		}
	}
	check(-time.Second, 10*time.Minute)
	if _, ok := p.done(); ok {
		t.Error("nothing has changed, and done says otherwise")
	}
	clock.set(10 * time.Minute)
	<-fired
	waitFor(t, func() bool { st := c.Stats(); return st.Near == 1 })
	check(10*time.Minute, 20*time.Minute)
	n := &near{p: p, timer: Timer{Key: "stuck", Deadline: now}}
	p.leave(n)
	check(-time.Second, 0)

	p.storeDone(t.Context())
	p.mu.Lock()
	p.changed = true
	p.mu.Unlock()
	p.storeDone(t.Context())
	if set := removedBy(t, s); set.done[0].Revision < last.Revision || set.has(0, last) {
		t.Errorf("%+v: want what is done with stored, and what is pending left out", set)
	}
}

// Notes stay until their timers would be due.
func TestForgetsNotes(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	var clock shifted
	c := open(t, connect(t, s), Config{Now: clock.now})
	until := func(in time.Duration) int64 { return time.Now().Add(in).UnixNano() }
	batch := []spent{{revision: 100}, {revision: 101, removal: removal{[]uint64{90}, until(time.Hour)}},
		{revision: 102, removal: removal{nil, until(50 * time.Minute)}}} // in the same note
	fatalIf(t, c.noteSpent(batch))
	for _, step := range []struct {
		ahead time.Duration
		want  []uint64
	}{{0, []uint64{90, 100, 101, 102}}, {noteAge + time.Second, []uint64{90, 101, 102}},
		{65 * time.Minute, []uint64{90, 101, 102}}, {2 * time.Hour, nil}} {
		clock.set(step.ahead)
		must(t, func() error { return c.forgetNotes(t.Context()) })
		if set := removedBy(t, s); !slices.Equal(set.revisions, step.want) {
			t.Errorf("after %v: %v: want %v", step.ahead, set.revisions, step.want)
		}
	}
}

// Progress covers timers up to a revision and a deadline, both included.
func TestProgressHas(t *testing.T) {
	d := done{Revision: 7, Deadline: 100}
	for _, test := range []struct {
		revision uint64
		deadline int64
		want     bool
	}{{7, 100, true}, {1, -100, true}, {8, 100, false}, {7, 101, false}} {
		if d.has(Timer{Revision: test.revision, Deadline: time.Unix(0, test.deadline)}) != test.want {
			t.Errorf("%+v has revision %d, due at %d: %v", d, test.revision, test.deadline, !test.want)
		}
	}
}

// What two messages remove from the same timer is independent.
func TestRemovalsAreIndependent(t *testing.T) {
	timer := Timer{Revision: 3, Deadline: time.Unix(0, 30), removed: removal{append(make([]uint64, 0, 8), 1, 2), 20}}
	first := timer.removal()
	timer.Revision = 4
	if second := timer.removal(); !slices.Equal(first.revisions, []uint64{1, 2, 3}) || !slices.Equal(second.revisions, []uint64{1, 2, 4}) || first.until != 30 {
		t.Errorf("removal = %v, then %v", first, second)
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
	until := time.Now().Add(time.Hour).UnixNano()
	fired := func(key string, removes uint64) *nats.Msg {
		m := c.layout.firedMessage(Timer{Key: key, Deadline: time.Now()})
		removal{[]uint64{removes}, until}.write(m)
		return m
	}
	first := put(fired("first", 1000))
	last := put(fired("last", 1001))
	next := put(fired("unhandled", 1002))
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
	if set := removedBy(t, s); !slices.Equal(set.revisions, []uint64{first, last, 1000, 1001, 1002}) {
		t.Errorf("%d are noted", set.revisions)
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
