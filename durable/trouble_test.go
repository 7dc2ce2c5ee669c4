//go:build unix

package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// The disk of the server is full: what was acknowledged before fires once there is
// room again, and nothing else does.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	cl.nodes[0].kill()
	cl.roles[0].MaxFile = 300_000
	cl.start(t, 0)
	c, nc := cl.open(t, Config{})
	h := newHistory()
	var wg sync.WaitGroup
	var stored, refused atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				key := fmt.Sprintf("g%d.k%d", g, i)
				deadline := time.Now().Add(3 * time.Second).Round(0)
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				err := c.Schedule(ctx, key, deadline, make([]byte, 200))
				cancel()
				h.changed(key, change{what: "schedule", deadline: deadline, ok: err == nil, err: err})
				if err != nil {
					refused.Add(1)
					return
				}
				stored.Add(1)
			}
		})
	}
	wg.Wait()
	t.Logf("%d stored, %d refused", stored.Load(), refused.Load())
	if stored.Load() == 0 || refused.Load() == 0 {
		t.Fatal("want some of both")
	}
	nc.Close()
	cl.nodes[0].kill()
	cl.roles[0].MaxFile = 0
	cl.start(t, 0)
	c, _ = cl.open(t, Config{})
	w := spawn(t, role{URL: cl.url()}, h.handle)
	settle(t, c)
	w.kill()
	h.check(t, 0)
}

// fill sets timers until the store is full, and returns their keys.
func fill(t *testing.T, c *Client, size int) (keys []string) {
	t.Helper()
	for i := range 100_000 {
		key := fmt.Sprint("key", i)
		err := c.Schedule(t.Context(), key, time.Now().Add(time.Hour), make([]byte, size))
		if errors.Is(err, ErrFull) {
			t.Logf("%d stored, then: %v", i, err)
			return keys
		}
		if err != nil {
			t.Fatalf("%s: %v, want %v", key, err, ErrFull)
		}
		keys = append(keys, key)
	}
	t.Fatal("the store is never full")
	return nil
}

// useFull moves, cancels and fires the timers of a store that is full, and has room
// for others then.
func useFull(t *testing.T, c *Client, keys []string) {
	t.Helper()
	var cancelled int
	for i, key := range keys {
		var ok bool
		var err error
		if i%10 == 0 {
			cancelled++
			ok, err = c.Cancel(t.Context(), key)
		} else {
			ok, err = c.Reschedule(t.Context(), key, time.Now().Add(time.Second))
		}
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", key, ok, err)
		}
	}
	stop := make(chan struct{})
	seen := make(map[string]bool)
	done := serveWith(t, c, func(_ context.Context, f Fired) error {
		seen[f.ID] = true
		if len(seen) == len(keys)-cancelled {
			close(stop)
		}
		return nil
	})
	select {
	case <-stop:
	case <-time.After(30 * time.Second):
		t.Fatal("not all that is due fires")
	}
	waitFor(t, func() bool {
		err := c.Schedule(t.Context(), "another", time.Now().Add(time.Hour), make([]byte, 1000))
		if err != nil && !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
	done()
}

// The store of the server has reached its limit: Schedule says so, and what is there
// goes on.
func TestStoreFull(t *testing.T) {
	t.Parallel()
	const limit = 1_000_000
	c := open(t, start(t, MaxStore(limit)), Config{Concurrency: 1})
	keys := fill(t, c, 1000)
	n, err := c.Counts(t.Context())
	if err != nil || n.Limit != limit || n.Stored < n.Bytes || n.Bytes < limit*8/10 || n.Stored > limit*9/10 {
		t.Errorf("Counts = %+v, %v", n, err)
	}
	useFull(t, c, keys)
}

// Somebody else fills the disk of the server: it goes on when there is room again, by
// itself.
func TestSmallDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", dir).Run(); err != nil {
		t.Skip("this needs root, who may mount a file system: ", err)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	var log logged
	s := embedded(t, filepath.Join(dir, "store"), log.option())
	c := open(t, connect(t, s), Config{Concurrency: 1})
	var keys []string
	other := filepath.Join(dir, "other")
	down := func() { // as the server cannot write, unless it has seen before that there is no room
		f, err := os.Create(other)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(f, zeros{})
		t.Logf("the disk is filled: %v", errors.Join(err, f.Close()))
		for i := range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			key := fmt.Sprint("big", i)
			if err := c.Schedule(ctx, key, time.Now().Add(time.Hour), make([]byte, 100_000)); err == nil {
				keys = append(keys, key)
			}
			cancel()
		}
		time.Sleep(2 * time.Second) // in which it finds out
	}
	up := func() {
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	}
	for down(); !log.has("cannot be written"); down() {
		up()
	}
	up()
	waitFor(t, func() bool { return log.has("can be written again") })
	waitFor(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return c.Schedule(ctx, "after", time.Now().Add(time.Hour), nil) == nil
	})
	keys = append(keys, "after")
	for _, key := range keys {
		if _, ok, err := c.Get(t.Context(), key); !ok || err != nil {
			t.Errorf("Get(%s) = %v, %v: it was acknowledged", key, ok, err)
		}
	}
	slices.Sort(keys)
	useFull(t, c, append(slices.Compact(keys), fill(t, c, 10_000)...))

	// When it cannot go on it says so.
	for down(); log.count("cannot be written") < 2; down() {
		up()
	}
	note := `{"Streams":{"timers":{"Timers":1000000,"Last":1000000}}}`
	if err := os.WriteFile(filepath.Join(dir, "store", "timers.json"), []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	up()
	if err := s.Wait(); !errors.Is(err, ErrLoss) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Wait = %v, want %v after no space was left", err, ErrLoss)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// The clocks of two workers are two seconds apart: no timer is early by the clock of
// the one that fires it, and none is lost when partitions change hands.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	const ahead = 2 * time.Second
	w := startCrew(t, cl, 1, role{})
	fast := role{URL: cl.url(), Ahead: ahead}
	w.workers = append(w.workers, spawn(t, fast, w.h.handle))
	l := load{last: 5 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond, ahead: ahead, seed: 5}
	l.while(t, c, w.h, func() {
		time.Sleep(2 * time.Second)
		w.workers[1].kill()
		w.workers[1] = spawn(t, fast, w.h.handle)
	}, func() { w.kill(0, 1) })
}

