package main

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/netutil"
)

// Idle connections are closed, so they cannot keep others out for long.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	web := webServer(http.NotFoundHandler())
	if web.ReadHeaderTimeout <= 0 || web.ReadTimeout <= 0 || web.WriteTimeout <= 0 || web.IdleTimeout <= 0 {
		t.Errorf("some time has no limit: %+v", web)
	}
	web.ReadHeaderTimeout, web.IdleTimeout = 100*time.Millisecond, 100*time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := netutil.LimitListener(listener, 3)
	go func() { _ = web.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = web.Close() })
	address := "http://" + l.Addr().String()
	for _, used := range []bool{false, true} {
		var idle []net.Conn
		for range 9 { // three times as many as there is room for
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if used {
				if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			idle = append(idle, c)
		}
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		for _, c := range idle {
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, c); err != nil { // it is closed
				t.Errorf("an idle connection stays open: %v", err)
			}
		}
	}
}
