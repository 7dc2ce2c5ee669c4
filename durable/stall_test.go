package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
)

// alone is a worker with one partition, without a server: it reads what it writes.
type alone struct {
	jetstream.JetStream
	*partition
	seq   atomic.Uint64
	store fake
	full  bool
	sent  chan []record
	log   logged
	calls atomic.Int32 // of run
	run   func(last bool, deadline, now time.Time) (bool, time.Time, error)
}

// PublishMsg stores a message.
func (a *alone) PublishMsg(_ context.Context, m *nats.Msg, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	_, records, err := parseMessage(m.Data, nil)
	seq := a.seq.Add(1)
	a.apply(message{seq, time.Now(), m.Data})
	a.sent <- records
	return &jetstream.PubAck{Sequence: seq}, err
}

// AccountInfo tells about a store of 1 MB.
func (a *alone) AccountInfo(context.Context) (*jetstream.AccountInfo, error) {
	info := &jetstream.AccountInfo{}
	if info.Limits.MaxStore = 1 << 20; a.full {
		info.Store = 1 << 20
	}
	return info, nil
}

// fake has one base, and messages.
type fake struct {
	nats.JetStreamManager
	base     base
	messages map[uint64][]byte
	reads    func() // is called before a message is read
}

// GetLastMsg returns the base.
func (f *fake) GetLastMsg(string, string, ...nats.JSOpt) (*nats.RawStreamMsg, error) {
	if f.base.seq == 0 {
		return nil, nats.ErrMsgNotFound
	}
	return &nats.RawStreamMsg{Sequence: f.base.seq, Data: f.base.append()}, nil
}

// GetMsg returns a message.
func (f *fake) GetMsg(_ string, seq uint64, _ ...nats.JSOpt) (*nats.RawStreamMsg, error) {
	if f.reads != nil {
		f.reads()
	}
	return &nats.RawStreamMsg{Sequence: seq, Data: f.messages[seq]}, nil
}

func newAlone(t *testing.T) *alone {
	t.Helper()
	a := &alone{sent: make(chan []record, 10)}
	cfg, err := Config{Logger: a.log.logger()}.withDefaults()
	fatalIf(t, err)
	c := &Client{cfg: cfg, js: a, get: &a.store, nc: &nats.Conn{}, layout: layout{name: "timers", partitions: 1}, senders: make([]sender, 1), id: 1}
	c.senders[0].Client, c.lost.funcs = c, make(map[*func()]bool)
	w := newWorker(c)
	w.firing.left, w.firing.most, w.firing.next = 1<<62, 1<<62, time.Now().Add(24*time.Hour)
	w.link = func() (uint64, bool) { return 0, true }
	w.nextRun = func(_ string, _ driver.Missed, last bool, deadline, now time.Time) (bool, time.Time, error) {
		a.calls.Add(1)
		return a.run(last, deadline, now)
	}
	a.partition = newPartition(w, 0)
	w.served[0] = a.partition
	a.loaded.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { w.fireDue(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return a
}

// set writes a timer, as a client does.
func (a *alone) set(timer Timer) { a.write(messageID{2, 1}, timer.record(opSet)) }

// write writes a record, and returns its position.
func (a *alone) write(id messageID, rec record) uint64 {
	seq := a.seq.Add(1)
	body := rec.append(id.append(nil))
	if a.store.messages != nil {
		a.store.messages[seq] = body
	}
	a.apply(message{seq, time.Now(), body})
	return position(seq, 0)
}

// next returns the next record that the worker writes, and the timer after it, if it is pending.
func (a *alone) next() (Timer, record) {
	records := <-a.sent
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.replica.pending[records[0].key]; e != nil {
		return e.timer(nil), records[0]
	}
	return Timer{}, records[0]
}

// A timer whose next run cannot be computed keeps its error, and is tried each minute. Others fire meanwhile.
func TestUnreadableIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		var known atomic.Bool
		a.run = func(_ bool, deadline, _ time.Time) (bool, time.Time, error) {
			if !known.Load() {
				return false, time.Time{}, errors.New("unknown time zone")
			}
			return true, deadline.Add(time.Hour), nil
		}
		begin := time.Now()
		a.set(Timer{Key: "key", Deadline: begin, Cron: "CRON_TZ=Far/Away * * * * *"})
		timer, _ := a.next()
		if timer.Key != "key" || timer.Error != "unknown time zone" || !timer.Deadline.Equal(begin) {
			t.Errorf("%+v is stored, and the log is\n%s", timer, &a.log.text)
		}
		a.set(Timer{Key: "other", Deadline: begin.Add(30 * time.Second)})
		if _, rec := a.next(); rec.op != opFire || rec.key != "other" {
			t.Errorf("%+v is written, want the other one to fire", rec)
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if n, err := a.unreadable(); n != 1 || err == nil || len(a.sent) > 0 || a.calls.Load() != 5 {
			t.Errorf("%d unreadable, %v, computed %d times, %d messages: want 1, 5 times in 3 minutes, and no message", n, err, a.calls.Load(), len(a.sent))
		}
		if a.log.count("level=ERROR") != 1 || !a.log.has("key=key") {
			t.Errorf("want one error in the log:\n%s", &a.log.text)
		}
		known.Store(true)
		time.Sleep(time.Minute)
		if timer, rec := a.next(); rec.op != opRun || !rec.fires || timer.Key != "key" || timer.Error != "" || !timer.Deadline.Equal(begin.Add(time.Hour)) {
			t.Errorf("%+v is written, and there is %+v: want the run, and the next one", rec, timer)
		}
		if n, _ := a.unreadable(); n != 0 {
			t.Errorf("%d are unreadable", n)
		}
		a.run = func(bool, time.Time, time.Time) (bool, time.Time, error) {
			return true, time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC), nil
		}
		a.set(Timer{Key: "far", Deadline: begin, Cron: "* * * * *"})
		if timer, _ := a.next(); !strings.Contains(timer.Error, "2200") {
			t.Errorf("%+v is stored, want an error about the year 2200", timer)
		}
	})
}

