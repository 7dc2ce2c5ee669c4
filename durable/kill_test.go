//go:build unix

package durable

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/longtest"
)

// load changes timers at random, from eight goroutines with separate keys. All deadlines are at
// most two seconds after its end.
type load struct {
	last    time.Duration // how long
	timeout time.Duration // of each call
	pause   time.Duration // between two calls of one goroutine
	ahead   time.Duration // by how much the clock of a worker may be
	seed    uint64
}

// while puts a load on c while happens runs. Once all timers are handled, it calls end to end the
// workers, which write to h, and returns the verdict of the model.
func (l load) while(t *testing.T, c *Client, h *history, happens func(), end func()) verdict {
	t.Helper()
	var wg sync.WaitGroup
	wg.Go(func() { l.run(t, c, h) })
	happens()
	wg.Wait()
	settle(t, c)
	end()
	return h.check(t, l.ahead)
}

func (l load) run(t *testing.T, c *Client, h *history) {
	t.Helper()
	end := time.Now().Add(l.last)
	var wg sync.WaitGroup
	var unknown atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(l.seed, uint64(g)))
			for time.Now().Before(end) {
				key := fmt.Sprintf("g%d.k%d", g, rng.IntN(500))
				deadline := time.Now().Add(time.Duration(rng.Int64N(int64(max(time.Until(end), 0) + 2*time.Second))))
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

// settle waits until no timer is pending and each fired timer has been handled.
func settle(t *testing.T, c *Client) {
	t.Helper()
	var n Counts
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		n, err = c.Counts(ctx)
		cancel()
		if err == nil && n.Pending == 0 && n.Fired == 0 {
			return
		}
	}
	t.Errorf("after %v some timers are still not handled: %+v, %v", patience, n, err)
}

// crew is several workers in processes of their own.
type crew struct {
	r       role
	h       *history
	workers []*child
}

func startCrew(t *testing.T, cl *cluster, n int, r role) *crew {
	t.Helper()
	r.URL = cl.url()
	w := &crew{r: r, h: newHistory()}
	for range n {
		w.workers = append(w.workers, spawn(t, w.r, w.h.handle))
	}
	return w
}

// kill kills some of them.
func (w *crew) kill(workers ...int) {
	for _, i := range workers {
		w.workers[i].kill()
	}
}

// restart kills some of them, and replaces them after a while.
func (w *crew) restart(t *testing.T, after time.Duration, workers ...int) {
	t.Helper()
	w.kill(workers...)
	time.Sleep(after)
	for _, i := range workers {
		w.workers[i] = spawn(t, w.r, w.h.handle)
	}
}

// Workers take over the partitions of killed workers, even if all of them were killed.
func TestKillWorkers(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	w := startCrew(t, cl, 3, role{})
	v := load{last: 4 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond, seed: 1}.while(t, c, w.h, func() {
		time.Sleep(time.Second)
		w.restart(t, time.Second/2, 0)
		time.Sleep(time.Second)
		w.restart(t, time.Second/2, 0, 1, 2)
	}, func() { w.kill(0, 1, 2) })
	if v.fired == 0 {
		t.Error("no timer has fired")
	}
}

// The only server is killed and started again: nothing that it acknowledged is lost.
func TestKillServer(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	w := startCrew(t, cl, 1, role{})
	load{last: 3 * time.Second, timeout: 2 * time.Second, pause: 2 * time.Millisecond, seed: 3}.while(t, c, w.h, func() {
		time.Sleep(time.Second)
		cl.nodes[0].kill()
		cl.start(t, 0)
	}, func() { w.kill(0) })
}

