// Package idleconn ends network connections on which nothing moves, for programs with very many of them.
//
//	d, err := driver.New()
//	l = idleconn.Listener(d, l, 5*time.Minute)
//
// The usual way sets a deadline before each Read and Write. Each deadline costs a lock and a move in the heap of the
// runtime's timers. Here a Read or Write that has moved bytes stores the time, by a coarse clock that all connections
// share. When the timer of the connection comes due, it looks at that time and starts again for the rest. Only when nothing
// has moved for the whole timeout does it set a deadline in the past. So pending and later calls return
// os.ErrDeadlineExceeded.
//
// A connection is idle while no bytes move, whatever its owner does meanwhile. So the timeout of a server must be
// longer than its handlers take to answer. docs/driver.md compares the costs with those of deadlines.
package idleconn

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Conn is a connection with an idle timeout. Make it with New or Listener. Any goroutine may call its methods, as
// with the connection that it wraps. Reads and writes allocate nothing.
//
// Deadlines of the caller keep working. A connection that was idle stays timed out, whatever deadlines are set, until
// Touch or Close.
type Conn struct {
	// A Read uses only these fields, which are half a cache line.
	net.Conn
	rare *rare

	// From the lowest bit on: the word that was stored last, and shared if there is one that is not older than the next
	// field; the step at which a call has read the clock last; the side; exact, timedOut, a counter; the shift of the clock.
	// The fields from exact on are changed with the lock of rare held.
	state atomic.Uint64
}

const (
	readAt    = stepBits + 1
	sideAt    = readAt + stepBits
	exact     = 1 << (sideAt + 2) // each call reads the clock of the driver
	timedOut  = exact << 1        // the deadline is in the past, because nothing moves
	takenBack = exact << 2        // adds to the counter: how often a deadline in the past was taken back
	counter   = 1<<shiftAt - takenBack
	shiftAt   = 58
)

// rare is what only Writes, the timer and rare calls use.
type rare struct {
	d       *driver.Driver
	writing sync.Mutex // held by a Write, because it may have to go on after a part

	mu      sync.Mutex // guards the fields below; taken after writing
	closed  bool
	unsent  int32 // bytes in the system at the last look
	timer   driver.Timer
	timeout time.Duration
	instead func(*Conn)
	own     *deadlines // of the caller; nil before the first
}

type deadlines struct{ read, write time.Time }

// side says which calls keep a connection from being idle, and which ones time out.
type side = uint64

const (
	reads side = 1 << (sideAt + iota)
	writes
)

// Option sets a parameter of a Conn.
type Option func(*Conn)

// Reads makes only Reads count: the connection is idle if nothing was read for the timeout. Then Reads time out, and
// Writes go on.
func Reads() Option { return func(c *Conn) { c.count(reads) } }

// Writes makes only Writes count: the connection is idle if nothing was written for the timeout. Then Writes time out,
// and Reads go on. Use it with InsteadOfTimeout to send a message that keeps the connection alive.
func Writes() Option { return func(c *Conn) { c.count(writes) } }

// InsteadOfTimeout makes an idle connection call f, and nothing times out. f runs as a function of the driver, so it may block
// unless the driver is Inline. It runs again whenever the connection has been idle for another timeout, but not before
// it has returned. InsteadOfTimeout panics if f is nil.
func InsteadOfTimeout(f func(*Conn)) Option {
	if f == nil {
		panic("idleconn: InsteadOfTimeout: the function is nil")
	}
	return func(c *Conn) { c.rare.instead = f }
}

// New wraps a connection. If neither a Read nor a Write moves bytes for timeout, all its calls return
// os.ErrDeadlineExceeded: never early, and late by at most timeout/512, 10 µs and a tick of d, because connections share
// readings of the clock and wake-ups. If hundreds of connections are in use, and all of the process fall silent at once,
// some may be late by up to another timeout. A connection that refuses deadlines is closed instead. New allocates a Conn,
// its timer and a function, together 144 bytes. It panics if timeout is not positive. If d is closed, before or after New,
// the connection never times out.
func New(d *driver.Driver, c net.Conn, timeout time.Duration, opts ...Option) *Conn {
	mustBePositive("New", timeout)
	timeout = min(timeout, longest)
	conn := &Conn{Conn: c, rare: &rare{d: d, timeout: timeout}}
	conn.state.Store(clockFor(d, timeout) | reads | writes)
	for _, opt := range opts {
		opt(conn)
	}
	d.Init(&conn.rare.timer, conn.look)
	conn.renew()
	conn.start()
	return conn
}

