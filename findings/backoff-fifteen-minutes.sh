#!/usr/bin/env bash
# cenkalti/backoff v5: a hundred tries, one a minute, end after fifteen minutes.
#
# Guess: Retry with a constant backoff of a minute and WithMaxTries(100) makes a hundred tries, and with a context of a day it goes on for a
# day, since nothing else was asked for; version 4 goes on for ever with a constant backoff.
# Seen: version 5 moved the limit of 15 minutes from the exponential backoff to Retry, so it holds for each kind of backoff: 16 tries. A
# server's wish to wait for an hour (RetryAfterError) ends the retries at once. WithMaxElapsedTime(0) removes the limit.
# Whom it hurts: whoever moves from version 4, or limits by tries or by a context: long outages end the retries.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main_test.go <<'GO'
package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	v4 "github.com/cenkalti/backoff/v4"
	"github.com/cenkalti/backoff/v5"
)

var errDown = errors.New("down")

func Test(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time: hours are at once
		begin, tries := time.Now(), 0
		report := func(name string) int {
			n := tries
			fmt.Printf("%-40s %3d tries in %v\n", name, n, time.Since(begin))
			begin, tries = time.Now(), 0
			return n
		}
		fail := func() error { tries++; return errDown }
		fail5 := func() (int, error) { return 0, fail() }
		minute := backoff.WithBackOff(backoff.NewConstantBackOff(time.Minute))

		v4.Retry(fail, v4.WithMaxRetries(v4.NewConstantBackOff(time.Minute), 99))
		old := report("v4, a hundred tries")
		backoff.Retry(context.Background(), fail5, minute, backoff.WithMaxTries(100))
		limited := report("v5, WithMaxTries(100)")
		day, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
		defer cancel()
		backoff.Retry(day, fail5, minute)
		context := report("v5, a context of a day")
		backoff.Retry(day, func() (int, error) { tries++; return 0, backoff.RetryAfter(3600) }, minute)
		after := report("v5, the server asks for an hour")
		backoff.Retry(day, fail5, minute, backoff.WithMaxTries(100), backoff.WithMaxElapsedTime(0))
		unlimited := report("v5, WithMaxTries(100), no MaxElapsedTime")
		if old != 100 || limited != 16 || context != 16 || after != 1 || unlimited != 100 {
			t.Error("CHANGED: 100, 16, 16, 1 and 100 tries were seen")
		}
	})
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/cenkalti/backoff/v4@v4.3.0 github.com/cenkalti/backoff/v5@v5.0.3 2>get.log || { cat get.log; exit 1; }
echo "cenkalti/backoff v4.3.0 and v5.0.3, $(go version)"
go test -v . | grep -v '^=== \|^---\|^ok\|^PASS'
