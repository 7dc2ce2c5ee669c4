//go:build unix

package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// A reader may miss messages that somebody else has removed: then its timers are wrong, and it must neither answer, fire nor
// clean before it has read the log again.

// keysOf returns the keys of the pending timers.
func keysOf(t *testing.T, c *Client) (keys []string) {
	t.Helper()
	for _, timer := range pending(t, c, "") {
		keys = append(keys, timer.Key)
	}
	slices.Sort(keys)
	return keys
}

// cleanCold cleans a log without a worker.
func cleanCold(t *testing.T, c *Client) {
	t.Helper()
	fatalIf(t, c.withCold(t.Context(), 0, func(k *cold) error {
		removed, err := c.clean(t.Context(), 0, k, true, 0)
		if err == nil && !removed {
			err = errors.New("nothing was removed")
		}
		return err
	}))
}

// A client is about to clean a log when another one does. It reads it again, and no timer is lost.
func TestCleansWhatItHasRead(t *testing.T) {
	t.Parallel()
	nc := start(t)
	c, other := open(t, nc, Config{Partitions: 1}), open(t, nc, Config{})
	set(t, c, "old", time.Hour)
	fatalIf(t, c.withCold(t.Context(), 0, func(k *cold) error {
		set(t, other, "new", time.Hour)
		mustCancel(t, other, "old")
		cleanCold(t, other)
		if _, err := c.clean(t.Context(), 0, k, true, 0); !errors.Is(err, errCleaned) {
			t.Errorf("clean: %v, want %v", err, errCleaned)
		}
		return k.clean(t.Context(), 0, 0, true) // there may be room now
	}))
	for _, c := range []*Client{c, other, open(t, nc, Config{})} {
		if keys := keysOf(t, c); !slices.Equal(keys, []string{"new"}) {
			t.Errorf("%q are pending, want only the new one", keys)
		}
		cleanCold(t, c)
	}
}

// again is a worker that reads its partition again while it cleans it.
type again struct {
	reads
	calls int
}

func (a *again) with(ctx context.Context, seq uint64, f func(*replica)) error {
	if a.calls++; a.calls > 1 {
		f(newReplica(base{}))
		return nil
	}
	return a.reads.with(ctx, seq, f)
}

func TestReadsAgainWhileItCleans(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1})
	set(t, c, "key", time.Hour)
	fatalIf(t, c.withCold(t.Context(), 0, func(k *cold) error {
		if removed, err := c.clean(t.Context(), 0, &again{reads: k}, true, 0); removed || !errors.Is(err, errAgain) {
			t.Errorf("clean: %v, %v, want %v", removed, err, errAgain)
		}
		return nil
	}))
	mustGet(t, open(t, c.nc, Config{}), "key")
}

// A worker is slow: it follows a partition, and does not answer. Nobody else cleans the log, because the worker may not have
// read what is new.
func TestSlowWorkerMissesNothing(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{Partitions: 1})
	_, err := c.nc.Subscribe(c.layout.ask(0), func(*nats.Msg) {})
	fatalIf(t, err)
	for range 200 {
		mustSet(t, c, Timer{Key: "key", Deadline: time.Now().Add(time.Hour), Payload: make([]byte, 1000)})
	}
	mustCancel(t, c, "key")
	fatalIf(t, c.makeRoom(t.Context(), fullFactor))
	if b, err := c.readBase(t.Context(), 0); err != nil || b.seq != 0 {
		t.Errorf("the log was cleaned: %+v, %v", b, err)
	}
}

// While messages may be missing, a worker answers no question and calls no handler, although it may find a consumer, lose it,
// and find another one.
func TestNothingWhileMessagesMayBeMissing(t *testing.T) {
	for _, missing := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a := newAlone(t)
			a.set(Timer{Key: "key", Deadline: time.Now().Add(time.Hour)})
			rev := position(a.seq.Load(), 0)
			behind := func() { fatalIf(t, a.see(t.Context(), message{seq: isBehind})) }
			behind()
			if missing { // somebody has moved the timer, and removed that
				a.seq.Add(1)
				a.store.base = base{First: a.seq.Load() + 1, Removed: 2, seq: 1000}
			}
			a.write(messageID{a.w.id, 1}, record{op: opFire, key: "key", rev: rev})
			behind()
			a.answerVerdict(messageID{5, 1}, &nats.Msg{})
			a.write(messageID{5, 1}, record{op: opCancel, key: "key"})
			counts := make(chan error, 1)
			go func() { counts <- a.with(t.Context(), a.seq.Load(), func(*replica) {}) }()
			synctest.Wait()
			if len(a.w.jobs.queue) > 0 || len(a.asked) != 1 || len(counts) > 0 {
				t.Errorf("missing %v: %d handlers, %d open questions, %d counts: want 0, 1, 0", missing, len(a.w.jobs.queue), len(a.asked), len(counts))
			}
			err := a.see(t.Context(), message{seq: isLevel})
			synctest.Wait()
			done := map[bool]int{false: 1}[missing]
			if errors.Is(err, errCleaned) != missing || len(a.w.jobs.queue) != done || len(a.asked) != 1-done || len(counts) != done {
				t.Errorf("missing %v: %v, %d handlers, %d open questions, %d counts", missing, err, len(a.w.jobs.queue), len(a.asked), len(counts))
			}
			close(a.ended)
			if err := <-counts; (err != nil) != missing {
				t.Errorf("with returned %v", err)
			}
		})
	}
}

