//go:build unix

package durable

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// A timer that was cancelled, moved or fired stays so when the server is killed again and again in
// the same folder, for several payload sizes.
func TestKillRemovals(t *testing.T) {
	sizes, rounds := []int{200, 1_000, 4_000, 20_000, 60_000}, long(4, 400)
	if rounds == 4 {
		sizes = []int{4_000, 60_000}
	}
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			r := removals{size: size, pending: make(map[string]time.Time), gone: make(map[string]string)}
			cl := startCluster(t, 1)
			for round := range rounds {
				r.round(t, cl, round)
				cl.start(t, 0)
				if round%4 == 3 { // some come back at the second start only
					r.check(t, cl, round)
					cl.nodes[0].kill()
					cl.start(t, 0)
				}
				r.check(t, cl, round)
			}
			cl.nodes[0].kill()
			t.Logf("%d kills, %d cancelled, %d moved, %d fired, %d fired again, %d back",
				rounds+rounds/4, r.cancels, r.moves, r.fires, r.again, r.back)
			if r.back > 0 {
				t.Errorf("%d timers are back that were cancelled, moved or had fired", r.back)
			}
			if !r.some() {
				t.Error("want some of each")
			}
		})
	}
}

// removals is what a test knows about its timers. A timer whose call was interrupted by a kill is in neither map.
type removals struct {
	size int

	mu                                 sync.Mutex
	pending                            map[string]time.Time // deadlines
	gone                               map[string]string    // why
	cancels, moves, fires, again, back int
}

// round changes timers for a while, with few of them pending at a time, and then kills the server.
func (r *removals) round(t *testing.T, cl *cluster, round int) {
	nc, err := dial(cl.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := open(t, nc, Config{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = c.Serve(ctx, func(_ context.Context, f Fired) error { // ctx ends
			r.fired(t, f)
			return nil
		})
	})
	for g := range 4 {
		wg.Go(func() { r.change(ctx, c, fmt.Sprintf("%d.%d.", round, g)) })
	}
	time.Sleep(400 * time.Millisecond)
	for end := time.Now().Add(20 * time.Second); !r.some() && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // a busy machine
	}
	cl.nodes[0].kill()
	cancel()
	nc.Close()
	wg.Wait()
}

// some reports whether timers were cancelled, moved and fired.
func (r *removals) some() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cancels > 0 && r.moves > 0 && r.fires > 0
}

func (r *removals) fired(t *testing.T, f Fired) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch why, gone := r.gone[f.Key]; {
	case gone && why == "fired":
		r.again++ // it is handled at least once
	case gone:
		r.back++
		t.Errorf("%s fires: it was %s", f.Key, why)
	default:
		if at, ok := r.pending[f.Key]; ok && !at.Equal(f.Deadline) {
			r.back++
			t.Errorf("%s fires at %v: it was moved to %v", f.Key, f.Deadline, at)
		}
		r.gone[f.Key] = "fired"
		r.fires++
		delete(r.pending, f.Key)
	}
}

// change sets timers, moves half of them, and cancels the ones that do not fire soon.
func (r *removals) change(ctx context.Context, c *Client, prefix string) {
	var keys []string
	payload := make([]byte, r.size)
	for i := 0; ctx.Err() == nil; i++ {
		key, now := fmt.Sprint(prefix, i), time.Now().Round(0)
		soon := now.Add(30 * time.Millisecond)
		at := now.Add(time.Hour)
		if i%4 == 0 {
			at = soon
		}
		r.set(key, at, c.Schedule(ctx, key, at, payload))
		if i%4 > 1 {
			if i%4 == 2 {
				at = soon
			} else {
				at = at.Add(time.Hour)
			}
			r.unset(key)
			ok, err := c.Reschedule(ctx, key, at)
			if err == nil && !ok {
				err = fmt.Errorf("%s cannot be moved", key)
			}
			r.set(key, at, err)
			if err == nil {
				r.mu.Lock()
				r.moves++
				r.mu.Unlock()
			}
		}
		if at.Equal(soon) {
			continue
		}
		if keys = append(keys, key); len(keys) < 4 {
			continue
		}
		key, keys = keys[0], keys[1:]
		r.unset(key)
		if ok, err := c.Cancel(ctx, key); ok && err == nil {
			r.mu.Lock()
			r.gone[key] = "cancelled"
			r.cancels++
			r.mu.Unlock()
		}
	}
}

// set records that key is pending, unless it has fired or the call failed.
func (r *removals) set(key string, at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, fired := r.gone[key]; err == nil && !fired {
		r.pending[key] = at
	}
}

func (r *removals) unset(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, key)
}

// check compares the pending timers after a start of the server, before a worker reads them.
func (r *removals) check(t *testing.T, cl *cluster, round int) {
	nc, err := dial(cl.url())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := open(t, nc, Config{})
	r.mu.Lock()
	defer r.mu.Unlock()
	found := make(map[string]bool)
	for _, timer := range pending(t, c, "") {
		found[timer.Key] = true
		why := r.gone[timer.Key]
		if at, ok := r.pending[timer.Key]; ok && !at.Equal(timer.Deadline) {
			why = fmt.Sprintf("moved to %v", at)
		}
		if why == "" {
			continue
		}
		r.back++
		delete(r.gone, timer.Key) // it is told once
		delete(r.pending, timer.Key)
		t.Errorf("round %d: %s is pending at %v: it was %s", round, timer.Key, timer.Deadline, why)
	}
	for key, at := range r.pending {
		if !found[key] && time.Until(at) > time.Minute {
			_, ok, err := c.Get(t.Context(), key)
			t.Errorf("round %d: %s is not listed: Get = %v, %v", round, key, ok, err)
			delete(r.pending, key)
		}
	}
}