// On a machine so slow that the next run is always due as well, the last of the missed runs fires nevertheless.
func TestLastOfMissedRunsFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		a.run = func(last bool, deadline, now time.Time) (bool, time.Time, error) {
			time.Sleep(5 * time.Second)
			if last {
				return true, deadline.Add(time.Second), nil
			}
			return false, now, nil
		}
		now := time.Now()
		a.set(Timer{Key: "key", Deadline: now.Add(-time.Hour), Cron: "* * * * * *"})
		if _, rec := a.next(); rec.fires || !rec.last || rec.deadline != now.UnixNano() {
			t.Errorf("%+v is written, want the last of the missed runs", rec)
		}
		if _, rec := a.next(); !rec.fires || rec.last || rec.deadline != now.Add(time.Second).UnixNano() {
			t.Errorf("%+v is written, want the run, and the one after it", rec)
		}
	})
}

// A run of Every that was due before another timer fires before it.
func TestRunsFireInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		a.run = func(_ bool, deadline, _ time.Time) (bool, time.Time, error) {
			return true, deadline.Add(time.Hour), nil
		}
		a.loaded.Store(false)
		now := time.Now()
		a.set(Timer{Key: "second", Deadline: now.Add(-time.Second)})
		a.set(Timer{Key: "first", Deadline: now.Add(-time.Minute), Cron: "@hourly"})
		fatalIf(t, a.see(t.Context(), message{seq: isLevel}))
		if records := <-a.sent; len(records) != 2 || records[0].key != "first" {
			t.Errorf("%+v are written", records)
		}
	})
}

// Timers that a worker has given back are handled in the order in which they fired, although a log that was cleaned has another one.
func TestGivenBackInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		a.loaded.Store(false)
		var keeps []record
		for _, key := range []string{"first", "second"} {
			a.set(Timer{Key: key, Deadline: time.Now()})
			id := a.write(messageID{9, 1}, record{op: opFire, key: key, rev: position(a.seq.Load(), 0)})
			rev := a.write(messageID{9, 2}, record{op: opRelease, id: id})
			keeps = append(keeps, record{op: opKeep, state: isFired, key: key, id: id, rev: rev})
		}
		a.write(messageID{8, 1}, keeps[1])
		a.write(messageID{8, 2}, keeps[0])
		fatalIf(t, a.see(t.Context(), message{seq: isLevel}))
		if records := <-a.sent; len(records) != 2 || records[0].id != keeps[0].id {
			t.Errorf("%+v are written", records)
		}
	})
}

