package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/trace"
)

// mustDrive returns a driver of timers.
func mustDrive(t *testing.T, timers structures.Scheduler[driver.Task]) *driver.Driver {
	t.Helper()
	d, err := newDriver(timers)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// takes checks the duration of a call, and that the call ends with an expired deadline.
func takes(t *testing.T, what string, want time.Duration, call func([]byte) (int, error)) {
	t.Helper()
	start := time.Now()
	_, err := call(make([]byte, 1))
	if took := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || took < want || took > want+time.Millisecond {
		t.Errorf("%s: %v after %v, want an expired deadline after %v", what, err, took, want)
	}
}

func TestDeadlinesEndReadsAndWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := mustDrive(t, auto.New[driver.Task]())
		defer func() { _ = d.Close() }()
		below, peer := net.Pipe()
		c := newConn(below, d)
		_ = c.SetReadDeadline(time.Now().Add(3 * time.Second))
		_ = c.SetWriteDeadline(time.Now().Add(5500 * time.Microsecond))
		takes(t, "write", 5500*time.Microsecond, c.Write)
		takes(t, "write after that", 0, c.Write)
		takes(t, "read", 3*time.Second-6*time.Millisecond, c.Read)
		for _, moves := range [][2]time.Duration{{time.Second, time.Minute}, {time.Minute, 2 * time.Second}, {time.Minute, 0}} {
			_ = c.SetDeadline(time.Now().Add(moves[0]))
			time.AfterFunc(500*time.Millisecond, func() { _ = c.SetReadDeadline(time.Now().Add(moves[1])) })
			takes(t, "read with a deadline that moves", 500*time.Millisecond+moves[1], c.Read)
		}
		if _ = c.SetDeadline(time.Time{}); d.Len() != 0 {
			t.Errorf("%d timers are pending without a deadline", d.Len())
		}
		time.AfterFunc(24*time.Hour, func() { _, _ = peer.Write([]byte("x")) })
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_ = c.Close()
		if err := c.SetDeadline(time.Now().Add(time.Second)); err == nil || d.Len() != 0 {
			t.Errorf("after Close: error %v, %d timers pending", err, d.Len())
		}
	})
}

// pipes is a listener in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// The server of net/http, with its own use of deadlines, is recorded.
func TestTheServerAnswersClosesIdleConnectionsAndIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w, err := trace.NewWriter(&file, trace.Header{Name: "http", Tick: tick})
		if err != nil {
			t.Fatal(err)
		}
		rec := trace.NewRecorder(auto.New[driver.Task](), w)
		d := mustDrive(t, rec)
		accept := make(pipes)
		server := &http.Server{Handler: http.HandlerFunc(answer), ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second, IdleTimeout: 5 * time.Second}
		go func() { _ = server.Serve(listener{accept, d}) }()

		client, served := net.Pipe()
		accept <- served
		for range 10 {
			if _, err := io.WriteString(client, "GET /?wait=20ms HTTP/1.1\r\nHost: test\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, 4096)
			n, err := client.Read(answer)
			if err != nil || !bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 200 OK")) || !bytes.HasSuffix(answer[:n], page) {
				t.Fatalf("%q, error %v", answer[:n], err)
			}
			time.Sleep(time.Second)
		}
		start := time.Now()
		if n, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(start) != 4*time.Second {
			t.Errorf("%d bytes, error %v after %v, want the end after the 4 s that were left", n, err, time.Since(start))
		}
		_ = server.Close()
		synctest.Wait()
		_ = d.Close()
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		totals := w.Totals()
		if totals.Fired != 1 || totals.Pending() != 0 || totals.Ops[trace.Schedule] < 20 {
			t.Errorf("recorded %+v", totals)
		}
	})
}