func TestStoodStill(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		turn time.Time
		want bool
	}{
		{now, false},
		{now.Add(-readPause), false},
		{now.Add(-tightAge), true},
		{now.Round(0).Add(-tightAge), true}, // by the clock of the machine only
		{now.Add(time.Hour), false},
	} {
		if got := stoodStill(test.turn, now); got != test.want {
			t.Errorf("stoodStill(%v before) = %v", now.Sub(test.turn), got)
		}
	}
}

// A worker is suspended. Somebody else cancels a timer, and removes the record of that before the worker could read it. The
// timer does not fire when the worker goes on.
func TestSuspendedWorker(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{Partitions: 1})
	h := newHistory()
	w := spawn(t, role{URL: cl.url()}, h.handle)
	due := time.Now().Add(8 * time.Second)
	set(t, c, "probe", 0)
	mustSet(t, c, Timer{Key: "cancelled", Deadline: due}, Timer{Key: "moved", Deadline: due})
	two := func(n Counts) bool { return n.Pending == 2 && n.Fired == 0 }
	counted(t, c, two)
	fatalIf(t, w.cmd.Process.Signal(syscall.SIGSTOP))
	defer func() { _ = w.cmd.Process.Signal(syscall.SIGCONT) }()
	waitFor(t, func() bool { // its last request for messages has ended
		waiting := 0
		for info := range c.stream.ListConsumers(t.Context()).Info() {
			waiting += info.NumWaiting
		}
		return waiting == 0
	})
	mustCancel(t, c, "cancelled")
	moveAll(t, c, []string{"moved"}, 1, time.Hour)
	set(t, c, "other", time.Hour)
	cleanCold(t, c)
	time.Sleep(time.Until(due))
	fatalIf(t, w.cmd.Process.Signal(syscall.SIGCONT))
	set(t, c, "last", 0)
	counted(t, c, two)
	w.kill()
	for _, lines := range h.handled {
		if key := lines[0].Key; key != "probe" && key != "last" {
			t.Errorf("%s was handled", key)
		}
	}
}

// The partition is read again, or served by another worker, while a worker reads the payload of a timer for Get. It does not
// say that there is none.
func TestGetWhileThePartitionMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		a.store.messages = make(map[uint64][]byte)
		a.set(Timer{Key: "far", Deadline: time.Now().Add(100 * time.Hour), Payload: []byte("payload")})
		for _, moves := range []bool{false, true} {
			a.store.reads = func() {
				if moves {
					a.loaded.Store(false)
					a.begin(base{})
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), askTimeout)
			answer := a.answerTimer(ctx, 1, "far")
			cancel()
			if (answer == nil) != moves || !moves && !strings.Contains(string(answer), "payload") {
				t.Errorf("moves %v: the answer is %q", moves, answer)
			}
		}
	})
}

// The server has lost that a timer was handled, which it had acknowledged. The worker handles it again.
func TestLostResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		a.set(Timer{Key: "key", Deadline: time.Now()})
		a.next()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if j := a.w.jobs.next(ended, a.w); j != nil {
			t.Errorf("%+v begins although the worker ends", j)
		}
		a.w.jobs.next(t.Context(), a.w).settled = true // before the server crashed
		id := position(a.seq.Load(), 0)
		a.write(messageID{9, 1}, record{op: opKeep, state: isFired, key: "key", deadline: time.Now().UnixNano(), rev: id, id: id, holder: a.w.id})
		if len(a.w.jobs.queue) > 0 {
			t.Error("it is handled again because somebody has cleaned the log")
		}
		a.loaded.Store(false)
		a.begin(base{})
		a.seq.Store(0)
		a.set(Timer{Key: "key", Deadline: time.Now()})
		a.write(messageID{a.w.id, 1}, record{op: opFire, key: "key", rev: position(1, 0)})
		fatalIf(t, a.see(t.Context(), message{seq: isLevel}))
		if len(a.w.jobs.queue) != 1 || a.w.jobs.queue[0].Key != "key" {
			t.Errorf("%+v wait for a handler, want the timer", a.w.jobs.queue)
		}
	})
}

