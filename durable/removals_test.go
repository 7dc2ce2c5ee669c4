//go:build unix

package durable

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
			h.handle(handledLine{ID: f.ID, Key: f.Key, At: time.Now()})
			return nil
		})
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
// also looks for those of the keys with a prefix that are not pending. It returns how many are wrong, and says each once.
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