// Clients move timers again and again, many of them when they are about to fire. Clients, workers
// and the server are killed. Each timer fires at one deadline. If a move were a removal and a new
// timer, a kill between the two would lose it.
func TestKillMoves(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 500
	kills, moves, again := 0, 0, 0
	for round := range longtest.Scale(t, 1, 1, 150) {
		prefix := fmt.Sprint(round, ".")
		w := startCrew(t, cl, 2, role{})
		movers := startCrew(t, cl, 2, role{Moves: n, Prefix: prefix})
		setMany(t, c, n, prefix, 2*time.Second)
		for range 8 {
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			switch victim := rng.IntN(6); victim {
			case 0:
				cl.nodes[0].kill()
				cl.start(t, 0)
			case 1, 2:
				w.restart(t, 0, victim-1)
			default:
				movers.restart(t, 0, victim%2)
			}
			kills++
		}
		movers.kill(0, 1)
		kills += 2
		settle(t, c)
		w.kill(0, 1)
		moves += len(movers.h.handled[""])
		fired := make(map[string][]string) // IDs by key
		for id, lines := range w.h.handled {
			fired[lines[0].Key] = append(fired[lines[0].Key], id)
			again += len(lines) - 1
		}
		for i := range n {
			key := fmt.Sprint(prefix, i)
			if ids := fired[key]; len(ids) != 1 {
				t.Errorf("%s has fired %d times, want once: %v", key, len(ids), ids)
			}
		}
	}
	t.Logf("%d kills, %d moves, %d handled again", kills, moves, again)
	if moves < 10 {
		t.Error("want more moves")
	}
}

// Three processes call Every when they start. One or all of them, or the server, are killed again
// and again. Each run fires once.
func TestKillCron(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		victims int // one of the workers, all of them, the server
	}{{"workers", 4}, {"server", 5}} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.victims == 5 {
				t.Skip("TestKillServer does much of it")
			}
			t.Parallel()
			cl := startCluster(t, 1)
			c, _ := cl.open(t, Config{})
			begin := time.Now()
			w := startCrew(t, cl, 3, role{Every: "* * * * * *"})
			rng := rand.New(rand.NewPCG(7, 7))
			rounds, kills := longtest.Scale(t, 5, 5, 400), 0
			for round := range rounds {
				time.Sleep(time.Duration(rng.IntN(600)) * time.Millisecond)
				switch victim := round % test.victims; victim {
				case 4:
					cl.nodes[0].kill()
					cl.start(t, 0)
					kills++
				case 3:
					w.restart(t, 1500*time.Millisecond, 0, 1, 2)
					kills += 3
				default:
					w.restart(t, 0, victim)
					kills++
				}
			}
			var end time.Time // all runs before have fired
			waitFor(t, func() bool { end = mustGet(t, c, "job").Deadline; return end.After(time.Now()) })
			mustCancel(t, c, "job")
			settle(t, c)
			w.kill(0, 1, 2)
			again := 0
			for at := begin.Truncate(time.Second).Add(2 * time.Second); at.Before(end); at = at.Add(time.Second) {
				lines := w.h.handled[id("job", at.UnixNano())]
				if len(lines) == 0 {
					t.Errorf("the run of %v is lost", at)
				}
				attempts := make(map[int]bool)
				for _, line := range lines {
					if attempts[line.Attempt] && test.victims < 5 {
						t.Errorf("the run of %v has fired twice: %+v", at, lines)
					}
					attempts[line.Attempt] = true
				}
				again += max(len(lines)-1, 0)
			}
			for id, lines := range w.h.handled {
				if at, err := strconv.ParseInt(id[4:], 10, 64); err != nil || at%int64(time.Second) != 0 {
					t.Errorf("there is no such run: %+v", lines)
				}
			}
			t.Logf("%d kills, %d runs, %d handled again", kills, len(w.h.handled), again)
		})
	}
}

// The node that leads the stream is killed when many timers are due.
func TestKillLeader(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3)
	c, _ := cl.open(t, Config{Replicas: 3})
	w := startCrew(t, cl, 2, role{})
	at := time.Now().Add(2 * time.Second)
	load{last: 4 * time.Second, timeout: 2 * time.Second, pause: 5 * time.Millisecond, seed: 4}.while(t, c, w.h, func() {
		var wg sync.WaitGroup
		for g := range 16 {
			wg.Go(func() {
				for i := range 20 {
					key := fmt.Sprintf("due.%d.%d", g, i)
					deadline := at.Add(time.Duration(i) * time.Millisecond / 10).Round(0)
					err := c.Schedule(t.Context(), key, deadline, nil)
					w.h.changed(key, change{what: "schedule", deadline: deadline, ok: err == nil, err: err})
				}
			})
		}
		time.Sleep(time.Until(at) - 500*time.Millisecond)
		i := leader(t, c, cl)
		time.Sleep(time.Until(at.Add(2 * time.Millisecond)))
		cl.nodes[i].kill()
		time.Sleep(time.Second)
		cl.start(t, i)
		wg.Wait()
	}, func() { w.kill(0, 1) })
}

