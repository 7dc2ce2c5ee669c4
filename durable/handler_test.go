package durable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// Handlers end in every way, and some timers have their own limits.
func TestHandlers(t *testing.T) {
	t.Parallel()
	onPurpose := errors.New("on purpose")
	release := make(chan struct{})
	defer close(release)
	fails := func(context.Context, Fired) error { return onPurpose }
	// A busy machine may need more attempts with such a short timeout.
	short := Limits{Timeout: 300 * time.Millisecond, MaxAttempts: 1000}
	tests := map[string]struct {
		limits   Limits
		attempts int // at least, with short limits
		dead     bool
		handle   func(context.Context, Fired) error
	}{
		"works":        {Limits{}, 1, false, func(context.Context, Fired) error { return nil }},
		"panics":       {Limits{}, 3, true, func(context.Context, Fired) error { panic("on purpose\nin two lines") }},
		"fails":        {Limits{}, 3, true, fails},
		"own attempts": {Limits{MaxAttempts: 2}, 2, true, fails},
		"permanent": {Limits{}, 1, true, func(context.Context, Fired) error {
			return fmt.Errorf("wrapped: %w", Permanent(onPurpose))
		}},
		"fails twice": {Limits{}, 3, false, func(_ context.Context, f Fired) error {
			if f.Attempt < 3 {
				return onPurpose
			}
			return nil
		}},
		"later": {Limits{}, 2, false, func(_ context.Context, f Fired) error {
			if f.Attempt == 1 {
				return RetryAfter(700*time.Millisecond, onPurpose)
			}
			if f.Lateness < 700*time.Millisecond {
				t.Errorf("the second attempt was %v after the deadline", f.Lateness)
			}
			return nil
		}},
		"hangs": {short, 2, false, func(_ context.Context, f Fired) error {
			if f.Attempt == 1 {
				<-release
			}
			return nil
		}},
		"slow": {short, 2, false, func(ctx context.Context, f Fired) error {
			if f.Attempt == 1 {
				<-ctx.Done()
				time.Sleep(time.Second) // longer than it may
			}
			return nil
		}},
	}
	c := open(t, start(t), Config{Concurrency: 3, MaxAttempts: 3, AckWait: 20 * time.Second,
		Backoff: func(attempt int) time.Duration { return time.Duration(attempt) * 10 * time.Millisecond }})
	calls := make(chan Fired, 1<<16)
	serveWith(t, c, func(ctx context.Context, f Fired) error {
		calls <- f
		return tests[f.Key].handle(ctx, f)
	})
	var timers []Timer
	dead := uint64(0)
	for key, test := range tests {
		timers = append(timers, Timer{Key: key, Deadline: time.Now(), Payload: []byte(key), Limits: test.limits})
		if test.dead {
			dead++
		}
	}
	mustSet(t, c, timers...)
	handled(t, c, dead)
	attempts := make(map[string]int)
	for len(calls) > 0 {
		f := <-calls
		if attempts[f.Key]++; f.Attempt != attempts[f.Key] || f.Limits != tests[f.Key].limits {
			t.Errorf("%+v comes as number %d", f, attempts[f.Key])
		}
	}
	for key, test := range tests {
		if n := attempts[key]; n != test.attempts && (test.limits != short || n < test.attempts) {
			t.Errorf("%s: %d attempts, want %d", key, n, test.attempts)
		}
	}
	for _, d := range collect(t, c.DeadLetters(t.Context())) {
		if test := tests[d.Key]; !test.dead || d.Attempts != test.attempts || string(d.Payload) != d.Key || !strings.Contains(d.Error, "on purpose") {
			t.Errorf("dead letter %+v", d)
		}
		var err error
		switch d.Key {
		case "own attempts":
			err = c.Revive(t.Context(), d)
		case "fails":
			err = c.Discard(t.Context(), d)
		}
		fatalIf(t, err)
	}
	handled(t, c, dead-1)
	for attempt := range 2 { // its limits are still there
		if f := receive(t, calls); f.Key != "own attempts" || f.MaxAttempts != 2 || f.Attempt != attempt+1 {
			t.Errorf("revived: %+v", f)
		}
	}
	if Permanent(nil) != nil || RetryAfter(1, nil) != nil {
		t.Error("no error has become one")
	}
}

