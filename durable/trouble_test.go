//go:build unix

package durable_test

import (
	"context"
	"fmt"
	"io"
	"net"
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

// The store of the server has reached its limit: Schedule says so, and what is due
// fires once there is room again.
func TestStoreFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := durable.Embedded(dir, durable.MaxStore(100_000))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, nc, durable.Config{})
	deadline := time.Now().Add(time.Second)
	stored := 0
	for i := range 2000 {
		if err = c.Schedule(t.Context(), fmt.Sprint("key", i), deadline, make([]byte, 100)); err != nil {
			break
		}
		stored++
	}
	if err == nil || stored == 0 {
		t.Fatalf("%d timers in a store of 100,000 bytes: want an error after some", stored)
	}
	t.Logf("%d stored, then: %v", stored, err)
	nc.Close()
	s.Close()
	if s, err = durable.Embedded(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	fired := serve(t, open(t, connect(t, s), durable.Config{}))
	seen := make(map[string]bool)
	for range stored {
		seen[receive(t, fired).ID] = true
	}
	if len(seen) != stored {
		t.Errorf("%d timers fired, want %d", len(seen), stored)
	}
}

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
	c := open(t, nc, durable.Config{})
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
