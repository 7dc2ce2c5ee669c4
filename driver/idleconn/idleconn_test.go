package idleconn

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/timerbench/timerbench/driver"
)

// tick is the longest time by which a timeout of a second is late in virtual time.
const tick = time.Second/512 + 100*time.Microsecond

func newDriver(t testing.TB, opts ...driver.Option) *driver.Driver {
	t.Helper()
	d, err := driver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// inBubble runs a test in virtual time, on a connection with a timeout of a second.
func inBubble(t *testing.T, test func(t *testing.T, c *Conn, peer net.Conn), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d, below, peer := newDriver(t), net.Conn(nil), net.Conn(nil)
		below, peer = net.Pipe()
		c := New(d, below, time.Second, opts...)
		test(t, c, peer)
		err := errors.Join(c.Close(), peer.Close())
		c.look() // as one that has waited for Close
		if err != nil || d.Len() != 0 {
			t.Errorf("error %v, %d timers pending after Close", err, d.Len())
		}
	})
}

// mustEnd checks that a call ends with an expired deadline after a time, which may be that of two timeouts.
func mustEnd(t *testing.T, what string, want time.Duration, call func([]byte) (int, error)) {
	t.Helper()
	start := time.Now()
	n, err := call(make([]byte, 1))
	if took := time.Since(start); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || took < want || took > want+2*tick {
		t.Errorf("%s: %d, %v after %v, want an expired deadline after %v", what, n, err, took, want)
	}
}

// mustMove moves a byte from one connection to another.
func mustMove(t *testing.T, from, to net.Conn) {
	t.Helper()
	go func() { _, _ = from.Write([]byte("x")) }()
	if n, err := to.Read(make([]byte, 8)); n != 1 || err != nil {
		t.Errorf("moved %d bytes, error %v", n, err)
	}
	synctest.Wait()
}

func TestWhatCountsAndWhatTimesOut(t *testing.T) {
	read, write := func(c *Conn) func([]byte) (int, error) { return c.Read }, func(c *Conn) func([]byte) (int, error) { return c.Write }
	for name, test := range map[string]struct {
		opts   []Option
		byRead bool          // whether Reads keep the connection alive, or else Writes
		left   time.Duration // after a byte the other way, 600 ms later
		ends   func(*Conn) func([]byte) (int, error)
		free   func(*Conn) func([]byte) (int, error) // nil: both sides end
	}{
		"both, by reads":  {nil, true, time.Second, read, nil},
		"both, by writes": {nil, false, time.Second, write, nil},
		"Reads":           {[]Option{Reads()}, true, 400 * time.Millisecond, read, write},
		"Writes":          {[]Option{Writes()}, false, 400 * time.Millisecond, write, read},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
				from, to := peer, net.Conn(c)
				if !test.byRead {
					from, to = to, from
				}
				for range 5 {
					time.Sleep(900 * time.Millisecond)
					mustMove(t, from, to)
				}
				time.Sleep(600 * time.Millisecond)
				mustMove(t, to, from)
				mustEnd(t, "idle", test.left, test.ends(c))
				if mustEnd(t, "idle before", 0, test.ends(c)); test.free != nil {
					mustMove(t, to, from)
					_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
					mustEnd(t, "the deadline of the caller", 300*time.Millisecond, test.free(c))
					_ = c.SetDeadline(time.Time{})
					mustEnd(t, "still idle", 0, test.ends(c))
				} else {
					mustEnd(t, "read", 0, c.Read)
					mustEnd(t, "write", 0, c.Write)
				}
				if err := c.Close(); err != nil || c.SetReadDeadline(time.Now()) == nil || c.SetWriteDeadline(time.Now()) == nil {
					t.Errorf("error %v; after Close, a deadline is an error", err)
				}
			}, test.opts...)
		})
	}
}

// A model says when a connection times out that is used at random times, by either side.
func TestATimeoutIsNeverEarlyAndHardlyLate(t *testing.T) {
	for seed := range uint64(30) {
		inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
			rng := rand.New(rand.NewPCG(seed, 0))
			for last := time.Now(); ; {
				time.Sleep(time.Duration(rng.Int64N(int64(time.Second + 50*time.Millisecond))))
				idle := time.Since(last)
				_ = c.SetDeadline(time.Now().Add(time.Hour)) // does not extend the timeout
				if synctest.Wait(); c.isTimedOut() != (idle >= time.Second) && (idle < time.Second || idle > time.Second+tick) {
					t.Fatalf("seed %d: timed out: %t after %v", seed, c.isTimedOut(), idle)
				} else if c.isTimedOut() {
					return
				}
				if last = time.Now(); rng.IntN(2) == 0 {
					mustMove(t, c, peer)
				} else {
					mustMove(t, peer, c)
				}
			}
		})
	}
}

