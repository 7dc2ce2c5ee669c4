#!/usr/bin/env bash
# asynq: a timeout below a second becomes half an hour.
#
# Guess: asynq.Timeout(900 * time.Millisecond) ends a task after 0.9 s; at worst the library rounds up to a second.
# Seen: a task keeps its timeout in whole seconds, rounded down. 1.5 s becomes 1 s, so a handler is cut off early; 0.9 s
# becomes 0, which means "not set", and the handler gets the default of 30 minutes.
# Whom it hurts: a task that calls a slow service with a short timeout: it holds its worker for half an hour.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill "$redis" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
command -v redis-server >/dev/null || apt-get install -y -qq redis-server >/dev/null
redis-server --port 0 --unixsocket "$dir/sock" --save '' --dir "$dir" >/dev/null &
redis=$!
until [ -S sock ]; do sleep 0.1; done

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hibiken/asynq"
)

func main() {
	redis := asynq.RedisClientOpt{Network: "unix", Addr: "sock"}
	left := make(chan time.Duration)
	server := asynq.NewServer(redis, asynq.Config{LogLevel: asynq.FatalLevel})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, _ *asynq.Task) error {
		deadline, _ := ctx.Deadline()
		left <- time.Until(deadline).Round(time.Second / 2)
		return nil
	}))
	if err != nil {
		panic(err)
	}
	client := asynq.NewClient(redis)
	want := map[time.Duration]time.Duration{
		900 * time.Millisecond: 30 * time.Minute, 1500 * time.Millisecond: time.Second, 2 * time.Second: 2 * time.Second,
	}
	for asked, seen := range want {
		if _, err := client.Enqueue(asynq.NewTask("work", nil), asynq.Timeout(asked)); err != nil {
			panic(err)
		}
		got := <-left
		fmt.Printf("asynq.Timeout(%v): the handler's context ends in %v\n", asked, got)
		if got != seen {
			fmt.Printf("CHANGED: it was %v\n", seen)
			os.Exit(1)
		}
	}
	server.Shutdown()
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/hibiken/asynq@v0.26.0 2>get.log || { cat get.log; exit 1; }
echo "asynq v0.26.0, $(redis-server --version | cut -d' ' -f1-3)"
go run .
