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
		h.hook = func() {
			h.hook = nil
			c.last.Store(int64(c.d.Now()))
		}
		mustEnd(t, "used after a second", 2*time.Second, c.Read)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A time that another goroutine has stored meanwhile is not set back.
func TestTouchNeverSetsTheTimeBack(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
		for _, ahead := range []time.Duration{0, 1, time.Minute} {
			later := int64(c.d.Now() + ahead)
			c.last.Store(later)
			if c.Touch(); c.last.Load() != later {
				t.Errorf("%v ahead: set back by %v", ahead, time.Duration(later-c.last.Load()))
			}
		}
	})
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
