#!/usr/bin/env bash
# golang.org/x/time/rate: raising the limit wakes nobody, and a limit of zero lets a whole burst pass.
#
# Guess: SetLimit takes effect at once: a goroutine in Wait goes on when the new limit allows it, and after SetLimit(0), "a zero
# Limit allows no events", Allow is false.
# Seen: Wait computes its delay once and sleeps. At one event an hour it waits for the hour, though the limit becomes 1,000 a
# second after a second; goroutines that come later overtake it. A limiter of limit 0 still gives out its burst.
# Whom it hurts: clients that slow down when a server asks for it and then recover: the slow time goes on for those that wait. And
# switches that set the limit to 0 to stop all work: a burst of jobs still runs. SetBurst(0) stops it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main_test.go <<'GO'
package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time: an hour is at once
		limiter := rate.NewLimiter(rate.Every(time.Hour), 1)
		limiter.Allow()
		begin := time.Now()
		go func() {
			time.Sleep(time.Second)
			limiter.SetLimit(1000)
			time.Sleep(time.Second)
			limiter.Wait(context.Background())
			fmt.Println("asked at 2 s, went on at", time.Since(begin))
		}()
		limiter.Wait(context.Background())
		waited := time.Since(begin)
		fmt.Println("asked at 0 s, limit raised to 1,000 a second at 1 s, went on at", waited)
		if waited != time.Hour {
			t.Error("CHANGED: it went on after an hour")
		}
	})
}

func TestZero(t *testing.T) {
	limiter := rate.NewLimiter(10, 5)
	limiter.SetLimit(0)
	allowed := 0
	for range 100 {
		if limiter.Allow() {
			allowed++
		}
	}
	fmt.Println("burst 5, limit 0: events allowed:", allowed, "(expected 0)")
	if allowed != 5 {
		t.Error("CHANGED: 5 were allowed")
	}
}
GO
go mod init finding >/dev/null 2>&1
go get golang.org/x/time@v0.16.0 2>get.log || { cat get.log; exit 1; }
echo "golang.org/x/time v0.16.0, $(go version)"
go test -v . | grep -v '^=== \|^---\|^ok\|^PASS'
