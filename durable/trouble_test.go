//go:build unix

package durable_test

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
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable"
)

// The disk of the server is full: what was acknowledged before fires once there is
// room again, and nothing else does.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	cl.nodes[0].kill()
	cl.roles[0].MaxFile = 300_000
	cl.start(t, 0)
	c, nc := cl.open(t, durable.Config{})
	h := newHistory()
	var wg sync.WaitGroup
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
					return
				}
			}
		})
	}
	wg.Wait()
	stored, refused := 0, 0
	for _, changes := range h.changes {
		if changes[0].ok {
			stored++
		} else {
			refused++
		}
	}
	t.Logf("%d stored, %d refused", stored, refused)
	if stored == 0 || refused == 0 {
		t.Fatal("want some of both")
	}
	nc.Close()
	cl.nodes[0].kill()
	cl.roles[0].MaxFile = 0
	cl.start(t, 0)
	c, _ = cl.open(t, durable.Config{})
	w := spawn(t, role{URL: cl.url()}, h.handle)
	settle(t, c)
	w.kill()
	h.check(t, 0)
}

// fill sets timers until the store is full, and returns their keys.
func fill(t *testing.T, c *durable.Client, size int) (keys []string) {
	t.Helper()
	for i := range 100_000 {
		key := fmt.Sprint("key", i)
		err := c.Schedule(t.Context(), key, time.Now().Add(time.Hour), make([]byte, size))
		if errors.Is(err, durable.ErrFull) {
			t.Logf("%d stored, then: %v", i, err)
			return keys
		}
		if err != nil {
			t.Fatalf("%s: %v, want %v", key, err, durable.ErrFull)
		}
		keys = append(keys, key)
	}
	t.Fatal("the store is never full")
	return nil
}

// useFull moves, cancels and fires the timers of a store that is full, and has room
// for others then.
func useFull(t *testing.T, c *durable.Client, keys []string) {
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
	done := serveWith(t, c, func(_ context.Context, f durable.Fired) error {
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
		if err != nil && !errors.Is(err, durable.ErrFull) {
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
	c := open(t, start(t, durable.MaxStore(limit)), durable.Config{Concurrency: 1})
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
	s, err := durable.Embedded(filepath.Join(dir, "store"), log.option())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := open(t, connect(t, s), durable.Config{Concurrency: 1})
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
	if err := s.Wait(); !errors.Is(err, durable.ErrLoss) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Wait = %v, want %v after no space was left", err, durable.ErrLoss)
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
	c, _ := cl.open(t, durable.Config{})
	h := newHistory()
	const ahead = 2 * time.Second
	right := spawn(t, role{URL: cl.url()}, h.handle)
	fast := spawn(t, role{URL: cl.url(), Ahead: ahead}, h.handle)
	var wg sync.WaitGroup
	wg.Go(func() {
		load{goroutines: 8, keys: 500, last: 5 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond}.run(t, c, h, 5)
	})
	time.Sleep(2 * time.Second)
	fast.kill()
	fast = spawn(t, role{URL: cl.url(), Ahead: ahead}, h.handle)
	wg.Wait()
	settle(t, c)
	right.kill()
	fast.kill()
	h.check(t, ahead)
}

// A worker that ends waits for its handler: no other one gets the timer meanwhile.
func TestHeldToTheEnd(t *testing.T) {
	t.Parallel()
	nc := start(t)
	cfg := durable.Config{AckWait: 500 * time.Millisecond}
	c := open(t, nc, cfg)
	begun := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- c.Serve(ctx, func(context.Context, durable.Fired) error {
			close(begun)
			time.Sleep(4 * cfg.AckWait)
			return nil
		})
	}()
	if err := c.Schedule(t.Context(), "key", time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	<-begun
	fired := serve(t, open(t, nc, cfg))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
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
	s, err := durable.Embedded(t.TempDir(), durable.Listen(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	h := newHistory()
	worker := open(t, connect(t, s), durable.Config{})
	stop := serveWith(t, worker, func(_ context.Context, f durable.Fired) error {
		h.handle(handledLine{ID: f.ID, Key: f.Key, At: time.Now(), Attempt: f.Attempt})
		return nil
	})
	through := cutting(t, address, 20*time.Millisecond)
	nc, err := nats.Connect("nats://"+through, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(5*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	var c *durable.Client
	waitFor(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err = durable.Open(ctx, nc, durable.Config{})
		return err == nil
	})
	var wg sync.WaitGroup
	cuts := 0
	var mu sync.Mutex
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
					mu.Lock()
					cuts++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls cut off", cuts)
	if cuts == 0 {
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
