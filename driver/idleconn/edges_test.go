package idleconn

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A connection that was used just before it timed out is taken back, even if that use saw no timeout: Touch stores the time, and looks
// for a timeout after that.
func TestAUseJustBeforeTheTimeoutCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below, _ := net.Pipe()
		h := &hooked{Conn: below}
		c := New(newDriver(t), h, time.Second)
		c.rare.mu.Lock()
		h.hook = func() {
			h.hook = nil
			c.use()
		}
		c.rare.mu.Unlock()
		mustEnd(t, "used after a second", 2*time.Second, c.Read)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A time that another goroutine has stored meanwhile is not set back.
func TestTouchNeverSetsTheTimeBack(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
		for _, ahead := range []time.Duration{0, time.Millisecond, time.Minute} {
			before := c.idle()
			setBack(c, -ahead)
			if c.Touch(); c.idle() > before-ahead {
				t.Errorf("%v ahead: idle for %v, before %v", ahead, c.idle(), before)
			}
		}
	})
}

// age makes a connection idle that moves no bytes from now on.
func age(c *Conn) { setBack(c, 2*c.rare.timeout-c.idle()) }

// setBack moves the last reading of the clock into the past.
func setBack(c *Conn, by time.Duration) {
	for {
		state := c.state.Load()
		step := (uint32(state>>readAt) - uint32(by>>(state>>shiftAt))) & stepMask
		if c.state.CompareAndSwap(state, state&^(stepMask<<readAt)|uint64(step)<<readAt) {
			return
		}
	}
}

// A deadline of the side that does not time out works while the other one has timed out, and after Close it is an error.
func TestDeadlinesOfEachSide(t *testing.T) {
	for name, test := range map[string]struct {
		opt  Option
		ends func(*Conn) func([]byte) (int, error)
		free func(*Conn) func([]byte) (int, error)
	}{
		"Reads":  {Reads(), func(c *Conn) func([]byte) (int, error) { return c.Read }, func(c *Conn) func([]byte) (int, error) { return c.Write }},
		"Writes": {Writes(), func(c *Conn) func([]byte) (int, error) { return c.Write }, func(c *Conn) func([]byte) (int, error) { return c.Read }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
				mustEnd(t, "idle", time.Second, test.ends(c))
				_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
				mustEnd(t, "the deadline of the caller", 300*time.Millisecond, test.free(c))
				_ = c.SetDeadline(time.Time{})
				mustEnd(t, "still idle", 0, test.ends(c))
				if err := c.Close(); err != nil || c.SetReadDeadline(time.Now()) == nil || c.SetWriteDeadline(time.Now()) == nil {
					t.Errorf("error %v; after Close, a deadline is an error", err)
				}
			}, test.opt)
		})
	}
}
