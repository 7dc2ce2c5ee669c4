#!/usr/bin/env bash
# Go's net/http: a client that has connected and sent nothing delays Shutdown by five seconds.
#
# Guess: Server.Shutdown waits for requests, and closes connections without one at once: there is nothing to finish.
# Seen: a connection without its first byte is taken for one that is about to send a request, until it is more than five seconds old.
# A connection that has had a request, and is idle now, is closed at once.
# Whom it hurts: services behind load balancers, browsers and pools that connect ahead: each orderly stop takes five seconds, and one with a
# context of three seconds ends with an error that looks like a request that hangs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// shutdown stops a server with one connection, on which a request has been answered or not, and returns how long that takes.
func shutdown(request bool) time.Duration {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	accepted := make(chan bool, 1)
	state := http.StateNew // to wait for
	if request {
		state = http.StateIdle
	}
	server := &http.Server{
		Handler: http.NotFoundHandler(),
		ConnState: func(_ net.Conn, now http.ConnState) {
			if now == state {
				accepted <- true
			}
		},
	}
	go server.Serve(listener)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if request {
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	<-accepted
	begin := time.Now()
	err = server.Shutdown(context.Background())
	took := time.Since(begin)
	fmt.Printf("one connection, answered a request: %-5v Shutdown after %.1f s, error %v\n", request, took.Seconds(), err)
	return took
}

func main() {
	idle, silent := shutdown(true), shutdown(false)
	if idle > 3*time.Second || silent < 4*time.Second {
		fmt.Println("CHANGED: at once and after five to six seconds were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go version
go run .
