#!/usr/bin/env bash
# robfig/cron: adding entries to a running scheduler takes quadratic time; before Start it is linear.
#
# Guess: AddFunc costs the same before and after Start, or a little more for a lock and a heap: 10,000 entries are loaded in a moment.
# Seen: each AddFunc wakes the goroutine of the scheduler, which sorts all entries before it takes the next one. 20,000 entries
# take seconds, 100,000 minutes; before Start they are appended to a slice, in milliseconds. Each run of a job sorts all, too.
# Whom it hurts: services with a schedule per customer that start the scheduler first and then load the customers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

// add returns how long it takes to add n entries.
func add(n int, running bool) time.Duration {
	scheduler := cron.New()
	if running {
		scheduler.Start()
		defer scheduler.Stop()
	}
	begin := time.Now()
	for range n {
		if _, err := scheduler.AddFunc("@yearly", func() {}); err != nil {
			panic(err)
		}
	}
	return time.Since(begin)
}

func main() {
	var before, after time.Duration
	for _, n := range []int{5000, 10000, 20000} {
		before, after = add(n, false), add(n, true)
		fmt.Printf("%6d entries: before Start %6.1f ms, after Start %6.0f ms\n", n, before.Seconds()*1000, after.Seconds()*1000)
	}
	if after < 50*before {
		fmt.Println("CHANGED: 20,000 entries took hundreds of times as long after Start")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/robfig/cron/v3@v3.0.1 2>get.log || { cat get.log; exit 1; }
echo "robfig/cron v3.0.1, $(go version)"
go run .
