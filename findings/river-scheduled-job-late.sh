#!/usr/bin/env bash
# River: a job for one second from now runs up to six seconds from now, though a job for now runs in milliseconds.
#
# Guess: the client listens for notifications of PostgreSQL, so it also sleeps until the next scheduled job and is as punctual.
# Seen: a service of the leader looks every five seconds for scheduled jobs that are due. Jobs for now come by a notification in
# a few milliseconds; scheduled ones are up to five seconds late, whatever the load, and retries with a backoff of a second with
# them. The interval is not an option of the client.
# Whom it hurts: short delays and debounces: "in one second" takes three and a half on average.
set -euo pipefail
dir=$(mktemp -d)
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { apt-get install -y -qq postgresql >/dev/null; bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); }
as=()
[ "$(id -u)" != 0 ] || { chown postgres "$dir"; chmod 755 "$dir"; as=(runuser -u postgres --); }
cd "$dir"
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
"${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust >/dev/null 2>&1
"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -o "-k $dir -c listen_addresses=" -l "$dir/log" -w start >/dev/null

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type job struct{ At time.Time }

func (job) Kind() string { return "job" }

var late = make(chan time.Duration)

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	ctx := context.Background()
	db := riverpgxv5.New(check(pgxpool.New(ctx, "user=postgres dbname=postgres host="+os.Getenv("PWD"))))
	check(check(rivermigrate.New(db, nil)).Migrate(ctx, rivermigrate.DirectionUp, nil))
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(_ context.Context, j *river.Job[job]) error {
		late <- time.Since(j.Args.At)
		return nil
	}))
	client := check(river.NewClient(db, &river.Config{Workers: workers, Logger: slog.New(slog.DiscardHandler),
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 4}}}))
	if err := client.Start(ctx); err != nil {
		panic(err)
	}
	time.Sleep(8 * time.Second) // it becomes the leader
	best, worst := time.Hour, time.Duration(0)
	for i := range 6 {
		time.Sleep(time.Duration(i) * 300 * time.Millisecond)
		at := time.Now()
		check(client.Insert(ctx, job{at}, nil))
		best = min(best, <-late)
		at = time.Now().Add(time.Second)
		check(client.Insert(ctx, job{at}, &river.InsertOpts{ScheduledAt: at}))
		worst = max(worst, <-late)
	}
	fmt.Printf("for now: from %v on; for one second from now: late by up to %v\n", best, worst)
	if best > time.Second/2 || worst < 2*time.Second {
		fmt.Println("CHANGED: milliseconds, and up to five seconds")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
v=v0.51.2
go get github.com/riverqueue/river@$v github.com/riverqueue/river/riverdriver/riverpgxv5@$v 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "River $v, PostgreSQL $("$bin/postgres" --version | cut -d' ' -f3), $(go version)"
go run .