// blocking is a log that blocks at messages with a text until it is released.
type blocking struct {
	slog.Handler
	text            string
	blocks, release chan struct{}
}

func (b blocking) Enabled(context.Context, slog.Level) bool { return true }

func (b blocking) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, b.text) {
		close(b.blocks)
		<-b.release
	}
	return nil
}

// A worker whose due timers do not get on is not ready, and the other one takes over its partitions. It takes part
// again once they get on.
func TestStalledGivesUp(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	b := blocking{slog.DiscardHandler, "cannot be computed", make(chan struct{}), make(chan struct{})}
	const partitions, lease = 16, 8 * time.Second // a busy machine must not give partitions away otherwise
	stuck, other := open(t, connect(t, s), Config{Partitions: partitions, Lease: lease, Logger: slog.New(b)}), open(t, connect(t, s), Config{Lease: lease})
	handled := make(chan string, 1000)
	for _, c := range []*Client{stuck, other} {
		serveWith(t, c, func(_ context.Context, f Fired) error { handled <- f.Key; return nil })
	}
	var release sync.Once
	t.Cleanup(func() { release.Do(func() { close(b.release) }) }) // before Serve is waited for
	ready := func(c *Client) error { return c.Ready(t.Context()) }
	waitFor(t, func() bool { // each has its share, and no partition is handed over
		n, m := stuck.Stats().Partitions, other.Stats().Partitions
		if n == 0 || m == 0 || n+m != partitions || ready(stuck) != nil || ready(other) != nil {
			return false
		}
		served := make(map[int]bool)
		for _, c := range []*Client{stuck, other} {
			for _, p := range c.worker.Load().all() {
				served[p.number] = true
			}
		}
		return len(served) == partitions
	})
	var keys []string // of timers that the first worker fires
	for i := 0; len(keys) < 2; i++ {
		key := fmt.Sprint("key", i)
		if stuck.worker.Load().serves(stuck.layout.partition(key)) {
			keys = append(keys, key)
		}
	}
	put(t, stuck, Timer{Key: keys[0], Deadline: time.Now(), Cron: "TZ=UTC"})
	receive(t, b.blocks) // it reports the timer
	set(t, other, keys[1], 0)
	for receive(t, handled) != keys[1] { // until the other one takes over
	}
	if err := ready(stuck); err == nil || !strings.Contains(err.Error(), "got on") {
		t.Errorf("the worker is ready: %v", err)
	}
	waitFor(t, func() bool { return other.Stats().Partitions == partitions && stuck.Stats().Partitions == 0 })
	mustCancel(t, other, keys[0])
	release.Do(func() { close(b.release) })
	waitFor(t, func() bool { return stuck.Stats().Partitions > 0 && ready(stuck) == nil && ready(other) == nil })
}

// A timer that is due centuries ago fires at once.
func TestLongPast(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{})
	want := make(map[string]time.Time)
	for _, year := range []int{firstYear, 1717, 1733, 1734, 1735, 1900, 1969, 1970} {
		key := fmt.Sprint(year)
		want[key] = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		mustSet(t, c, Timer{Key: key, Deadline: want[key]})
	}
	fired := serve(t, c)
	for len(want) > 0 {
		f := receive(t, fired)
		if at, ok := want[f.Key]; ok && (!f.Deadline.Equal(at) || f.Lateness < 50*365*24*time.Hour) {
			t.Errorf("fired %+v, due at %v", f, at)
		}
		delete(want, f.Key)
	}
	waitFor(t, func() bool { return c.Stats().Handled >= 8 })
	if _, text := ask(c, "/metrics"); strings.Contains(text, "lateness_seconds_sum -") {
		t.Errorf("the sum of lateness is negative:\n%s", text)
	}
}