// A client keeps what it has read while the server is replaced by one that has lost the end of the log.
func TestServerLosesTheEnd(t *testing.T) {
	t.Parallel()
	dir, copied := t.TempDir(), t.TempDir()
	address := addresses(t, 1)[0]
	s := embedded(t, dir, Listen(address))
	nc, err := dial("nats://" + address)
	fatalIf(t, err)
	defer nc.Close()
	c := open(t, nc, Config{Partitions: 1})
	set(t, c, "kept", time.Hour)
	fatalIf(t, s.Close())
	fatalIf(t, os.CopyFS(copied, os.DirFS(dir)))
	s = embedded(t, dir, Listen(address))
	set(t, c, "lost", time.Hour)
	if keys := keysOf(t, c); len(keys) != 2 {
		t.Errorf("%q are pending", keys)
	}
	fatalIf(t, s.Close())
	embedded(t, copied, Listen(address))
	set(t, c, "new", time.Hour)
	if keys := keysOf(t, c); !slices.Equal(keys, []string{"kept", "new"}) {
		t.Errorf("%q are pending, want what the server has", keys)
	}
}

// A worker has fired a timer, and leaves the partition before it knows that nothing is missing. It gives the timer back.
func TestLeavesWhileMessagesMayBeMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		fatalIf(t, a.see(t.Context(), message{seq: isBehind}))
		a.set(Timer{Key: "key", Deadline: time.Now()})
		fire := record{op: opFire, key: "key", rev: position(1, 0)}
		a.append([]due{{entry: a.replica.pending["key"]}}, fire.append(nil), func(error) {})
		<-a.sent
		synctest.Wait()
		a.close()
		synctest.Wait()
		if len(a.sent) == 0 {
			t.Fatal("it keeps the timer")
		}
		if rec := (<-a.sent)[0]; rec.op != opRelease || rec.id != position(2, 0) {
			t.Errorf("it writes %+v", rec)
		}
	})
}

// Messages are lost on their way, because a connection is lost and there is another one at once. No reader takes the rest for all.
func TestFetchMissesNothing(t *testing.T) {
	t.Parallel()
	c := &Client{nc: start(t), layout: layout{name: "lossy", partitions: 1}}
	var send []int // of three messages and the end
	_, err := c.nc.Subscribe("$JS.API.DIRECT.GET.lossy", func(m *nats.Msg) {
		for _, i := range send {
			answer := nats.NewMsg(m.Reply)
			answer.Header = nats.Header{"Nats-Sequence": {fmt.Sprint(i + 1)}, "Nats-Last-Sequence": {fmt.Sprint(i)}, "Nats-Time-Stamp": {"2026-01-01T00:00:00Z"}}
			if i == 3 {
				answer.Header = nats.Header{"Status": {"204"}, "Nats-Last-Sequence": {"3"}}
			}
			_ = c.nc.PublishMsg(answer)
		}
	})
	fatalIf(t, err)
	for _, send = range [][]int{{0, 1, 2, 3}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}} {
		n, err := c.fetch(t.Context(), "lossy.l.0", 0, fetchBytes, func(message) bool { return true })
		if all := len(send) == 4; (err == nil) != all || all && n != 3 {
			t.Errorf("of %v: %d messages, %v", send, n, err)
		}
	}
}

// A worker gives its jobs back when it leaves a partition, although the store is full for the moment.
func TestLeavesAFullStore(t *testing.T) {
	a := newAlone(t)
	a.set(Timer{Key: "key", Deadline: time.Now()})
	receive(t, a.sent)
	waitFor(t, func() bool { a.w.jobs.mu.Lock(); defer a.w.jobs.mu.Unlock(); return len(a.w.jobs.queue) == 1 })
	a.full = true
	a.w.kept.Store(4 * maxBatch)
	ctx, cancel := context.WithCancel(t.Context())
	a.stop = cancel
	go func() {
		<-ctx.Done()
		a.w.release(func(*job) bool { return true })
		close(a.ended)
	}()
	left := make(chan struct{})
	go func() {
		a.w.share(t.Context(), &members{self: "self"})
		close(left)
	}()
	receive(t, left)
	if a.w.serves(0) {
		t.Error("it still serves the partition")
	}
}

// A worker that ends waits until what it has fired is given back.
func TestEndsAfterItHasGivenBack(t *testing.T) {
	a := newAlone(t)
	a.w.jobs.ended = true
	a.mu.Lock()
	a.w.enqueue(a.partition, &entry{data: "key", keySize: 3, state: isFired, more: &more{id: 7, holder: a.w.id}}, true)
	a.mu.Unlock()
	a.w.settling.Wait()
	if len(a.sent) == 0 {
		t.Error("it is not given back")
	}
}

// A job whose payload cannot be read is given back: another worker may serve the partition now.
func TestUnreadablePayloadIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlone(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begin := time.Now()
		h := &handler{w: a.w}
		h.process(ctx, &job{jobID: jobID{0, 7}, size: 3, Fired: Fired{Key: "key", Attempt: 2}})
		if rec := (<-a.sent)[0]; rec.op != opRelease || rec.id != 7 || rec.attempts != 1 || time.Since(begin) > time.Minute {
			t.Errorf("after %v: %+v", time.Since(begin), rec)
		}
	})
}
