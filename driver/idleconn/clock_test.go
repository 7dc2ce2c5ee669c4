package idleconn

import (
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/timerbench/timerbench/driver"
)

// many returns connections of a driver that is closed, with a word that their Reads share.
func many(t *testing.T, timeout time.Duration, n int) []*Conn {
	t.Helper()
	d := newDriver(t)
	d.Close()
	conns := make([]*Conn, n)
	for i := range conns {
		conns[i] = New(d, memory{}, timeout)
	}
	if size := unsafe.Sizeof(*conns[0]); size > 32 {
		t.Errorf("a Conn has %d bytes, want at most 32", size)
	}
	shift := conns[0].state.Load() >> shiftAt
	if step := int64(1) << shift; step != 4096 && (step*2048 > int64(timeout) || step*2048 <= int64(min(timeout, longest))/2) {
		t.Errorf("timeout %v: a step of %d ns", timeout, step)
	}
	clocks[shift].word.Store(stepOf(int64(time.Since(base)), shift) | shared)
	return conns
}

// Once hundreds of connections are used in a step, they share a reading of the clock.
func TestHundredsOfConnectionsShareAReading(t *testing.T) {
	const timeout = 4 * time.Second
	conns, word := many(t, timeout, 2*manyUsers), &clocks[shiftOf(timeout)].word
	word.Store(0)
	for begin := time.Now(); word.Load()&shared == 0; {
		for _, c := range conns {
			c.Touch()
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("each use reads the clock")
		}
	}
}

// However long a word stands still, a use never counts as an earlier one, and after the next reading of the clock hardly as a
// later one.
func TestAWordThatStandsStillMakesNoTimeoutEarly(t *testing.T) {
	const timeout, n = 40 * time.Millisecond, 64
	conns := many(t, timeout, n)
	rng := rand.New(rand.NewPCG(1, 1))
	shift := conns[0].state.Load() >> shiftAt
	k, step := &clocks[shift], time.Duration(1)<<shift
	used := make([]time.Time, n)
	stored := 0
	for range 3000 {
		long := time.Duration(rng.Int64N(int64(3 * step)))
		for wait := time.Now(); time.Since(wait) < long; {
		}
		if rng.IntN(10) == 0 {
			k.mu.Lock()
			k.set(shift)
			k.word.Store(k.word.Load()&stepMask | shared)
			k.mu.Unlock()
		}
		i := rng.IntN(n)
		c := conns[i]
		used[i] = time.Now()
		if rng.IntN(100) == 0 {
			age(c)
		}
		c.Touch()
		if c.state.Load()&shared != 0 {
			stored++
		}
		i = rng.IntN(n)
		if idle := conns[i].idle(); !used[i].IsZero() && (idle > time.Since(used[i]) || idle < -3*step) {
			t.Fatalf("counts as idle for %v, %v after a use", idle, time.Since(used[i]))
		}
	}
	if stored < 300 {
		t.Errorf("only %d uses have stored the word", stored)
	}
}

// A connection that is used by the real clock times out no earlier than a timeout after its last use, whether uses read the
// clock or store a word.
func TestTheRealClockMakesNoTimeoutEarly(t *testing.T) {
	const timeout = 4 * time.Millisecond
	d := newDriver(t)
	shift := shiftOf(timeout)
	k := &clocks[shift]
	var all sync.WaitGroup
	var over, words atomic.Int64
	for i := range uint64(8) {
		all.Go(func() {
			defer over.Add(1)
			rng := rand.New(rand.NewPCG(i, 0))
			for range 20 {
				ends := make(chan time.Time, 1000)
				c := New(d, &hooked{Conn: memory{}, hook: func() { ends <- time.Now() }}, timeout)
				begin := time.Now()
				for range rng.IntN(100) {
					runtime.Gosched()
					begin = time.Now()
					if c.Touch(); c.state.Load()&shared != 0 {
						words.Add(1)
					}
				}
				for out := false; !out; {
					end := <-ends
					c.rare.mu.Lock() // wait for look, which may take the timeout back
					out = c.isTimedOut() && len(ends) == 0
					c.rare.mu.Unlock()
					if idle := end.Sub(begin); out && idle < timeout {
						t.Errorf("timed out %v after a use", idle)
					}
				}
				_ = c.Close()
			}
		})
	}
	for over.Load() < 8 { // as if many connections were used now and then
		k.mu.Lock()
		k.set(shift)
		k.word.Or(shared)
		k.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
	}
	all.Wait()
	if words.Load() == 0 {
		t.Error("no use has stored a word")
	}
}

// No more wake-ups than one for each time at which an exact timeout would look at a connection, and fewer for many.
func TestConnectionsShareWakeups(t *testing.T) {
	for _, n := range []int{1, 3, 1000} {
		synctest.Test(t, func(t *testing.T) {
			const timeout = time.Second
			d := newDriver(t)
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			type exact struct{ last, look time.Duration } // model of a connection
			conns, model, start := make([]*Conn, n), make([]exact, n), time.Now()
			looks := make(map[time.Duration]bool)
			for i := range conns {
				time.Sleep(time.Duration(rng.Int64N(int64(time.Second) / int64(n))))
				conns[i] = New(d, memory{}, timeout, InsteadOfTimeout(func(*Conn) {}))
				now := time.Since(start)
				model[i] = exact{now, now + timeout}
			}
			for range 20 * n {
				time.Sleep(time.Duration(rng.Int64N(2 * int64(timeout) / int64(n))))
				now := time.Since(start)
				for i := range model {
					for m := &model[i]; m.look < now; {
						looks[m.look.Truncate(100*time.Microsecond)] = true
						if m.last+timeout <= m.look {
							m.last = m.look
						}
						m.look = m.last + timeout
					}
				}
				i := rng.IntN(n)
				conns[i].Touch()
				model[i].last = now
			}
			got, all := int(d.Stats().Wakeups), len(looks)
			t.Logf("%d connections: %d wake-ups, with exact timeouts %d", n, got, all)
			if got > all || n == 1000 && got > all*8/10 {
				t.Errorf("%d connections: %d wake-ups, with exact timeouts %d", n, got, all)
			}
			for _, c := range conns {
				_ = c.Close()
			}
		})
	}
}

// The numbers of steps come round after 4096 to 8192 timeouts. A new connection times out on time all the same, and so does one
// that is used again after a long time, or whose function or driver
// has taken long.
func TestTimeoutsWhenTheNumbersOfStepsComeRound(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Conn, _ net.Conn) {
		calls := 0
		slow := New(c.rare.d, memory{}, time.Second, InsteadOfTimeout(func(*Conn) {
			calls++
			time.Sleep(2999 * time.Second)
		}))
		for range 9 {
			time.Sleep(2998 * time.Second)
			below, _ := net.Pipe()
			mustEnd(t, "new", time.Second, New(c.rare.d, below, time.Second).Read)
			c.Touch()
			mustEnd(t, "used again", time.Second, c.Read)
		}
		_ = slow.Close()
		time.Sleep(time.Hour)
		c.Touch()
		busy := newDriver(t, driver.Workers(1))
		below, _ := net.Pipe()
		late := New(busy, below, time.Second)
		busy.AfterFunc(0, func() { time.Sleep(3000 * time.Second) })
		mustEnd(t, "looked at late", 3001*time.Second, late.Read)
		if synctest.Wait(); calls != 9 {
			t.Errorf("a function was called %d times, want 9", calls)
		}
	})
}
