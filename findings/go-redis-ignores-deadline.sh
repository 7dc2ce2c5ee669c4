#!/usr/bin/env bash
# go-redis: a context with a deadline of 100 ms does not end a command that waits for its reply.
#
# Guess: client.Get(ctx, key) returns when ctx is done, as database/sql, pgx and net/http do: the context is an argument.
# Seen: by default the context counts only while the client waits for a connection or between retries. A read ends by
# ReadTimeout, 5 s by default, and the error is then that of the context, which hides the cause. With ContextTimeoutEnabled
# a deadline ends the read; a cancellation does not even then.
# Whom it hurts: services that pass the deadline of a request down to Redis: while Redis stalls, each request holds its goroutine
# and a connection of the pool for seconds after its client has gone.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$redis" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// get asks for a key of a server that is paused, with a context that ends after 100 ms, and returns how long that took.
func get(enabled, cancelled bool) time.Duration {
	background := context.Background()
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: "sock", ContextTimeoutEnabled: enabled})
	defer client.Close()
	if err := client.Ping(background).Err(); err != nil {
		panic(err)
	}
	admin := redis.NewClient(&redis.Options{Network: "unix", Addr: "sock"})
	defer admin.Close()
	if err := admin.Do(background, "CLIENT", "PAUSE", 6000, "ALL").Err(); err != nil {
		panic(err)
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(background, 100*time.Millisecond)
	if cancelled {
		ctx, cancel = context.WithCancel(background)
		time.AfterFunc(100*time.Millisecond, cancel)
	}
	defer cancel()
	err := client.Get(ctx, "key").Err()
	took := time.Since(begin)
	fmt.Printf("ContextTimeoutEnabled %-5v cancelled %-5v: %.1f s, %v\n", enabled, cancelled, took.Seconds(), err)
	time.Sleep(7*time.Second - took) // until the pause is over
	return took
}

func main() {
	fmt.Println("expected 0.1 s each")
	byDefault, enabled, cancelled := get(false, false), get(true, false), get(true, true)
	if byDefault < 3*time.Second || enabled > 3*time.Second || cancelled < 3*time.Second {
		fmt.Println("CHANGED: 5 s, 0.1 s and 5 s were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/redis/go-redis/v9@v9.23.0 2>get.log || { cat get.log; exit 1; }
until [ -S sock ]; do sleep 0.1; done
echo "go-redis v9.23.0, $(go version), $(redis-server --version | cut -d' ' -f1-3)"
go run .