// Orderly restarts use up no attempts, neither of timers that were being handled nor of timers that
// waited for room. Attempt counts the calls that were not cut short.
func TestRestartsUseNoAttempts(t *testing.T) {
	t.Parallel()
	nc := start(t)
	cfg := Config{Concurrency: 2, MaxAttempts: 3, Backoff: func(int) time.Duration { return 10 * time.Millisecond }}
	var timers []Timer
	for i := range 6 {
		timers = append(timers, Timer{Key: fmt.Sprint(i), Deadline: time.Now()})
	}
	c := open(t, nc, cfg)
	mustSet(t, c, timers...)
	calls := make(chan Fired, 100)
	for range 7 {
		stop := serveWith(t, open(t, nc, cfg), func(ctx context.Context, f Fired) error {
			calls <- f
			<-ctx.Done()
			return ctx.Err()
		})
		for range 2 {
			if f := receive(t, calls); f.Attempt != 1 {
				t.Errorf("%s: attempt %d, want 1: no call has come to its end", f.Key, f.Attempt)
			}
		}
		stop()
	}
	// Now each timer fails three times.
	serveWith(t, c, func(_ context.Context, f Fired) error {
		calls <- f
		return errors.New("on purpose")
	})
	attempts := make(map[string]int)
	for range 18 {
		f := receive(t, calls)
		if attempts[f.Key]++; f.Attempt != attempts[f.Key] {
			t.Errorf("%s: attempt %d comes as number %d", f.Key, f.Attempt, attempts[f.Key])
		}
	}
	handled(t, c, 6)
	if len(calls) > 0 {
		t.Errorf("there are more calls: %+v", <-calls)
	}
	for _, d := range collect(t, c.DeadLetters(t.Context())) {
		if d.Attempts != 3 || d.Error != "on purpose" {
			t.Errorf("dead letter %+v", d)
		}
	}
}

// A retry is due by the clock of the worker, and waits in the log: another worker makes the attempt.
func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	nc := start(t)
	var clock shifted
	c := open(t, nc, Config{Now: clock.now})
	calls := make(chan Fired, 10)
	handle := func(_ context.Context, f Fired) error {
		calls <- f
		return RetryAfter(time.Hour, errors.New("on purpose"))
	}
	stop := serveWith(t, c, handle)
	set(t, c, "fails", 0)
	receive(t, calls)
	counted(t, c, func(n Counts) bool { return n.Fired == 1 && n.Handled == 0 })
	stop()
	serveWith(t, open(t, nc, Config{Now: clock.now}), handle)
	time.Sleep(500 * time.Millisecond)
	if len(calls) > 0 {
		t.Errorf("too early: %+v", <-calls)
	}
	clock.set(time.Hour)
	if f := receive(t, calls); f.Key != "fails" || f.Attempt != 2 {
		t.Errorf("the second attempt is %+v", f)
	}
}

// A handler that exceeds its timeout without returning makes the worker not ready until it returns.
func TestOverdueHandlers(t *testing.T) {
	t.Parallel()
	var log logged
	c := open(t, start(t), Config{Concurrency: 2, MaxAttempts: 1, Logger: log.logger()})
	hanging, called := make(chan struct{}), make(chan string, 10)
	release := sync.OnceFunc(func() { close(hanging) })
	defer release()
	serveWith(t, c, func(_ context.Context, f Fired) error {
		called <- f.Key
		if f.Timeout > 0 {
			<-hanging
		}
		return nil
	})
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil })
	hangs := Limits{Timeout: 50 * time.Millisecond}
	mustSet(t, c, Timer{Key: "a", Deadline: time.Now(), Limits: hangs}, Timer{Key: "b", Deadline: time.Now(), Limits: hangs})
	waitFor(t, func() bool {
		err := c.Ready(t.Context())
		_, metrics := ask(c, "/metrics")
		return err != nil && strings.Contains(err.Error(), "2 handlers of at most 2 have not returned") && c.Stats().Overdue == 2 &&
			strings.Contains(metrics, "durable_overdue 2\n")
	})
	if !log.has("key=a timeout=50ms") && !log.has("key=b timeout=50ms") {
		t.Errorf("the log is\n%s", &log.text)
	}
	set(t, c, "waits", 0)
	release()
	for receive(t, called) != "waits" {
	}
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil && c.Stats().Overdue == 0 })
}
