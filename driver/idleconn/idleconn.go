// Package idleconn ends network connections on which nothing moves, for programs with very many of them.
//
//	d, err := driver.New()
//	l = idleconn.Listener(d, l, 5*time.Minute)
//
// The usual way sets a deadline before each Read and Write. Each deadline costs a lock and a move in the heap of the
// runtime's timers. Here a Read or Write that has moved bytes stores the time, by the driver's shared clock. When the
// timer of the connection comes due, it looks at that time and starts again for the rest. Only when nothing has moved
// for the whole timeout does it set a deadline in the past. So pending and later calls return os.ErrDeadlineExceeded.
//
// A connection is idle while no bytes move, whatever its owner does meanwhile. So the timeout of a server must be
// longer than its handlers take to answer. docs/driver.md compares the costs with those of deadlines.
package idleconn

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Conn is a connection with an idle timeout. Make it with New or Listener. Any goroutine may call its methods, as
// with the connection that it wraps. Reads and writes allocate nothing.
//
// Deadlines of the caller keep working. A connection that was idle stays timed out, whatever deadlines are set, until
// Touch or Close.
type Conn struct {
	// A Read or Write uses only these fields, which are a cache line.
	net.Conn
	d         *driver.Driver
	last      atomic.Int64  // when bytes moved last, in ns of the clock of d; it never goes back
	takenBack atomic.Uint32 // how often a deadline in the past was taken back
	timedOut  atomic.Bool   // the deadline is in the past, because nothing moves
	side      side
	closed    bool       // guarded by mu
	writing   sync.Mutex // held by a Write, because it may have to go on after a part

	mu      sync.Mutex // guards closed and the fields below; taken after writing
	unsent  int32      // bytes in the system at the last look
	seen    int64      // the value of last for which timer is set
	timer   driver.Timer
	timeout time.Duration
	instead func(*Conn)
	own     *deadlines // of the caller; nil before the first
}

type deadlines struct{ read, write time.Time }

// side says which calls keep a connection from being idle, and which ones time out.
type side uint8

const (
	reads side = 1 << iota
	writes
)

// Option sets a parameter of a Conn.
type Option func(*Conn)

// Reads makes only Reads count: the connection is idle if nothing was read for the timeout. Then Reads time out, and
// Writes go on.
func Reads() Option { return func(c *Conn) { c.side = reads } }

// Writes makes only Writes count: the connection is idle if nothing was written for the timeout. Then Writes time out,
// and Reads go on. Use it with InsteadOfTimeout to send a message that keeps the connection alive.
func Writes() Option { return func(c *Conn) { c.side = writes } }

// InsteadOfTimeout makes an idle connection call f, and nothing times out. f runs as a function of the driver, so it may block
// unless the driver is Inline. It runs again whenever the connection has been idle for another timeout, but not before
// it has returned. InsteadOfTimeout panics if f is nil.
func InsteadOfTimeout(f func(*Conn)) Option {
	if f == nil {
		panic("idleconn: InsteadOfTimeout: the function is nil")
	}
	return func(c *Conn) { c.instead = f }
}

// New wraps a connection. If neither a Read nor a Write moves bytes for timeout, all its calls return
// os.ErrDeadlineExceeded, at most a tick of d later. A connection that refuses deadlines is closed instead. New
// allocates a Conn and a function, together 144 bytes. It panics if timeout is not positive. If d is closed, before or
// after New, the connection never times out.
func New(d *driver.Driver, c net.Conn, timeout time.Duration, opts ...Option) *Conn {
	mustBePositive("New", timeout)
	conn := &Conn{Conn: c, d: d, timeout: timeout, side: reads | writes}
	for _, opt := range opts {
		opt(conn)
	}
	d.Init(&conn.timer, conn.look)
	conn.seen = int64(d.Now())
	conn.last.Store(conn.seen)
	conn.timer.Reset(timeout)
	return conn
}

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
	if c.side&reads == 0 {
		return c.Conn.Read(p)
	}
	for again := c.takenBack.Load(); ; {
		n, err = c.Conn.Read(p)
		if n > 0 {
			c.Touch()
			return n, err
		}
		if err == nil || !c.retry(err, &again) {
			return n, err
		}
	}
}

// Write writes, and stores the time when it has written bytes. A Write that has written some bytes within the timeout
// goes on, so it may take longer than the timeout as a whole.
func (c *Conn) Write(p []byte) (n int, err error) {
	if c.side&writes == 0 {
		return c.Conn.Write(p)
	}
	c.writing.Lock()
	defer c.wrote()
	for again := c.takenBack.Load(); ; {
		written, err := c.Conn.Write(p[n:])
		n += written
		if written > 0 {
			c.Touch()
		}
		if err == nil || !c.retry(err, &again) {
			return n, err
		}
	}
}

