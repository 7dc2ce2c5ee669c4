package main

import (
	"errors"
	"net"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// listener hands out connections whose deadlines are in d.
type listener struct {
	net.Listener
	d *deadlines
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c, l.d), nil
}

// conn is a connection whose deadlines are timers of ours. The connection below
// has only two states: without a deadline, and with one that has passed, which ends
// what waits in Read or Write with os.ErrDeadlineExceeded.
type conn struct {
	net.Conn
	d           *deadlines
	read, write side
}

// side is the reading or the writing side of a connection. It is guarded by the
// mutex of deadlines.
type side struct {
	under       func(time.Time) error // sets the deadline of the connection below
	id          structures.ID         // stale if no timer is pending
	interrupted bool
	closed      bool
}

func newConn(c net.Conn, d *deadlines) *conn {
	return &conn{
		Conn: c, d: d,
		read:  side{under: c.SetReadDeadline},
		write: side{under: c.SetWriteDeadline},
	}
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// interrupt ends what waits on this side, and what comes until resume.
func (s *side) interrupt() error {
	s.interrupted = true
	return s.under(longAgo)
}

// resume takes back an interruption.
func (s *side) resume() error {
	if !s.interrupted {
		return nil
	}
	s.interrupted = false
	return s.under(time.Time{})
}

func (c *conn) SetReadDeadline(t time.Time) error { return c.d.change(&c.read, t) }

func (c *conn) SetWriteDeadline(t time.Time) error { return c.d.change(&c.write, t) }

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) Close() error {
	c.d.forget(&c.read, &c.write)
	return c.Conn.Close()
}
