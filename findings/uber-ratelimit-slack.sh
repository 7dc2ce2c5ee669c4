#!/usr/bin/env bash
# go.uber.org/ratelimit: a limit of 100 a second lets eleven calls pass in one instant.
#
# Guess: a leaky bucket spaces calls evenly: ratelimit.New(100) gives one each 10 ms, and time without calls is not saved up; that
# is how it differs from a token bucket.
# Seen: New saves up to ten calls of idle time (the slack), so each pause is followed by eleven calls at once. WithoutSlack, an
# option, gives the even spacing.
# Whom it hurts: clients of devices and services that need the spacing itself, and loops in which each call is slow at times: the
# burst follows every slow call.
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

	"go.uber.org/ratelimit"
)

// clock is a virtual one: sleeping moves it.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time        { return c.now }
func (c *clock) Sleep(d time.Duration) { c.now = c.now.Add(d) }

// burst returns how many calls pass in one instant after a second without any.
func burst(options ...ratelimit.Option) int {
	c := &clock{time.Unix(1_000_000, 0)}
	limiter := ratelimit.New(100, append(options, ratelimit.WithClock(c))...)
	limiter.Take()
	c.Sleep(time.Second)
	for n, begin := 0, c.now; ; n++ {
		if limiter.Take(); c.now != begin {
			return n
		}
	}
}

func main() {
	byDefault, without := burst(), burst(ratelimit.WithoutSlack)
	fmt.Println("calls in one instant after a second of rest, by default:  ", byDefault, "(expected 1)")
	fmt.Println("calls in one instant after a second of rest, WithoutSlack:", without)
	if byDefault != 11 || without != 1 {
		fmt.Println("CHANGED: 11 and 1 were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get go.uber.org/ratelimit@v0.3.1 2>get.log || { cat get.log; exit 1; }
echo "go.uber.org/ratelimit v0.3.1, $(go version)"
go run .
