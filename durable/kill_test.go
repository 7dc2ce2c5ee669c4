//go:build unix

package durable_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/durable"
)

// load changes timers at random, from some goroutines with keys of their own, for a
// while. All deadlines are at most two seconds after its end.
type load struct {
	goroutines, keys int           // keys for each goroutine
	last             time.Duration // how long
	timeout          time.Duration // of each call
	pause            time.Duration // between two calls of one goroutine
}

func (l load) run(t *testing.T, c *durable.Client, h *history, seed uint64) {
	t.Helper()
	end := time.Now().Add(l.last)
	var wg sync.WaitGroup
	var unknown atomic.Int64
	for g := range l.goroutines {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			for time.Now().Before(end) {
				key := fmt.Sprintf("g%d.k%d", g, rng.IntN(l.keys))
				deadline := time.Now().Add(time.Duration(rng.Int64N(int64(time.Until(end) + 2*time.Second))))
				ctx, cancel := context.WithTimeout(t.Context(), l.timeout)
				ch := change{deadline: deadline.Round(0)}
				switch n := rng.IntN(10); {
				case n < 6:
					ch.what = "schedule"
					ch.err = c.Schedule(ctx, key, deadline, []byte(key))
					ch.ok = ch.err == nil
				case n < 8:
					ch.what = "reschedule"
					ch.ok, ch.err = c.Reschedule(ctx, key, deadline)
				default:
					ch.what = "cancel"
					ch.ok, ch.err = c.Cancel(ctx, key)
				}
				cancel()
				if ch.err != nil {
					unknown.Add(1)
				}
				h.changed(key, ch)
				time.Sleep(time.Duration(rng.Int64N(int64(2*l.pause) + 1)))
			}
		})
	}
	wg.Wait()
	if n := unknown.Load(); n > 0 {
		t.Logf("%d calls ended with an error", n)
	}
}

// settle waits until no timer is pending and all that has fired has been handled.
func settle(t *testing.T, c *durable.Client) {
	t.Helper()
	end := time.Now().Add(60 * time.Second)
	for time.Now().Before(end) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		n, err := c.Counts(ctx)
		cancel()
		if err == nil && n.Pending == 0 && n.Fired == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	n, err := c.Counts(t.Context())
	t.Errorf("after a minute there is still something to do: %+v, %v", n, err)
}

// The workers that are left go on with the partitions of one that is killed.
func TestKillWorker(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, durable.Config{})
	h := newHistory()
	worker := role{URL: cl.url()}
	workers := []*child{spawn(t, worker, h.handle), spawn(t, worker, h.handle), spawn(t, worker, h.handle)}
	var wg sync.WaitGroup
	wg.Go(func() {
		load{goroutines: 8, keys: 500, last: 8 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond}.run(t, c, h, 1)
	})
	for i := range 2 {
		time.Sleep(2 * time.Second)
		workers[i].kill()
		time.Sleep(500 * time.Millisecond)
		workers[i] = spawn(t, worker, h.handle)
	}
	wg.Wait()
	settle(t, c)
	for _, w := range workers {
		w.kill()
	}
	v := h.check(t, 0)
	if v.latest > 5*time.Second {
		t.Errorf("a timer was handled %v late, want at most 5s", v.latest)
	}
	if v.fired < 500 {
		t.Errorf("only %d timers fired", v.fired)
	}
}

// All workers are killed at once, and others come.
func TestKillAllWorkers(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, durable.Config{})
	h := newHistory()
	w := spawn(t, role{URL: cl.url()}, h.handle)
	var wg sync.WaitGroup
	wg.Go(func() {
		load{goroutines: 8, keys: 500, last: 4 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond}.run(t, c, h, 2)
	})
	time.Sleep(2 * time.Second)
	w.kill()
	time.Sleep(time.Second)
	w = spawn(t, role{URL: cl.url()}, h.handle)
	wg.Wait()
	settle(t, c)
	w.kill()
	h.check(t, 0)
}

// The only server is killed and started again: what it acknowledged is there.
func TestKillServer(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, durable.Config{})
	h := newHistory()
	w := spawn(t, role{URL: cl.url()}, h.handle)
	var wg sync.WaitGroup
	wg.Go(func() {
		load{goroutines: 8, keys: 500, last: 5 * time.Second, timeout: 2 * time.Second, pause: 2 * time.Millisecond}.run(t, c, h, 3)
	})
	time.Sleep(2 * time.Second)
	cl.nodes[0].kill()
	cl.start(t, 0)
	wg.Wait()
	settle(t, c)
	w.kill()
	h.check(t, 0)
}

// One node of three is killed in the middle of a load, and started again.
func TestKillNode(t *testing.T) {
	t.Parallel()
	testKillNode(t, func(t *testing.T, nc *nats.Conn, cl *cluster) int {
		return (leader(t, nc, cl) + 1) % len(cl.nodes)
	})
}

// The node that leads the stream is killed at the moment at which many timers are due.
func TestKillLeader(t *testing.T) {
	t.Parallel()
	testKillNode(t, leader)
}

func testKillNode(t *testing.T, victim func(*testing.T, *nats.Conn, *cluster) int) {
	cl := startCluster(t, 3)
	c, nc := cl.open(t, durable.Config{Replicas: 3})
	h := newHistory()
	worker := role{URL: cl.url()}
	workers := []*child{spawn(t, worker, h.handle), spawn(t, worker, h.handle)}
	at := time.Now().Add(4 * time.Second)
	var wg sync.WaitGroup
	wg.Go(func() {
		load{goroutines: 8, keys: 500, last: 8 * time.Second, timeout: 2 * time.Second, pause: 5 * time.Millisecond}.run(t, c, h, 4)
	})
	for g := range 16 {
		wg.Go(func() {
			for i := range 50 {
				key := fmt.Sprintf("due.%d.%d", g, i)
				deadline := at.Add(time.Duration(i) * time.Millisecond / 10).Round(0)
				err := c.Schedule(t.Context(), key, deadline, nil)
				h.changed(key, change{what: "schedule", deadline: deadline, ok: err == nil, err: err})
			}
		})
	}
	time.Sleep(time.Until(at) - 500*time.Millisecond)
	i := victim(t, nc, cl)
	time.Sleep(time.Until(at.Add(2 * time.Millisecond)))
	cl.nodes[i].kill()
	time.Sleep(2 * time.Second)
	cl.start(t, i)
	wg.Wait()
	settle(t, c)
	for _, w := range workers {
		w.kill()
	}
	h.check(t, 0)
}

// leader returns which node leads the stream.
func leader(t *testing.T, nc *nats.Conn, cl *cluster) int {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "timers")
	if err != nil {
		t.Fatal(err)
	}
	name := stream.CachedInfo().Cluster.Leader
	for i, r := range cl.roles {
		if r.Node == name {
			return i
		}
	}
	t.Fatalf("the stream is led by %q, which is no node of the cluster", name)
	return 0
}
