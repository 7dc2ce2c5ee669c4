//go:build linux

// Command eventloop is an echo server on epoll, without a goroutine per connection, that closes idle connections. The timer of
// a connection is a field of it, in an intrusive wheel, and the wheel tells the loop how long to sleep.
//
//   - Next is the timeout of epoll_wait. A wheel may name an earlier tick, at which it moves timers and nothing fires.
//   - A tick is a millisecond, as in epoll_wait. The clock is rounded down and a deadline up, so no timer fires early.
//   - Sockets come first, then the timers due at the wake-up: data that came in time keeps its connection.
//   - A deadline counts from the read, not from the wake-up: a batch of many sockets takes time.
//   - Data moves a timer, which costs no look-up and no allocation.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net/netip"
	"syscall"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
)

type conn struct {
	fd   int
	idle hwheel.Timer[*conn]
}

// loop is a server. All its methods but stop are for one goroutine.
type loop struct {
	epoll, listener int
	wakeRead, wake  int // a pipe, which ends the loop
	idle            structures.Tick
	start           time.Time
	timers          *hwheel.Wheel[*conn]
	conns           []*conn // by descriptor
	accepted        int
	wakeups         int
}

// listen returns a loop that closes connections to which no data has come for at least the time idle.
func listen(addr netip.AddrPort, idle time.Duration) (*loop, error) {
	l := &loop{epoll: -1, listener: -1, wakeRead: -1, wake: -1, idle: structures.Tick((idle + time.Millisecond - 1) / time.Millisecond),
		start: time.Now(), timers: hwheel.New[*conn]()}
	if err := l.open(addr); err != nil {
		l.close()
		return nil, fmt.Errorf("listen on %v: %w", addr, err)
	}
	return l, nil
}

func (l *loop) open(addr netip.AddrPort) (err error) {
	if !addr.Addr().Is4() {
		return errors.New("want an IPv4 address")
	}
	if l.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return err
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC); err != nil {
		return err
	}
	l.wakeRead, l.wake = pipe[0], pipe[1]
	if l.listener, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	if err := syscall.SetsockoptInt(l.listener, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := syscall.Bind(l.listener, &syscall.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return err
	}
	if err := syscall.Listen(l.listener, 4096); err != nil {
		return err
	}
	return errors.Join(l.watch(l.wakeRead), l.watch(l.listener))
}

func (l *loop) watch(fd int) error {
	return syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (l *loop) close() {
	for _, c := range l.conns {
		if c != nil {
			l.drop(c)
		}
	}
	for _, fd := range []int{l.listener, l.epoll, l.wakeRead, l.wake} {
		if fd >= 0 {
			_ = syscall.Close(fd)
		}
	}
}

// stop makes run return. It may be called once, from any goroutine, while run has not returned.
func (l *loop) stop() error {
	_, err := syscall.Write(l.wake, []byte{0})
	return err
}

// run serves until stop, or until the system refuses something, such as more descriptors. It closes all connections.
func (l *loop) run() error {
	defer l.close()
	events := make([]syscall.EpollEvent, 256)
	data := make([]byte, 4096)
	for {
		n, err := syscall.EpollWait(l.epoll, events, l.timeout(l.now()))
		if err != nil && err != syscall.EINTR {
			return fmt.Errorf("epoll_wait: %w", err)
		}
		now := l.now()
		l.wakeups++
		for _, e := range events[:max(n, 0)] {
			switch fd := int(e.Fd); fd {
			case l.wakeRead:
				return nil
			case l.listener:
				if err := l.accept(); err != nil {
					return err
				}
			default:
				l.read(l.conns[fd], data)
			}
		}
		for t := l.timers.Pop(now); t != nil; t = l.timers.Pop(now) {
			l.drop(t.Value)
		}
	}
}

// now returns the clock, rounded down.
func (l *loop) now() structures.Tick { return structures.Tick(time.Since(l.start) / time.Millisecond) }

// timeout returns how long to wait, in milliseconds: -1 is for ever.
func (l *loop) timeout(now structures.Tick) int {
	at, ok := l.timers.Next()
	if !ok {
		return -1
	}
	return int(min(max(at-now, 0), math.MaxInt32))
}

// deadline returns the tick at which a connection that was used now is idle, rounded up.
func (l *loop) deadline() structures.Tick { return l.now() + 1 + l.idle }

func (l *loop) accept() error {
	for {
		fd, _, err := syscall.Accept4(l.listener, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		switch {
		case err == syscall.EAGAIN:
			return nil
		case err == syscall.EINTR || err == syscall.ECONNABORTED:
			continue
		case err != nil:
			return fmt.Errorf("accept, with %d connections open: %w", l.timers.Len(), err)
		}
		if err := l.watch(fd); err != nil {
			_ = syscall.Close(fd)
			return fmt.Errorf("epoll_ctl: %w", err)
		}
		for len(l.conns) <= fd {
			l.conns = append(l.conns, nil)
		}
		c := &conn{fd: fd}
		c.idle.Value = c
		l.conns[fd] = c
		l.timers.Schedule(&c.idle, l.deadline())
		l.accepted++
	}
}

// read echoes what came. A client that does not read its echo is dropped.
func (l *loop) read(c *conn, data []byte) {
	if c == nil {
		return // an event of a connection that was closed a moment ago
	}
	n, err := syscall.Read(c.fd, data)
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		return
	case n > 0:
		l.timers.Reschedule(&c.idle, l.deadline())
		if written, _ := syscall.Write(c.fd, data[:n]); written == n {
			return
		}
	}
	l.drop(c)
}

func (l *loop) drop(c *conn) {
	l.timers.Cancel(&c.idle)
	l.conns[c.fd] = nil
	_ = syscall.Close(c.fd)
}

func main() {
	at := netip.MustParseAddrPort("127.0.0.1:7007")
	flag.TextVar(&at, "addr", at, "IPv4 `address` and port to listen on")
	idle := flag.Duration("idle", time.Minute, "close connections after this `time` without data")
	flag.Parse()
	l, err := listen(at, *idle)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %v, closing connections after %v without data", at, *idle)
	log.Fatal(l.run())
}
