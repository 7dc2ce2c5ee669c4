#!/usr/bin/env bash
# go-redis: one LPush that returns a timeout puts the job into the queue four times.
#
# Guess: a command whose reply does not come in time is not sent again, since it may have run: the caller sees the error and decides. At
# worst the job is there once although LPush failed.
# Seen: MaxRetries is 3 by default, and a timeout of a read counts as a reason to retry, whatever the command does: the client takes another
# connection of its pool and sends LPUSH or INCR again. A server that stalls for longer than ReadTimeout has all four in its
# sockets and runs them when it goes on. LPush returns an error all the same. With MaxRetries: -1 the job is there once.
# Whom it hurts: queues, counters and rate limiters during a stall of Redis (a slow script, a fork, a paused machine): jobs run four times,
# counters count four, and with a retry of the caller's own it is a multiple of four.
set -euo pipefail
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || { kill -CONT "$redis"; kill "$redis"; } 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	server, err := strconv.Atoi(os.Args[1])
	check(err)
	other := redis.NewClient(&redis.Options{Network: "unix", Addr: "sock"})
	seen := ""
	for _, retries := range []int{0, -1} { // the default, none
		queue := fmt.Sprint("queue", retries)
		client := redis.NewClient(&redis.Options{Network: "unix", Addr: "sock", MaxRetries: retries, ReadTimeout: 500 * time.Millisecond})

		// Ten commands at once, so that the pool has connections that were used, as in a program that has run for a while.
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { client.BLPop(ctx, time.Second, "empty") })
		}
		wg.Wait()

		check(syscall.Kill(server, syscall.SIGSTOP)) // the server stalls
		err := client.LPush(ctx, queue, "job").Err()
		check(syscall.Kill(server, syscall.SIGCONT))
		time.Sleep(2 * time.Second)
		length, e := other.LLen(ctx, queue).Result()
		check(e)
		fmt.Printf("MaxRetries: %d: one LPush returned %q; jobs in the queue: %d\n", retries, err, length)
		seen += fmt.Sprint(err != nil, length, " ")
	}
	if seen != "true 4 true 1 " {
		fmt.Println("CHANGED: errors with 4 jobs and 1 job were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/redis/go-redis/v9@v9.23.0 2>get.log || { cat get.log; exit 1; }
go build -o main .
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S sock ]; do sleep 0.1; done
echo "go-redis $(go list -m -f '{{.Version}}' github.com/redis/go-redis/v9), $(go version | cut -d' ' -f3), $(redis-server --version | cut -d' ' -f1-3)"
./main "$redis"
