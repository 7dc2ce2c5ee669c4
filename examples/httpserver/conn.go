package main

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// listener returns connections whose deadlines are timers of d.
type listener struct {
	net.Listener
	d *driver.Driver
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c, l.d), nil
}

// conn is a connection whose deadlines are timers of a driver. The connection below either has no deadline, or
// one that has passed, which ends waiting calls of Read or Write with os.ErrDeadlineExceeded.
type conn struct {
	net.Conn
	read, write side
}

// side is the reading or the writing side of a connection.
type side struct {
	d      *driver.Driver
	under  func(time.Time) error // sets the deadline of the connection below
	expire func()                // s.expired

	mu          sync.Mutex // guards the fields below
	timer       driver.Handle
	deadline    time.Time // zero if there is none
	interrupted bool
	closed      bool
}

func newConn(c net.Conn, d *driver.Driver) *conn {
	conn := &conn{Conn: c}
	conn.read.init(d, c.SetReadDeadline)
	conn.write.init(d, c.SetWriteDeadline)
	return conn
}

func (s *side) init(d *driver.Driver, under func(time.Time) error) {
	s.d, s.under, s.expire = d, under, s.expired
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// interrupt ends the waiting calls on this side, and all later ones until resume.
func (s *side) interrupt() error {
	s.interrupted = true
	return s.under(longAgo)
}

// resume ends an interruption.
func (s *side) resume() error {
	if !s.interrupted {
		return nil
	}
	s.interrupted = false
	return s.under(time.Time{})
}

// expired is called by the timer. The deadline may have been moved while it fired.
func (s *side) expired() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		_ = s.interrupt() // it fails only if the connection is closed
	}
}

// change moves the deadline of a side; the zero time means none.
//
// The timer is a Handle, because Reset of a Handle always reaches the structure. So a recording of the structure
// shows all uses of deadlines. A Timer that is a field is faster, and few of its moves reach the structure.
func (s *side) change(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.under(t) // its error says what is wrong
	}
	s.deadline = t
	delay := time.Until(t)
	if t.IsZero() || delay <= 0 {
		s.timer.Stop()
		if t.IsZero() {
			return s.resume()
		}
		return s.interrupt()
	}
	if !s.timer.Reset(delay) {
		s.timer = s.d.Schedule(delay, s.expire)
	}
	return s.resume()
}

// close stops the timer of a side whose connection is closed.
func (s *side) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.timer.Stop()
}

func (c *conn) SetReadDeadline(t time.Time) error { return c.read.change(t) }

func (c *conn) SetWriteDeadline(t time.Time) error { return c.write.change(t) }

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) Close() error {
	c.read.close()
	c.write.close()
	return c.Conn.Close()
}