func TestDeadlinesOfTheCallerKeepWorking(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
		in := func(d time.Duration) time.Time { return time.Now().Add(d) }
		_ = c.SetReadDeadline(in(300 * time.Millisecond))
		mustEnd(t, "read", 300*time.Millisecond, c.Read)
		_ = c.SetReadDeadline(time.Time{})
		_ = c.SetWriteDeadline(in(200 * time.Millisecond))
		mustEnd(t, "write", 200*time.Millisecond, c.Write)
		_ = c.SetDeadline(in(time.Hour))
		mustEnd(t, "idle", 500*time.Millisecond, c.Read)
		_ = c.SetDeadline(in(time.Hour))
		mustEnd(t, "idle, with another deadline", 0, c.Read)

		_ = c.SetReadDeadline(in(700 * time.Millisecond))
		_ = c.SetWriteDeadline(time.Time{})
		c.Touch() // the connection is used again
		mustEnd(t, "read with a deadline from while it was idle", 700*time.Millisecond, c.Read)
		mustEnd(t, "write", 300*time.Millisecond, c.Write)
		c.Touch()
		_ = c.SetReadDeadline(time.Time{})
		mustMove(t, peer, c)
		mustEnd(t, "idle again", time.Second, c.Read)
	})
}

func TestInsteadOfTimeoutRunsOnceATimeout(t *testing.T) {
	var calls []time.Time
	inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
		start := time.Now()
		time.Sleep(2500 * time.Millisecond) // calls at 1 and 2 s, each takes 100 ms
		mustMove(t, peer, c)
		time.Sleep(time.Hour) // at 3.5 s
		synctest.Wait()
		want := []time.Duration{time.Second, 2100 * time.Millisecond, 3500 * time.Millisecond}
		if len(calls) != len(want) {
			t.Fatalf("called after %v, want %v", calls, want)
		}
		for i := range want {
			if at := calls[i].Sub(start); at < want[i] || at > want[i]+2*tick {
				t.Errorf("call %d after %v, want %v", i, at, want)
			}
		}
	}, InsteadOfTimeout(func(c *Conn) {
		if c.isTimedOut() {
			t.Error("timed out as well")
		}
		if calls = append(calls, time.Now()); len(calls) == 3 {
			_ = c.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}))
}

// A function that panics does not stop the timer.
func TestAfterAPanicTheTimerGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		panics := 0
		d := newDriver(t, driver.OnPanic(func(any, []byte) { panics++ }))
		below, _ := net.Pipe()
		c := New(d, below, time.Second, InsteadOfTimeout(func(*Conn) { panic("of a test") }))
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		if err := c.Close(); panics != 3 || err != nil || d.Len() != 0 {
			t.Errorf("%d panics, error %v, %d timers", panics, err, d.Len())
		}
	})
}

// hooked calls hook before a deadline in the past is set.
type hooked struct {
	net.Conn
	hook   func()
	refuse error
}

func (h *hooked) SetReadDeadline(t time.Time) error {
	if t.Equal(past) && h.hook != nil {
		h.hook()
	}
	if h.refuse != nil {
		return h.refuse
	}
	return h.Conn.SetReadDeadline(t)
}

// put puts h between c and the connection below.
func (h *hooked) put(c *Conn) {
	c.rare.mu.Lock() // as look, which runs on another goroutine
	defer c.rare.mu.Unlock()
	h.Conn, c.Conn = c.Conn, h
}

// hook makes a connection call f, once, before it sets a deadline in the past on the connection below.
func hook(c *Conn, f func(below net.Conn)) {
	h := new(hooked)
	h.hook = func() {
		h.hook = nil
		f(h.Conn)
	}
	h.put(c)
}

// A byte that arrives while the timer looks keeps the connection alive: it is read, another Read that waits goes on, and
// the deadline of the caller is restored.
func TestAByteThatArrivesWhileTheTimerLooks(t *testing.T) {
	for _, late := range []bool{false, true} {
		inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
			hook(c, func(below net.Conn) {
				if late { // after the deadline was set; Touch is what Read does with the byte
					_ = below.SetReadDeadline(past)
					go c.Touch()
				} else {
					_, _ = peer.Write([]byte("x"))
				}
				for c.idle() >= time.Second {
					runtime.Gosched()
				}
			})
			start := time.Now()
			_ = c.SetReadDeadline(start.Add(1800 * time.Millisecond))
			var all sync.WaitGroup
			got, ends := 0, [2]time.Duration{}
			for i := range ends {
				all.Go(func() {
					n, err := c.Read(make([]byte, 1))
					if n == 1 {
						got++
						n, err = c.Read(make([]byte, 1))
					}
					if ends[i] = time.Since(start); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("%d, %v", n, err)
					}
				})
			}
			all.Wait()
			for _, end := range ends {
				if end < 1800*time.Millisecond || end > 1800*time.Millisecond+tick || got != 1 && !late {
					t.Errorf("late %t: %d bytes; reads ended after %v, want the deadline of the caller after 1.8s", late, got, ends)
				}
			}
			if synctest.Wait(); c.isTimedOut() {
				t.Error("timed out")
			}
			mustEnd(t, "write", 200*time.Millisecond, c.Write)
		})
	}
}

