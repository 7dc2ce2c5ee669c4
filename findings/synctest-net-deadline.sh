#!/usr/bin/env bash
# Go's testing/synctest: the deadline of a connection passes in real time, while the clock of the bubble stands still.
#
# Guess: in a bubble each timer is virtual, so a read of a TCP connection with a deadline of a second ends at once and a virtual
# second later; if not, since the network is outside, it never ends and the test hangs.
# Seen: the read fails with a timeout after a real second, and time.Now has not moved. A loop "until a minute has passed, read with a
# deadline of a second" takes real time and never sees the minute pass. net.Pipe does what one expects.
# Whom it hurts: whoever puts a test with real connections in a bubble to make its timeouts fast: they stay slow, and code that
# compares the error with the clock (half a timeout: retry) takes the other branch.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main_test.go <<'GO'
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// read reads with a deadline of a second from a connection that brings nothing, and returns the virtual time that passes.
func read(t *testing.T, conn net.Conn) time.Duration {
	begin := time.Now()
	conn.SetReadDeadline(begin.Add(time.Second))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	return time.Since(begin)
}

func bubble(t *testing.T, name string, connect func(t *testing.T) net.Conn) (virtual, real time.Duration) {
	begin := time.Now()
	synctest.Test(t, func(t *testing.T) { virtual = read(t, connect(t)) })
	real = time.Since(begin)
	fmt.Printf("%-8s the deadline of a second passed after %.0f virtual and %.0f real seconds\n", name, virtual.Seconds(), real.Seconds())
	return virtual, real
}

func Test(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	pipeVirtual, _ := bubble(t, "net.Pipe", func(t *testing.T) net.Conn {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { ours.Close(); theirs.Close() })
		return ours
	})
	tcpVirtual, tcpReal := bubble(t, "TCP", func(t *testing.T) net.Conn {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	})
	if pipeVirtual != time.Second || tcpVirtual != 0 || tcpReal < time.Second {
		t.Error("CHANGED: a virtual second for the pipe, none and a real one for TCP were seen")
	}
}
GO
go mod init finding >/dev/null 2>&1
go version
go test -v . | grep -v '^=== \|^---\|^ok\|^PASS'
