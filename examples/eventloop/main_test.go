//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
)

func start(t *testing.T, idle time.Duration) (l *loop, addr string, done chan error) {
	t.Helper()
	l, err := listen(netip.MustParseAddrPort("127.0.0.1:0"), idle)
	if err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(l.listener)
	if err != nil {
		t.Fatal(err)
	}
	done = make(chan error, 1)
	go func() { done <- l.run() }()
	return l, fmt.Sprint("127.0.0.1:", at.(*syscall.SockaddrInet4).Port), done
}

// finish stops the loop, and waits for it.
func finish(t *testing.T, l *loop, done chan error) {
	t.Helper()
	if err := l.stop(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// ping returns whether the server echoed a byte.
func ping(c net.Conn) bool {
	b := []byte{'x'}
	if _, err := c.Write(b); err != nil {
		return false
	}
	_, err := io.ReadFull(c, b)
	return err == nil && b[0] == 'x'
}

// The server closes each connection, and none before it was idle for long enough. One in a hundred sends data for longer
// than that. A slow machine closes connections late, never early.
func TestIdleConnectionsEnd(t *testing.T) {
	const idle = 300 * time.Millisecond
	n := 10_000
	if testing.Short() {
		n = 200
	}
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		t.Fatal(err)
	}
	if fit := int(min(most.Cur, 1<<20))/2 - 100; fit < n {
		t.Logf("%d connections instead of %d: the limit of descriptors is %d", fit, n, most.Cur)
		n = fit
	}
	l, addr, done := start(t, idle)
	var clients sync.WaitGroup
	dialing := make(chan struct{}, 100)
	for i := range n {
		clients.Go(func() {
			dialing <- struct{}{}
			c, err := net.Dial("tcp", addr)
			<-dialing
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			first := time.Now()
			used := first // before the last data that the server read
			for {
				before := time.Now()
				if !ping(c) {
					break // it was idle, if this client was too slow
				}
				used = before
				if i%100 != 0 || time.Since(first) > 2*idle {
					_, _ = c.Read(make([]byte, 1)) // until the server closes it
					break
				}
			}
			if after := time.Since(used); after < idle {
				t.Errorf("connection %d ended after %v", i, after)
			}
		})
	}
	clients.Wait()
	finish(t, l, done)
	if l.accepted != n || l.timers.Len() != 0 {
		t.Errorf("%d connections, want %d, and %d timers are left", l.accepted, n, l.timers.Len())
	}
	t.Logf("%d connections, %d wake-ups", l.accepted, l.wakeups)
}

// A connection with a far deadline wakes the loop only to accept, to read, to end, and for the few ticks at which its
// timer moves down the levels of the wheel.
func TestTheLoopSleeps(t *testing.T) {
	l, addr, done := start(t, 1000*time.Hour)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if !ping(c) {
		t.Error("no echo")
	}
	c.Close()
	finish(t, l, done)
	if l.wakeups > 5 || l.timers.Len() != 0 {
		t.Errorf("%d wake-ups, and %d timers are left", l.wakeups, l.timers.Len())
	}
}

func TestTimeoutIsNext(t *testing.T) {
	l := &loop{timers: hwheel.New[*conn]()}
	if got := l.timeout(5); got != -1 {
		t.Errorf("%d without a timer, want -1", got)
	}
	var c conn
	l.timers.Schedule(&c.idle, 100)
	for now, want := range map[structures.Tick]int{0: 100, 99: 1, 100: 0, 101: 0} {
		if got := l.timeout(now); got != want {
			t.Errorf("at tick %d: %d ms, want %d", now, got, want)
		}
	}
}
