#!/usr/bin/env bash
# client-go workqueue: a delay cannot be made longer or taken back, and a key that was handled meanwhile is handed out again.
#
# Guess: the queue holds each key once, so AddAfter(key, 60s) replaces AddAfter(key, 1s), as a debounce wants; Forget takes a pending
# retry back; and Add makes a key that waits ready, so that its delayed entry is done with.
# Seen: a key that waits keeps the earlier of two times, so the later call does nothing, silently. Forget only clears the count of
# failures. Add leaves the waiting entry alone: the key is handed out now and again when the delay ends.
# Whom it hurts: controllers that wait for a quiet minute after the last change: the first change starts the clock. And those that
# requeue after an hour: each event in between adds a run, and the old delay still ends when it was to end.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main_test.go <<'GO'
package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
)

type queue = workqueue.TypedRateLimitingInterface[string]

// runs returns the seconds, on a virtual clock, at which the queue hands out the key after act.
func runs(act func(queue)) (seconds []int) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](10*time.Second, time.Hour)
	q := workqueue.NewTypedRateLimitingQueue(limiter)
	begin := time.Now()
	go func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			seconds = append(seconds, int(time.Since(begin).Seconds()))
			q.Done(key)
		}
	}()
	act(q)
	time.Sleep(5 * time.Minute)
	q.ShutDown()
	synctest.Wait()
	return seconds
}

func TestRuns(t *testing.T) {
	for _, c := range []struct {
		name, expected, seen string
		act                  func(queue)
	}{
		{"AddAfter 1 s, then AddAfter 60 s", "[60]", "[1]", func(q queue) {
			q.AddAfter("key", time.Second)
			q.AddAfter("key", time.Minute)
		}},
		{"AddRateLimited (10 s), then Forget", "[]", "[10]", func(q queue) {
			q.AddRateLimited("key")
			q.Forget("key")
		}},
		{"AddAfter 60 s, then Add", "[0]", "[0 60]", func(q queue) {
			q.AddAfter("key", time.Minute)
			q.Add("key")
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := fmt.Sprint(runs(c.act))
			fmt.Printf("%-36s handed out at seconds %s (expected %s)\n", c.name+":", got, c.expected)
			if got != c.seen {
				t.Errorf("CHANGED: %s was seen", c.seen)
			}
		})
	}
}
GO
go mod init finding >/dev/null 2>&1
go get k8s.io/client-go@v0.37.2 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "k8s.io/client-go v0.37.2, $(go version)"
go test -count=1