// A long Write that moves bytes goes on, and so does a Read that waits. One that moves none ends, and the Read with it.
func TestALongWriteGoesOnWhileItMovesBytes(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, peer net.Conn) {
		start, text := time.Now(), strings.Repeat("0123456789", 3)
		reading := make(chan time.Duration)
		go func() {
			_, _ = c.Read(make([]byte, 1))
			reading <- time.Since(start)
		}()
		go func() {
			var all []byte
			for part := make([]byte, 3); len(all) < len(text); {
				time.Sleep(300 * time.Millisecond)
				n, _ := peer.Read(part)
				all = append(all, part[:n]...)
			}
			if string(all) != text {
				t.Errorf("the peer has read %q", all)
			}
		}()
		if n, err := io.WriteString(c, text); n != len(text) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("the write took %v, want 3s", took)
		}
		if n, err := io.WriteString(c, text); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a write that moves nothing: %d, %v", n, err)
		}
		if end := <-reading; end < 4*time.Second || end > 4*time.Second+tick {
			t.Errorf("the read ended after %v, want 4s", end)
		}
		mustEnd(t, "write", 0, c.Write)
	})
}

func TestAConnectionThatRefusesDeadlinesIsClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
		(&hooked{refuse: errors.ErrUnsupported}).put(c)
		start := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) || time.Since(start) > time.Second+tick {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestMisusePanics(t *testing.T) {
	d := newDriver(t)
	below, _ := net.Pipe()
	for want, call := range map[string]func(){
		"idleconn: New: timeout 0s, want a positive one":        func() { New(d, below, 0) },
		"idleconn: Listener: timeout -1ns, want a positive one": func() { Listener(d, nil, -1) },
		"idleconn: InsteadOfTimeout: the function is nil":       func() { InsteadOfTimeout(nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panicked with %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

func TestWithAClosedDriverNothingTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		below, peer := net.Pipe()
		d := newDriver(t)
		before := New(d, below, time.Second)
		d.Close()
		after := New(d, peer, time.Second)
		time.Sleep(time.Hour)
		mustMove(t, before, after)
		_, _ = before.Close(), after.Close()
	})
}

// After Close, nothing of a connection is kept. One that is idle and forgotten is not kept either.
func TestNothingIsKept(t *testing.T) {
	d := newDriver(t)
	goroutines := runtime.NumGoroutine()
	var kept []weak.Pointer[Conn]
	for range 1000 {
		below, _ := net.Pipe()
		c := New(d, below, time.Hour)
		kept = append(kept, weak.Make(c))
		_ = c.Close()
		below, _ = net.Pipe()
		c = New(d, below, time.Nanosecond)
		kept = append(kept, weak.Make(c))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	for range 100 {
		runtime.GC()
		left := 0
		for _, p := range kept {
			if p.Value() != nil {
				left++
			}
		}
		if left <= 1 && runtime.NumGoroutine() <= goroutines && d.Len() == 0 { // a register may hold the last one
			return
		}
	}
	t.Errorf("%d goroutines, at first %d, and %d timers, or connections are left", runtime.NumGoroutine(), goroutines, d.Len())
}

// A connection that was used just before it timed out is taken back, even if that use saw no timeout: Touch stores the time, and looks
// for a timeout after that.
func TestAUseJustBeforeTheTimeoutCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
		hook(c, func(net.Conn) { c.use() })
		mustEnd(t, "used after a second", 2*time.Second, c.Read)
	})
}

// A Write that ends while a timeout is taken back does not end the Reads.
func TestAWriteThatEndsDuringATakeBackEndsNoReads(t *testing.T) {
	c, cut := New(newDriver(t), memory{}, time.Hour), false
	(&hooked{hook: func() { cut = true }}).put(c)
	c.state.Or(timedOut)
	c.rare.writing.Lock()
	c.rare.mu.Lock()
	ended := make(chan struct{})
	go func() {
		c.wrote()
		close(ended)
	}()
	for !c.rare.writing.TryLock() {
		runtime.Gosched()
	}
	for range 1000 {
		runtime.Gosched() // so that it has seen the timeout
	}
	c.takeBack()
	c.rare.mu.Unlock()
	if <-ended; cut {
		t.Error("the Reads end")
	}
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
