#!/usr/bin/env bash
# Go's net/http: a handler that is slower than WriteTimeout runs to its end, twice, and the client gets EOF.
#
# Guess: WriteTimeout of half a second ends the request of a handler that takes a second: the client hears of it after half a
# second, and the handler by its context or by an error of Write.
# Seen: the timeout only makes the connection refuse bytes. The handler runs on, its context is alive, and a short Write
# returns nil, since it goes to a buffer; the client waits for all of it and gets EOF. If the connection was used before, Go's client
# takes EOF for an idle connection that was closed, and sends a GET again by itself: the handler runs twice for one Get.
# Whom it hurts: an overloaded server: just the requests that are too slow come twice, and reports, exports and counters by GET
# are made twice, while each log of the server says that all went well.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"
)

// slow makes one request to a handler of two seconds, on a new connection or a used one, and returns how often the handler ran.
func slow(used bool) (runs int64) {
	var ran, failed atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fast" {
			return
		}
		ran.Add(1)
		time.Sleep(2 * time.Second)
		if _, err := w.Write([]byte("done")); err != nil || r.Context().Err() != nil {
			failed.Add(1)
		}
	}))
	server.Config.WriteTimeout = 500 * time.Millisecond
	server.Start()
	defer server.Close()
	client := server.Client()
	if used {
		response, err := client.Get(server.URL + "/fast")
		if err != nil {
			panic(err)
		}
		response.Body.Close()
	}
	begin := time.Now()
	_, err := client.Get(server.URL + "/slow")
	fmt.Printf("one GET, connection used before: %-5v handler ran %d times, %d saw an error; client after %.1f s: %v\n",
		used, ran.Load(), failed.Load(), time.Since(begin).Seconds(), err)
	if err == nil || failed.Load() != 0 {
		return -1
	}
	return ran.Load()
}

func main() {
	if fresh, used := slow(false), slow(true); fresh != 1 || used != 2 {
		fmt.Println("CHANGED: one run on a new connection, two on a used one, and no error in the handler were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go version
go run .
