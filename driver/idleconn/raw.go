package idleconn

import (
	"errors"
	"fmt"
	"syscall"
)

// SyscallConn returns the raw connection of the wrapped one, or errors.ErrUnsupported if it has none. A raw Read or Write
// whose function reports that it is done counts as one that has moved bytes, and so does one that waits and is called
// again. Call Touch after moving bytes by Control. Package os takes no shortcut past the connection to a file or from one.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if conn, ok := c.Conn.(syscall.Conn); ok {
		below, err := conn.SyscallConn()
		if err != nil {
			return nil, err
		}
		return raw{below, c}, nil
	}
	return nil, fmt.Errorf("idleconn: SyscallConn of a %T: %w", c.Conn, errors.ErrUnsupported)
}

// raw is the raw connection of a Conn. It hides the descriptor of the poller, by which package os would splice.
type raw struct {
	syscall.RawConn
	c *Conn
}

func (r raw) Read(f func(uintptr) bool) error { return r.move(reads, r.RawConn.Read, f) }

func (r raw) Write(f func(uintptr) bool) error { return r.move(writes, r.RawConn.Write, f) }

func (r raw) move(by side, call func(func(uintptr) bool) error, f func(uintptr) bool) error {
	c := r.c
	state := c.state.Load()
	if state&by == 0 {
		return call(f)
	}
	moves := by == writes // a part may be written before the function waits
	for {
		err := call(func(fd uintptr) bool {
			done := f(fd)
			if done || moves {
				c.Touch()
			}
			moves = true
			return done
		})
		if err == nil || !c.retry(err, &state) {
			return err
		}
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