// wrote ends a Write. If it was the last call that could have moved bytes, it ends the Reads, too.
func (c *Conn) wrote() {
	c.writing.Unlock()
	if c.timedOut.Load() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.timedOut.Load() {
			_ = c.setDeadlines(past, past) // it fails only if the connection is closed
		}
	}
}

// Touch stores the time, as a Read or Write that has moved bytes does, and ends a timeout. Call it after using the
// connection that Unwrap returns.
func (c *Conn) Touch() {
	now := int64(c.d.Now())
	for old := c.last.Load(); now > old && !c.last.CompareAndSwap(old, now); {
		old = c.last.Load()
	}
	// look sets timedOut, and then loads last. So one of the two notices.
	if c.timedOut.Load() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.timedOut.Load() && !c.closed {
			c.takeBack()
		}
	}
}

// look runs when the timer is due. The timer is never early, so the connection is idle if it was not used since the
// timer was set.
func (c *Conn) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch drained := c.drained(); {
	case c.closed || c.timedOut.Load():
	case c.last.Load() != c.seen || drained:
		c.start()
	case c.instead != nil:
		c.mu.Unlock()
		defer func() { // also if the function panics
			c.mu.Lock()
			if !c.closed {
				c.start()
			}
		}()
		c.instead(c)
	default:
		c.timeOut()
	}
}

// timeOut ends the calls of an idle connection. A Write that waits tells only when it ends whether it has moved bytes. So
// it is ended alone, and wrote ends the Reads if the connection is idle all the same. The lock is held.
func (c *Conn) timeOut() {
	c.timedOut.Store(true)
	var err error
	if c.side&writes == 0 || c.writing.TryLock() {
		err = c.setDeadlines(past, past)
		if c.side&writes != 0 {
			c.writing.Unlock()
		}
	} else {
		err = c.Conn.SetWriteDeadline(past)
	}
	if err != nil {
		_ = c.Conn.Close() // it may be closed already
	}
	if c.last.Load() != c.seen { // used while the deadline was being set
		c.takeBack()
	}
}

var past = time.Unix(1, 0)

// start starts the timer for the rest of the timeout, or for all of it if the connection was not used since the timer
// was set. The lock is held.
func (c *Conn) start() {
	rest := c.timeout
	if last := c.last.Load(); last != c.seen {
		c.seen = last
		rest = max(1, c.timeout-(c.d.Now()-time.Duration(last)))
	}
	c.timer.Reset(rest)
}

// takeBack ends a timeout. It restores the deadlines of the caller. The lock is held.
func (c *Conn) takeBack() {
	own := c.deadlines()
	_ = c.setDeadlines(own.read, own.write) // it fails only if the connection is closed
	c.timedOut.Store(false)
	c.takenBack.Add(1)
	c.start()
}

// retry reports whether a call must be repeated, because a deadline ended it that was taken back since *again was read.
func (c *Conn) retry(err error, again *uint32) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	c.mu.Lock() // wait for look
	defer c.mu.Unlock()
	before := *again
	*again = c.takenBack.Load()
	return *again != before && !c.timedOut.Load()
}

func (c *Conn) setDeadlines(read, write time.Time) error {
	var errs [2]error
	if c.side&reads != 0 {
		errs[0] = c.Conn.SetReadDeadline(read)
	}
	if c.side&writes != 0 {
		errs[1] = c.Conn.SetWriteDeadline(write)
	}
	return errors.Join(errs[:]...)
}

// deadlines returns the deadlines of the caller. The lock is held.
func (c *Conn) deadlines() *deadlines {
	if c.own == nil {
		c.own = new(deadlines)
	}
	return c.own
}

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets a deadline of the caller for Reads. It does not change the timeout. The first deadline of a
// connection allocates 48 bytes.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadlines().read = t
	if c.side&reads != 0 && c.timedOut.Load() && !c.closed {
		return nil // takeBack sets it
	}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline sets a deadline of the caller for Writes, as SetReadDeadline does for Reads.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadlines().write = t
	if c.side&writes != 0 && c.timedOut.Load() && !c.closed {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// Close stops the timer and closes the connection.
func (c *Conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.timer.Stop()
	c.mu.Unlock()
	return c.Conn.Close()
}

// Unwrap returns the connection that c wraps, for what c does not offer, such as net.Buffers. Its calls time out as
// those of c do, and do not store the time: call Touch after them. A call that takes longer than the timeout is ended.
func (c *Conn) Unwrap() net.Conn { return c.Conn }

// CloseWrite ends the writing side, as TCP and TLS connections can. Others return errors.ErrUnsupported.
func (c *Conn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return fmt.Errorf("idleconn: CloseWrite of a %T: %w", c.Conn, errors.ErrUnsupported)
}

var _ io.ReaderFrom = (*Conn)(nil)