// leader returns which node leads the stream.
func leader(t *testing.T, c *Client, cl *cluster) int {
	t.Helper()
	info, err := c.stream.Info(t.Context())
	fatalIf(t, err)
	name := info.Cluster.Leader
	for i, r := range cl.roles {
		if r.Node == name {
			return i
		}
	}
	t.Fatalf("the stream is led by %q, which is no node of the cluster", name)
	return 0
}

// A handler that kills its worker is called MaxAttempts times.
func TestHandlerKillsWorker(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	r := role{URL: cl.url(), Dies: true}
	c, _ := cl.open(t, Config{AckWait: r.ackWait()})
	const most = 3
	mustSet(t, c, Timer{Key: "key", Deadline: time.Now(), Limits: Limits{MaxAttempts: most}})
	var mu sync.Mutex
	var calls []int
	worker := func() *child {
		return spawn(t, r, func(line handledLine) {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, line.Attempt)
		})
	}
	for range most {
		worker().lines.Wait() // until it has died
	}
	worker()
	handled(t, c, 1)
	if d := collect(t, c.DeadLetters(t.Context()))[0]; d.Attempts != most || d.Error != "the worker died, or could not store the error" {
		t.Errorf("dead letter %+v", d)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(calls, []int{1, 2, 3}) {
		t.Errorf("attempts %v", calls)
	}
}

// A timer that was cancelled, moved or fired stays so when the server is killed again and again in
// the same folder, for several payload sizes.
func TestKillRemovals(t *testing.T) {
	sizes, rounds := []int{200, 1_000, 4_000, 20_000, 60_000}, longtest.Scale(t, 4, 4, 400)
	if rounds == 4 {
		sizes = []int{4_000, 60_000}
	}
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			cl, h := startCluster(t, 1), newHistory()
			wrong := 0
			for round := range rounds {
				prefix := fmt.Sprint(round, ".")
				changeAndKill(t, cl, h, prefix, size)
				cl.start(t, 0)
				if round%4 == 3 { // some come back at the second start only
					wrong += h.compare(t, cl, prefix)
					cl.nodes[0].kill()
					cl.start(t, 0)
				}
				wrong += h.compare(t, cl, prefix)
			}
			wrong += h.compare(t, cl, "") // all that was handled
			t.Logf("%d kills, %d cancelled, %d moved, %d fired, %d back or lost",
				rounds+rounds/4, h.done["cancel"], h.done["reschedule"], len(h.handled), wrong)
			if !h.some() {
				t.Error("want some of each")
			}
		})
	}
}

// some reports whether timers were cancelled, moved and fired.
func (h *history) some() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done["cancel"] > 0 && h.done["reschedule"] > 0 && len(h.handled) > 0
}

// changeAndKill changes timers for a while, with few of them pending at a time, and then kills the server.
func changeAndKill(t *testing.T, cl *cluster, h *history, prefix string, size int) {
	c, nc := cl.open(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = c.Serve(ctx, func(_ context.Context, f Fired) error { // ctx ends
			h.handle(handledLine{ID: f.ID, Key: f.Key, At: time.Now()})
			return nil
		})
	})
	wg.Go(func() { // the logs are cleaned all the time
		for ctx.Err() == nil {
			if w := c.worker.Load(); w != nil {
				for _, p := range w.all() {
					if p.loaded.Load() {
						_, _ = c.clean(ctx, p.number, p, true, 0) // the server is killed in the middle
					}
				}
			}
		}
	})
	for g := range 4 {
		wg.Go(func() { h.changeMany(ctx, c, fmt.Sprint(prefix, g, "."), make([]byte, size)) })
	}
	time.Sleep(400 * time.Millisecond)
	for end := time.Now().Add(20 * time.Second); !h.some() && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // a busy machine
	}
	cl.nodes[0].kill()
	cancel()
	nc.Close()
	wg.Wait()
}

