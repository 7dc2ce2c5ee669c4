//go:build unix

package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

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

// useFull moves, cancels and fires the timers of a full store, and waits until it has room again.
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
	fired := make(chan string, 1<<16)
	stop := serveWith(t, c, func(_ context.Context, f Fired) error { fired <- f.ID; return nil })
	for seen := make(map[string]bool); len(seen) < len(keys)-cancelled; {
		seen[receive(t, fired)] = true
	}
	waitFor(t, func() bool {
		err := c.Schedule(t.Context(), "another", time.Now().Add(time.Hour), make([]byte, 1000))
		if err != nil && !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		return err == nil
	})
	waitFor(t, func() bool { // the worker cleans the logs
		n, err := c.Counts(t.Context())
		return err == nil && n.Stored < n.Limit/4
	})
	stop()
}

// A store that is full of small timers has room to move each again and again, to cancel, to fire, and to bury them with
// their errors, and for the signs of life of a worker.
func TestFullOfSmallTimers(t *testing.T) {
	t.Parallel()
	var log logged
	const limit = 256_000
	c := open(t, start(t, MaxStore(limit)), Config{Logger: log.logger()})
	keys := fill(t, c, 0)
	n, err := c.Counts(t.Context())
	if err != nil || n.Limit != limit || n.Stored < n.Bytes || n.Bytes < limit*7/10 || n.Stored > limit*9/10 {
		t.Errorf("Counts = %+v, %v", n, err)
	}
	moveAll(t, c, keys, 2, time.Hour)
	third := len(keys) / 3
	for _, key := range keys[:third] { // no worker notes what was cancelled
		mustCancel(t, c, key)
	}
	if n := len(pending(t, c, "")); n != len(keys)-third {
		t.Errorf("%d are pending, want %d", n, len(keys)-third)
	}
	keys = keys[third:]
	moveAll(t, c, keys, 1, 0)
	serveWith(t, c, func(context.Context, Fired) error { return Permanent(errors.New(strings.Repeat("error ", 100))) })
	handled(t, c, uint64(len(keys)))
	if log.has("following the workers") || log.has("tried again after") {
		t.Errorf("the worker cannot store its sign of life:\n%s", &log.text)
	}
	for _, d := range collect(t, c.DeadLetters(t.Context())) {
		fatalIf(t, c.Discard(t.Context(), d))
	}
	waitFor(t, func() bool { return c.Schedule(t.Context(), "another", time.Now(), nil) == nil })
}

// A store is full of large timers, and clients have moved some of them again and again. All fire nevertheless.
func TestFullAndMoved(t *testing.T) {
	t.Parallel()
	var clock shifted
	c := open(t, start(t, MaxStore(1_000_000)), Config{Now: clock.now})
	keys := fill(t, c, 5000)
	for _, key := range keys[:8] {
		moveAll(t, c, []string{key}, 60, time.Hour)
	}
	clock.set(2 * time.Hour)
	fired := serve(t, c)
	for range keys {
		receive(t, fired)
	}
}

// A store fills while a worker fires, by its own limit or by one that an operator has set. Set returns ErrFull, all that was
// acknowledged fires, and there is room again.
func TestFullWhileAWorkerFires(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		store int64 // MaxStore
		bytes int64 // MaxBytes of the stream, which has no reserve
	}{{"store", 1_000_000, -1}, {"stream", 1 << 40, 300_000}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, start(t, MaxStore(test.store)), Config{Partitions: 2, Concurrency: 2})
			limit := func(bytes int64) {
				cfg := c.stream.CachedInfo().Config
				cfg.MaxBytes, cfg.Discard = bytes, jetstream.DiscardNew
				_, err := c.js.UpdateStream(t.Context(), cfg)
				fatalIf(t, err)
			}
			limit(test.bytes)
			fired := make(chan string, 1<<16)
			serveWith(t, c, func(_ context.Context, f Fired) error { fired <- f.Key; return nil })
			waitFor(t, func() bool { return c.Stats().Partitions == 2 })
			far := make(map[string]bool) // pending until there is room
			soon, full := 0, 0
			for i := 0; full < 3; i++ {
				key, in := fmt.Sprint("soon", i), time.Duration(i%20)*10*time.Millisecond
				if i%4 > 0 {
					key, in = fmt.Sprint("far", i), 100*time.Hour
				}
				err := c.Schedule(t.Context(), key, time.Now().Add(in), make([]byte, 1000))
				switch {
				case errors.Is(err, ErrFull):
					full++
				case err != nil:
					t.Fatalf("%s: %v, want %v", key, err, ErrFull)
				case i%4 > 0:
					far[key] = true
				default:
					soon++
				}
			}
			if err := c.Ready(t.Context()); (err != nil && strings.Contains(err.Error(), "MaxBytes 300000")) != (test.bytes > 0) {
				t.Errorf("Ready: %v", err)
			}
			if test.bytes > 0 { // there is no reserve
				limit(-1)
			}
			seen := make(map[string]bool)
			next := func(n int) {
				for len(seen) < n {
					seen[receive(t, fired)] = true
				}
			}
			next(soon)
			for key := range far {
				moveAll(t, c, []string{key}, 1, 0)
			}
			next(soon + len(far))
			for key := range far {
				if !seen[key] {
					t.Errorf("%s has not fired", key)
				}
			}
			waitFor(t, func() bool {
				err := c.Schedule(t.Context(), "another", time.Now(), make([]byte, 1000))
				if err != nil && !errors.Is(err, ErrFull) {
					t.Fatal(err)
				}
				return err == nil
			})
		})
	}
}

