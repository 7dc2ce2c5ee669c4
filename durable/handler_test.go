package durable

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// Handlers fail in each way, and the others go on.
func TestHandlers(t *testing.T) {
	t.Parallel()
	c := open(t, start(t), Config{
		Concurrency: 3, MaxAttempts: 3, HandlerTimeout: 300 * time.Millisecond, AckWait: 500 * time.Millisecond,
		Backoff: func(attempt int) time.Duration { return time.Duration(attempt) * 20 * time.Millisecond },
	})
	handled := make(chan Fired, 100)
	release := make(chan struct{})
	stop := serveWith(t, c, func(ctx context.Context, f Fired) error {
		handled <- f
		switch {
		case f.Key == "panics":
			panic("on purpose\nin two lines")
		case f.Key == "fails":
			return errors.New("on purpose")
		case f.Key == "fails twice" && f.Attempt < 3:
			return errors.New("on purpose")
		case f.Key == "hangs" && f.Attempt == 1:
			<-release
		case f.Key == "slow" && f.Attempt == 1:
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	for _, key := range []string{"panics", "fails", "fails twice", "hangs", "slow", "works"} {
		if err := c.Schedule(t.Context(), key, time.Now(), []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	attempts := make(map[string]int)
	for range 3 + 3 + 3 + 2 + 2 + 1 {
		f := receive(t, handled)
		attempts[f.Key]++
		if f.Attempt != attempts[f.Key] {
			t.Errorf("%s: attempt %d comes as number %d", f.Key, f.Attempt, attempts[f.Key])
		}
	}
	waitFor(t, func() bool {
		n, err := c.Counts(t.Context())
		return err == nil && n.Dead == 2 && n.Fired == 0
	})
	for d, err := range c.DeadLetters(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Attempts != 3 || string(d.Payload) != d.Key || !strings.Contains(d.Error, "on purpose") {
			t.Errorf("dead letter %+v", d)
		}
		if d.Key == "fails" {
			err = c.Revive(t.Context(), d)
		} else {
			err = c.Discard(t.Context(), d)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if f := receive(t, handled); f.Key != "fails" || f.Attempt != 1 {
		t.Errorf("revived: %+v", f)
	}
	close(release)
	stop()
	if err := c.Serve(t.Context(), nil); err == nil {
		t.Error("Serve without a handler returned no error")
	}
}
