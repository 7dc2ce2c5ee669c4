#!/usr/bin/env bash
# go-quartz: a job that starts more than 100 ms late does not run, and one that runs once is gone without an error.
#
# Guess: a job that is due while another one runs waits for it and runs late, as in java.util.Timer, cron and asyncio.
# Seen: the scheduler compares the start with OutdatedThreshold, 100 ms by default, and drops a later one. A trigger that
# fires once has no next time, so the job leaves the store; no error, no call. A job 50 ms late runs.
# Whom it hurts: whoever schedules a reminder or a retry once, with blocking execution or a worker limit, or on a machine that
# pauses for a moment.
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

	"github.com/reugn/go-quartz/job"
	"github.com/reugn/go-quartz/quartz"
)

func main() {
	scheduler, err := quartz.NewStdScheduler(quartz.WithBlockingExecution())
	if err != nil {
		panic(err)
	}
	scheduler.Start(context.Background())
	ran := make(map[string]bool)
	once := func(name string, delay, work time.Duration) {
		run := job.NewFunctionJob(func(context.Context) (int, error) {
			ran[name] = true
			time.Sleep(work)
			return 0, nil
		})
		err := scheduler.ScheduleJob(quartz.NewJobDetail(run, quartz.NewJobKey(name)), quartz.NewRunOnceTrigger(delay))
		if err != nil {
			panic(err)
		}
	}
	once("long", time.Second, 2*time.Second) // runs from 1 s to 3 s
	once("short", 1500*time.Millisecond, 0)  // due meanwhile
	once("later", 4*time.Second, 0)
	time.Sleep(5 * time.Second)
	scheduler.Stop()
	keys, err := scheduler.GetJobKeys()
	if err != nil {
		panic(err)
	}
	fmt.Println("ran:", ran)
	fmt.Println("jobs left in the store:", len(keys))
	if !ran["long"] || ran["short"] || !ran["later"] || len(keys) != 0 {
		fmt.Println(`CHANGED: "long" and "later" ran, "short" was dropped, and no job was left`)
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/reugn/go-quartz@v0.15.2 2>get.log || { cat get.log; exit 1; }
echo "go-quartz v0.15.2, $(go version)"
go run . 2>/dev/null