// changeMany sets timers, moves half of them, and cancels the ones that do not fire soon.
func (h *history) changeMany(ctx context.Context, c *Client, prefix string, payload []byte) {
	var keys []string
	for i := 0; ctx.Err() == nil; i++ {
		key, now := fmt.Sprint(prefix, i), time.Now().Round(0)
		soon, later := now.Add(30*time.Millisecond), now.Add(time.Hour)
		at := []time.Time{soon, later, soon, later.Add(time.Hour)}[i%4]
		first := at
		if i%4 > 1 {
			first = later
		}
		err := c.Schedule(ctx, key, first, payload)
		h.changed(key, change{what: "schedule", deadline: first, ok: err == nil, err: err})
		if i%4 > 1 {
			ok, err := c.Reschedule(ctx, key, at)
			h.changed(key, change{what: "reschedule", deadline: at, ok: ok, err: err})
		}
		if at.Equal(soon) {
			continue
		}
		if keys = append(keys, key); len(keys) == 4 {
			ok, err := c.Cancel(ctx, keys[0])
			h.changed(keys[0], change{what: "cancel", ok: ok, err: err})
			keys = keys[1:]
		}
	}
}

// compare compares the pending timers with the history, after a start of the server and before a worker reads them. It
// also looks for keys with a prefix that are not pending. It returns the number of wrong keys and reports each key once.
func (h *history) compare(t *testing.T, cl *cluster, prefix string) (wrong int) {
	c, nc := cl.open(t, Config{})
	defer nc.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	found := make(map[string]time.Time)
	for key := range h.changes {
		if strings.HasPrefix(key, prefix) {
			found[key] = time.Time{}
		}
	}
	for _, timer := range pending(t, c, "") {
		found[timer.Key] = timer.Deadline
	}
	for key, at := range found {
		changes := h.changes[key]
		if len(changes) == 0 || slices.ContainsFunc(h.follow(key, changes, 0), func(state int) bool {
			switch {
			case state == none:
				return at.IsZero()
			case at.IsZero(): // it has fired, or may have
				return h.fired(key, changes[state]) || time.Until(changes[state].deadline) < time.Minute
			}
			return at.Equal(changes[state].deadline) && !h.fired(key, changes[state])
		}) {
			continue
		}
		wrong++
		t.Errorf("%s is pending at %v:%s", key, at, h.describe(key, changes))
		delete(h.changes, key)
	}
	return wrong
}

// A worker, a server or both are killed. Of the timers that were due meanwhile, a handler gets those of a partition in the
// order of their deadlines, although they were set in another one, and some of them were far.
func TestKillKeepsOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		worker, server bool
	}{{"worker", true, false}, {"server", false, true}, {"both", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const n = 60
			cl := startCluster(t, 1)
			c, _ := cl.open(t, Config{Partitions: 1})
			h := newHistory()
			var mu sync.Mutex
			var came []string
			r := role{URL: cl.url(), Concurrency: 1}
			handle := func(line handledLine) {
				h.handle(line)
				mu.Lock()
				defer mu.Unlock()
				if !slices.Contains(came, line.Key) { // otherwise it is handled again
					came = append(came, line.Key)
				}
			}
			w := spawn(t, r, handle)
			due := time.Now().Add(4 * time.Second)
			timers := make([]Timer, n)
			for i := range timers {
				timers[i] = Timer{Key: fmt.Sprintf("%03d", i), Deadline: due.Add(time.Duration(i) * time.Millisecond)}
			}
			rand.New(rand.NewPCG(5, 5)).Shuffle(n, func(i, j int) { timers[i], timers[j] = timers[j], timers[i] })
			mustSet(t, c, timers...)
			waitFor(t, func() bool { // the worker has been given all of them: it would fire the others later
				left := uint64(0)
				for info := range c.stream.ListConsumers(t.Context()).Info() {
					left += info.NumPending
				}
				return left == 0
			})
			if test.worker {
				w.kill()
			}
			if test.server {
				cl.nodes[0].kill()
			}
			time.Sleep(time.Until(due.Add(time.Second)))
			if test.server {
				cl.start(t, 0)
			}
			if test.worker {
				w = spawn(t, r, handle)
			}
			settle(t, c)
			w.kill()
			if len(came) != n || !slices.IsSorted(came) {
				t.Errorf("%d of %d came, in the order %v", len(came), n, came)
			}
		})
	}
}