// A worker that ends waits for its handler: no other one gets the timer meanwhile.
func TestHeldToTheEnd(t *testing.T) {
	t.Parallel()
	nc := start(t)
	cfg := Config{AckWait: 500 * time.Millisecond}
	c := open(t, nc, cfg)
	begun := make(chan struct{})
	stop := serveWith(t, c, func(context.Context, Fired) error {
		close(begun)
		time.Sleep(4 * cfg.AckWait)
		return nil
	})
	set(t, c, "key", 0)
	<-begun
	fired := serve(t, open(t, nc, cfg))
	stop()
	select {
	case f := <-fired:
		t.Errorf("another worker has it: %+v", f)
	case <-time.After(2 * cfg.AckWait):
	}
}

// The connection of the client is cut again and again, in the middle of calls. After
// an error the client sets the timer again.
func TestCutOff(t *testing.T) {
	t.Parallel()
	address := addresses(t, 1)[0]
	s := embedded(t, t.TempDir(), Listen(address))
	h := newHistory()
	worker := open(t, connect(t, s), Config{})
	stop := serveWith(t, worker, func(_ context.Context, f Fired) error {
		h.handle(handledLine{ID: f.ID, Key: f.Key, At: time.Now(), Attempt: f.Attempt})
		return nil
	})
	through := cutting(t, address, 20*time.Millisecond)
	nc, err := nats.Connect("nats://"+through, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(5*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	var c *Client
	waitFor(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err = Open(ctx, nc, Config{})
		return err == nil
	})
	var wg sync.WaitGroup
	var cuts atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			for i := range 100 {
				key := fmt.Sprintf("g%d.k%d", g, i)
				deadline := time.Now().Add(time.Second).Round(0)
				for {
					ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
					err := c.Schedule(ctx, key, deadline, []byte(key))
					cancel()
					h.changed(key, change{what: "schedule", deadline: deadline, ok: err == nil, err: err})
					if err == nil {
						break
					}
					cuts.Add(1)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls cut off", cuts.Load())
	if cuts.Load() == 0 {
		t.Error("no call was cut off")
	}
	settle(t, worker)
	stop()
	h.check(t, 0)
}

// cutting returns an address at which connections to another one are passed on, and
// cut after a while.
func cutting(t *testing.T, address string, after time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", address)
			if err != nil {
				in.Close()
				continue
			}
			cut := time.AfterFunc(after, func() { in.Close(); out.Close() })
			pass := func(to, from net.Conn) {
				_, _ = io.Copy(to, from) // it ends by the cut
				in.Close()
				out.Close()
				cut.Stop()
			}
			wg.Go(func() { pass(in, out) })
			wg.Go(func() { pass(out, in) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return l.Addr().String()
}