// The server does not stop because a stream has a folder already, or still: there is one at any time, but never for long.
func TestStreamsComeAndGo(t *testing.T) {
	t.Parallel()
	var log logged
	dir := t.TempDir()
	open(t, connect(t, embedded(t, dir, log.option())), Config{})
	streams := filepath.Join(dir, "jetstream", "$G", "streams")
	for i, end := 0, time.Now().Add(5*watchPause/2); time.Now().Before(end); i++ {
		fatalIf(t, os.Mkdir(filepath.Join(streams, fmt.Sprint("new", i)), 0o700))
		if i > 0 {
			fatalIf(t, os.Remove(filepath.Join(streams, fmt.Sprint("new", i-1))))
		}
	}
	if log.has("cannot be written") {
		t.Errorf("the server stopped:\n%s", &log.text)
	}
}

// Another program fills the disk. The server continues by itself when there is room again.
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
	other, fills := filepath.Join(dir, "other"), 0
	// down fills the disk. It reports whether the server stopped for the nth time because it could
	// not write: it may have noticed before that there is no room.
	down := func(n int) bool {
		if fills++; fills > 10 {
			t.Fatal("the server never stops for want of room")
		}
		f, err := os.Create(other)
		fatalIf(t, err)
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
		for end := time.Now().Add(4 * watchPause); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if log.count("cannot be written") >= n {
				return true
			}
		}
		return false
	}
	up := func() {
		fatalIf(t, os.Remove(other))
	}
	for !down(1) {
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

	// An error that is final is reported.
	for !down(2) {
		up()
	}
	note := `{"Streams":{"timers":[1000000]}}`
	fatalIf(t, os.WriteFile(filepath.Join(dir, "store", "timers.json"), []byte(note), 0o600))
	up()
	if err := s.Wait(); !errors.Is(err, ErrLoss) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Wait = %v, want %v after no space was left", err, ErrLoss)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// The clocks of two workers are two seconds apart. No timer is early by the clock of the worker that
// fires it, and none is lost in a takeover.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	const ahead = 2 * time.Second
	w := startCrew(t, cl, 1, role{})
	fast := role{URL: cl.url(), Ahead: ahead}
	w.workers = append(w.workers, spawn(t, fast, w.h.handle))
	l := load{last: 3 * time.Second, timeout: 5 * time.Second, pause: 2 * time.Millisecond, ahead: ahead, seed: 5}
	l.while(t, c, w.h, func() {
		time.Sleep(time.Second)
		w.workers[1].kill()
		w.workers[1] = spawn(t, fast, w.h.handle)
	}, func() { w.kill(0, 1) })
}

// A worker that ends waits for its handler. No other worker gets the timer in the meantime.
func TestHeldToTheEnd(t *testing.T) {
	t.Parallel()
	nc := start(t)
	cfg := Config{AckWait: 2 * time.Second} // a busy machine may stand still for a second
	c := open(t, nc, cfg)
	begun := make(chan struct{})
	stop := serveWith(t, c, func(context.Context, Fired) error {
		close(begun)
		time.Sleep(cfg.AckWait * 3 / 2)
		return nil
	})
	set(t, c, "key", 0)
	<-begun
	fired := serve(t, open(t, nc, cfg))
	stop()
	if len(fired) > 0 {
		t.Errorf("another worker has it: %+v", <-fired)
	}
}
