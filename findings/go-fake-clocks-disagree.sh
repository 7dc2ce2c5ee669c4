#!/usr/bin/env bash
# Fake clocks for Go: the same timers, advanced by 35 s in one step, behave in three ways with three popular clocks.
#
# Guess: advancing a fake clock by 35 s does what 35 s do: an AfterFunc of 10 s that sets itself again runs three times, at 10, 20
# and 30 s, a tick of 10 s says 10 s, and a timer of 10 s runs before one of 20 s.
# Seen: benbjohnson/clock steps from timer to timer, as testing/synctest does. clockwork sets the clock to 35 s first, calls what was
# due, each in a goroutine of its own, and so runs the chain once, at 35 s. The clock of Kubernetes sends a tick that says 35 s, and
# runs callbacks in the order in which they were set, under its lock, where they may not ask for the time.
# Whom it hurts: tests that move from one clock to another (benbjohnson/clock is archived): retries that ran in one Advance run once.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main_test.go <<'GO'
package main

import (
	"fmt"
	benbjohnson "github.com/benbjohnson/clock"
	"github.com/jonboulle/clockwork"
	kubernetes "k8s.io/utils/clock/testing"
	"testing"
	"testing/synctest"
	"time"
)

type clock struct {
	now     func() time.Time
	ticks   <-chan time.Time // of a ticker of 10 s
	after   func(time.Duration, func())
	advance func(time.Duration)
}

func tick(c clock) string {
	begin := c.now()
	c.advance(35 * time.Second)
	return fmt.Sprintf("tick %.0f", (<-c.ticks).Sub(begin).Seconds())
}

func order(c clock) string {
	out := ", order"
	c.after(20*time.Second, func() { out += " 20" })
	c.after(10*time.Second, func() { out += " 10" })
	c.advance(35 * time.Second)
	return out
}

func chain(c clock) string {
	out, begin, link := ", chain", c.now(), func() {}
	link = func() {
		out += fmt.Sprintf(" %.0f", c.now().Sub(begin).Seconds())
		c.after(10*time.Second, link)
	}
	c.after(10*time.Second, link)
	c.advance(35 * time.Second)
	synctest.Wait() // for callbacks in goroutines
	return out
}

func Test(t *testing.T) {
	check := func(name string, c clock, parts ...func(clock) string) (got string) {
		for _, part := range parts {
			got += part(c)
		}
		fmt.Printf("%-18s %s\n", name, got)
		return got
	}
	synctest.Test(t, func(t *testing.T) {
		after := func(d time.Duration, f func()) { time.AfterFunc(d, f) }
		real := check("testing/synctest", clock{time.Now, time.Tick(10 * time.Second), after, time.Sleep}, tick, order, chain)
		mock := benbjohnson.NewMock()
		after = func(d time.Duration, f func()) { mock.AfterFunc(d, f) }
		stepped := check("benbjohnson/clock", clock{mock.Now, mock.Ticker(10 * time.Second).C, after, mock.Add}, tick, order, chain)
		fake := clockwork.NewFakeClock() // goroutines: the order is not fixed
		after = func(d time.Duration, f func()) { fake.AfterFunc(d, f) }
		jumped := check("clockwork", clock{fake.Now, fake.NewTicker(10 * time.Second).Chan(), after, fake.Advance}, tick, chain)
		k8s := kubernetes.NewFakeClock(time.Unix(0, 0))
		after = func(d time.Duration, f func()) { k8s.AfterFunc(d, f) }
		unsorted := check("k8s.io/utils", clock{k8s.Now, k8s.NewTicker(10 * time.Second).C(), after, k8s.Step}, tick, order)
		if real != "tick 10, order 10 20, chain 10 20 30" || stepped != real || jumped != "tick 10, chain 35" || unsorted != "tick 35, order 20 10" {
			t.Error("CHANGED: the first two agreed, clockwork had one link at 35, and k8s.io/utils a tick of 35 and 20 before 10")
		}
	})
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/benbjohnson/clock@v1.3.5 github.com/jonboulle/clockwork@v0.5.0 \
	k8s.io/utils@v0.0.0-20261023123148-ca04ba58ecab 2>get.log || { cat get.log; exit 1; }
echo "benbjohnson/clock v1.3.5, clockwork v0.5.0, k8s.io/utils ca04ba58ecab, $(go version)"
go test -v . | grep -v '^=== \|^---\|^ok\|^PASS'
