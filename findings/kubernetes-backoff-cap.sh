#!/usr/bin/env bash
# Kubernetes wait.Backoff: the cap of the delay ends the attempts.
#
# Guess: {Steps: 10, Duration: 10ms, Factor: 2, Cap: 40ms} makes ten attempts and never waits longer than 40 ms, as in every other
# backoff library.
# Seen: the step that would pass the cap sets the remaining steps to zero, so there are three attempts. Without Cap there are ten.
# Backoff.Step, called by hand, and DelayFunc go on with 40 ms: the same value means two things in one package.
# Whom it hurts: controllers that add a cap to be gentle, and raise Steps to wait longer: they give up early, and a higher
# Steps changes nothing.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

func attempts(backoff wait.Backoff) int {
	n := 0
	wait.ExponentialBackoff(backoff, func() (bool, error) { n++; return false, nil })
	return n
}

func main() {
	backoff := wait.Backoff{Steps: 10, Duration: 10 * time.Millisecond, Factor: 2}
	uncapped := attempts(backoff)
	backoff.Cap = 40 * time.Millisecond
	capped := attempts(backoff)
	backoff.Steps = 1000
	more := attempts(backoff)
	backoff.Steps = 10
	fmt.Println("attempts with Steps 10, no Cap:      ", uncapped)
	fmt.Println("attempts with Steps 10, Cap 40 ms:   ", capped, "(expected 10)")
	fmt.Println("attempts with Steps 1000, Cap 40 ms: ", more, "(expected 1000)")

	byHand := backoff
	var steps []time.Duration
	for range 6 {
		steps = append(steps, byHand.Step())
	}
	fmt.Println("six calls of Step:                   ", steps)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looped := 0
	backoff.DelayFunc().Until(ctx, true, true, func(context.Context) (bool, error) { looped++; return looped == 12, nil })
	fmt.Println("attempts with DelayFunc, stopped at: ", looped)

	if uncapped != 10 || capped != 3 || more != 3 || steps[5] != backoff.Cap || looped != 12 {
		fmt.Println("CHANGED: 10 attempts without a cap, 3 with one, and no end by hand were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get k8s.io/apimachinery/pkg/util/wait@v0.34.2 2>get.log || { cat get.log; exit 1; }
echo "k8s.io/apimachinery v0.34.2, $(go version)"
go run .