// longest keeps sums of times within 64 bits.
const longest = time.Duration(math.MaxInt64 / 2)

func (c *Conn) side() side { return c.state.Load() & (reads | writes) }

func (c *Conn) count(only side) { c.state.Store(c.state.Load()&^(reads|writes) | only) }

func (c *Conn) isTimedOut() bool { return c.state.Load()&timedOut != 0 }

// Listener wraps the connections that l accepts, as New does. For TLS, use it below: tls.NewListener(idleconn.Listener(...), config).
// It panics as New does.
func Listener(d *driver.Driver, l net.Listener, timeout time.Duration, opts ...Option) net.Listener {
	mustBePositive("Listener", timeout)
	return &listener{l, func(c net.Conn) net.Conn { return New(d, c, timeout, opts...) }}
}

type listener struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

func mustBePositive(caller string, timeout time.Duration) {
	if timeout <= 0 {
		panic(fmt.Sprintf("idleconn: %s: timeout %v, want a positive one", caller, timeout))
	}
}

// Read reads, and stores the time if it has read bytes.
func (c *Conn) Read(p []byte) (n int, err error) {
	state := c.state.Load()
	if state&reads == 0 {
		return c.Conn.Read(p)
	}
	for {
		n, err = c.Conn.Read(p)
		if n > 0 {
			c.Touch()
			return n, err
		}
		if err == nil || !c.retry(err, &state) {
			return n, err
		}
	}
}

// Write writes, and stores the time when it has written bytes. A Write that has written some bytes within the timeout
// goes on, so it may take longer than the timeout as a whole.
func (c *Conn) Write(p []byte) (n int, err error) {
	state := c.state.Load()
	if state&writes == 0 {
		return c.Conn.Write(p)
	}
	c.rare.writing.Lock()
	defer c.wrote()
	for {
		written, err := c.Conn.Write(p[n:])
		n += written
		if written > 0 {
			c.Touch()
		}
		if err == nil || !c.retry(err, &state) {
			return n, err
		}
	}
}

// wrote ends a Write. If it was the last call that could have moved bytes, it ends the Reads, too.
func (c *Conn) wrote() {
	c.rare.writing.Unlock()
	if c.isTimedOut() {
		c.rare.mu.Lock()
		defer c.rare.mu.Unlock()
		if c.isTimedOut() {
			_ = c.setDeadlines(past, past) // it fails only if the connection is closed
		}
	}
}

// revive ends a timeout.
func (c *Conn) revive() {
	c.rare.mu.Lock()
	defer c.rare.mu.Unlock()
	if c.isTimedOut() && !c.rare.closed {
		c.takeBack()
	}
}

// look runs when the timer is due.
func (c *Conn) look() {
	r := c.rare
	r.mu.Lock()
	defer r.mu.Unlock()
	drained := c.drained()
	switch {
	case r.closed || c.isTimedOut():
	case drained, c.idle() < -r.timeout: // the driver may be so late that the numbers of steps have come round
		c.renew()
		c.start()
	case c.idle() < r.timeout:
		c.start()
	case r.instead != nil:
		r.mu.Unlock()
		defer func() { // also if the function panics
			r.mu.Lock()
			if !r.closed {
				c.renew()
				c.start()
			}
		}()
		r.instead(c)
	default:
		c.timeOut()
	}
}

