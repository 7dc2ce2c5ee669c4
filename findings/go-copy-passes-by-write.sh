#!/usr/bin/env bash
# Go's io.Copy: a connection that wraps another, counts in Read, Write and ReadFrom, and forwards SyscallConn, sees no byte.
#
# Guess: io.Copy(conn, file) calls ReadFrom or Write of conn, and io.Copy(file, conn) calls Read: all ways are overridden.
# Seen (Linux): os.File.WriteTo and os.File.ReadFrom ask the other side for SyscallConn first, take the descriptor out of the raw
# connection, and call sendfile and splice. No method that moves bytes is called, however long the transfer takes.
# Whom it hurts: wrappers that restart an idle timeout when bytes move: they cut long downloads that are moving. Byte counts and
# rate limits miss them.
set -euo pipefail
[ "$(uname)" = Linux ] || { echo "only on Linux"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
)

// counting counts the bytes of every method of net.Conn and io.ReaderFrom that moves some.
type counting struct {
	net.Conn // without WriteTo
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counting) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.Conn.(io.ReaderFrom).ReadFrom(r)
	c.n += n
	return n, err
}

func (c *counting) SyscallConn() (syscall.RawConn, error) { return c.Conn.(syscall.Conn).SyscallConn() }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	peer := must(net.Dial("tcp", l.Addr().String()))
	conn := &counting{Conn: must(l.Accept())}
	file := must(os.Create("file"))
	must(file.Write(make([]byte, 1<<20)))
	must(file.Seek(0, io.SeekStart))
	go func() {
		_, _ = io.CopyN(io.Discard, peer, 1<<20)
		_, _ = peer.Write(make([]byte, 1<<20))
		_ = peer.Close()
	}()
	sent := must(io.Copy(conn, file))
	seen := conn.n
	received := must(io.Copy(file, conn))
	fmt.Printf("%s: sent %d bytes, the wrapper saw %d; received %d bytes, the wrapper saw %d\n",
		runtime.Version(), sent, seen, received, conn.n-seen)
	if sent != 1<<20 || received != 1<<20 || conn.n != 0 {
		fmt.Println("CHANGED: want 1048576 bytes each way, of which the wrapper sees none")
		os.Exit(1)
	}
}
GO
go run main.go
