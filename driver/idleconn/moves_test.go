//go:build !windows

package idleconn

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Whatever moves the bytes, and though they move slowly, the connection goes on as long as some move between two looks. It
// ends at the first look before which none has moved.
func TestAConnectionWhoseBytesMoveIsNotCut(t *testing.T) {
	const part = 400 << 10 // more than the system holds
	text := make([]byte, 20*part)
	send := func(peer net.Conn, _ string) error { _, err := io.ReadFull(peer, make([]byte, part)); return err }
	receive := func(peer net.Conn, name string) error {
		about, err := os.Stat(name)
		if err != nil {
			return err
		}
		_, err = peer.Write(text[:1000])
		for end := about.Size() + 1000; err == nil && about.Size() < end; about, err = os.Stat(name) {
			runtime.Gosched()
		}
		return err
	}
	for name, test := range map[string]struct {
		opts []Option
		run  func(c *Conn, f *os.File) error
		move func(peer net.Conn, name string) error
	}{
		"Write":          {nil, func(c *Conn, _ *os.File) error { _, err := c.Write(text); return err }, send},
		"from a file":    {nil, func(c *Conn, f *os.File) error { _, err := io.Copy(c, f); return err }, send},
		"part of a file": {[]Option{Writes()}, func(c *Conn, f *os.File) error { _, err := io.CopyN(c, f, 20*part); return err }, send},
		"to a file":      {nil, func(c *Conn, f *os.File) error { _, err := io.Copy(f, c); return err }, receive},
		"limited":        {[]Option{Reads()}, func(c *Conn, f *os.File) error { _, err := io.CopyN(f, c, 20*part); return err }, receive},
		"embedded":       {nil, func(c *Conn, f *os.File) error { _, err := f.ReadFrom(struct{ *Conn }{c}); return err }, receive},
	} {
		t.Run(name, func(t *testing.T) {
			c, peer := loopback(t, time.Hour, test.opts...)
			_ = c.Unwrap().(*net.TCPConn).SetWriteBuffer(16 << 10)
			_ = peer.(*net.TCPConn).SetReadBuffer(16 << 10)
			f, err := os.OpenFile(filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			if name == "from a file" || name == "part of a file" {
				if err := f.Truncate(int64(len(text))); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- test.run(c, f) }()
			for i := range 6 {
				age(c)
				if err := test.move(peer, f.Name()); err != nil {
					t.Fatal(err)
				}
				c.look()
				for c.isTimedOut() && len(ended) == 0 {
					runtime.Gosched() // until the call that was ended has told what it moved
				}
				if len(ended) > 0 {
					t.Fatalf("cut after %d parts: %v", i+1, <-ended)
				}
			}
			for len(ended) == 0 { // what the system holds may still be on its way
				age(c)
				c.look()
				runtime.Gosched()
			}
			var timeout net.Error
			if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("ended with %v, want an expired deadline", err)
			}
		})
	}
}

// Bytes that wait in the system move as well, though all Writes have returned.
func TestAPeerThatReadsSlowlyIsNotIdle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how many bytes wait")
	}
	c, peer := loopback(t, time.Hour)
	_ = peer.(*net.TCPConn).SetReadBuffer(16 << 10)
	if _, err := c.Write(make([]byte, 300<<10)); err != nil {
		t.Fatal(err)
	}
	raw, err := c.Unwrap().(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() (n int32) {
		_ = raw.Control(func(fd uintptr) { n = unsent(fd) })
		return n
	}
	c.look() // there was a Write
	for before := waiting(); before > 0; before = waiting() {
		age(c)
		if _, err := io.CopyN(io.Discard, peer, min(100<<10, int64(before))); err != nil {
			t.Fatal(err)
		}
		for waiting() == before {
			runtime.Gosched()
		}
		if c.look(); c.isTimedOut() {
			t.Fatalf("timed out with %d bytes waiting, before %d", waiting(), before)
		}
	}
	c.look() // the last bytes may have gone after the look
	age(c)
	if c.look(); !c.isTimedOut() {
		t.Error("not timed out when nothing moves")
	}
}
