#!/usr/bin/env bash
# go-retryablehttp: RetryWaitMax does not limit the wait that a server asks for.
#
# Guess: with RetryWaitMax of 100 ms no wait between two attempts is longer, whatever the server says; a Retry-After above it is
# cut or ends the attempts.
# Seen: DefaultBackoff returns the Retry-After of a 429 or 503 as it is. Three seconds wait three seconds, and an hour would wait an
# hour. HTTPClient.Timeout limits one attempt and no wait. Only the context of the request ends it.
# Whom it hurts: clients of many servers: one that is in maintenance ("Retry-After: 86400") holds the goroutine for a day, although
# the client has a maximum wait and a timeout.
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
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// get asks a server that answers 503 once, and returns how long the two attempts took.
func get(retryAfter string) time.Duration {
	attempts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if attempts++; attempts == 1 {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryWaitMin = 10 * time.Millisecond
	client.RetryWaitMax = 100 * time.Millisecond
	client.HTTPClient.Timeout = time.Second
	begin := time.Now()
	response, err := client.Get(server.URL)
	if err != nil {
		panic(err)
	}
	response.Body.Close()
	took := time.Since(begin)
	fmt.Printf("RetryWaitMax 100 ms, Timeout 1 s, Retry-After %-4q: status %d after %.2f s\n", retryAfter, response.StatusCode, took.Seconds())
	return took
}

func main() {
	without, with := get(""), get("4")
	if without > 2*time.Second || with < 4*time.Second {
		fmt.Println("CHANGED: 0.01 s without the header and 4 s with it were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/hashicorp/go-retryablehttp@v0.7.8 2>get.log || { cat get.log; exit 1; }
echo "go-retryablehttp v0.7.8, $(go version)"
go run .