// timeOut ends the calls of an idle connection. A Write that waits tells only when it ends whether it has moved bytes. So
// it is ended alone, and wrote ends the Reads if the connection is idle all the same. The lock is held.
func (c *Conn) timeOut() {
	c.state.Or(timedOut) // before idle below, and Touch looks for it when it has stored the time: one of the two notices
	var err error
	if c.rare.writing.TryLock() {
		err = c.setDeadlines(past, past)
		c.rare.writing.Unlock()
	} else {
		err = c.Conn.SetWriteDeadline(past)
	}
	if err != nil {
		_ = c.Conn.Close() // it may be closed already
	}
	if c.idle() < c.rare.timeout { // used while the deadline was being set
		c.takeBack()
	}
}

// drained reports whether the system has sent on bytes that were written before the last look: then the peer is slow,
// and not idle. The lock is held.
func (c *Conn) drained() bool {
	r := c.rare
	before := r.unsent
	r.unsent = 0
	if conn, ok := c.Conn.(syscall.Conn); ok && c.side()&writes != 0 {
		if below, err := conn.SyscallConn(); err == nil {
			_ = below.Control(func(fd uintptr) { r.unsent = unsent(fd) }) // it fails if the connection is closed
		}
	}
	return r.unsent < before
}

var past = time.Unix(1, 0)

// start starts the timer for the rest of the timeout. Timers of many connections share a tick. The lock is held.
func (c *Conn) start() {
	rest := max(1, c.rare.timeout-c.idle())
	c.rare.timer.ResetWindow(rest, rest+c.rare.timeout/1024)
}

// takeBack ends a timeout. It restores the deadlines of the caller. The lock is held.
func (c *Conn) takeBack() {
	own := c.deadlines()
	_ = c.setDeadlines(own.read, own.write) // it fails only if the connection is closed
	c.renew()
	c.start()
}

// retry reports whether a call must be repeated, because a deadline ended it that was taken back since *state was read.
func (c *Conn) retry(err error, state *uint64) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	c.rare.mu.Lock() // wait for look
	defer c.rare.mu.Unlock()
	before := *state
	*state = c.state.Load()
	return (*state^before)&counter != 0 && !c.isTimedOut()
}

// setDeadlines sets the deadlines of the calls that time out.
func (c *Conn) setDeadlines(read, write time.Time) error {
	var errs [2]error
	if c.side()&reads != 0 {
		errs[0] = c.Conn.SetReadDeadline(read)
	}
	if c.side()&writes != 0 {
		errs[1] = c.Conn.SetWriteDeadline(write)
	}
	return errors.Join(errs[:]...)
}

// deadlines returns the deadlines of the caller. The lock is held.
func (c *Conn) deadlines() *deadlines {
	if c.rare.own == nil {
		c.rare.own = new(deadlines)
	}
	return c.rare.own
}

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets a deadline of the caller for Reads. It does not change the timeout. The first deadline of a
// connection allocates 48 bytes.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.rare.mu.Lock()
	defer c.rare.mu.Unlock()
	c.deadlines().read = t
	if c.side()&reads != 0 && c.isTimedOut() && !c.rare.closed {
		return nil // takeBack sets it
	}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline sets a deadline of the caller for Writes, as SetReadDeadline does for Reads.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.rare.mu.Lock()
	defer c.rare.mu.Unlock()
	c.deadlines().write = t
	if c.side()&writes != 0 && c.isTimedOut() && !c.rare.closed {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// Close stops the timer and closes the connection.
func (c *Conn) Close() error {
	c.rare.mu.Lock()
	c.rare.closed = true
	c.rare.timer.Stop()
	c.rare.mu.Unlock()
	return c.Conn.Close()
}

// Unwrap returns the connection that c wraps, for what c does not offer, such as net.Buffers and SyscallConn. Its calls time
// out as those of c do, and do not store the time: call Touch after them. A call that takes longer than the timeout is ended.
func (c *Conn) Unwrap() net.Conn { return c.Conn }

// CloseWrite ends the writing side, as TCP and TLS connections can. Others return errors.ErrUnsupported.
func (c *Conn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return fmt.Errorf("idleconn: CloseWrite of a %T: %w", c.Conn, errors.ErrUnsupported)
}

var _ io.ReaderFrom = (*Conn)(nil)
