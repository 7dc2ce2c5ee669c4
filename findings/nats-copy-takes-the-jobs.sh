#!/usr/bin/env bash
# NATS JetStream: a second stream that copies a work queue takes the jobs out of it, unless a worker has registered before.
#
# Guess: a source or a mirror is a copy: jobs stay in the work queue until a worker acknowledges them, and a stream beside it, for a backup or an
# audit, changes nothing. If the server counted the copy as a consumer, it would refuse it, since a job has one consumer.
# Seen: what a source or a mirror has copied counts as handled. While a durable consumer of a worker exists, the job also waits for that
# one. Where there is none, because the workers start later, the jobs leave the queue as soon as they are copied: the worker that
# registers seconds later gets nothing, and no error says so.
# Whom it hurts: whoever adds a copy to a queue whose workers create their consumers when they start: at the first deployment,
# the jobs that came before the worker are lost to it. In the test, where the worker runs, each job is in both.
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

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var ctx, jobs = context.Background(), 10

// run adds ten jobs to a work queue, copies it, and returns how many a worker gets that registers before the jobs come, or after the copy.
func run(js jetstream.JetStream, name, copyBy string, before bool) int {
	queue := check(js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name}, Retention: jetstream.WorkQueuePolicy}))
	worker := jetstream.ConsumerConfig{Durable: "worker", AckPolicy: jetstream.AckExplicitPolicy}
	if before {
		check(queue.CreateConsumer(ctx, worker))
	}
	for range jobs {
		check(js.Publish(ctx, name, []byte("job")))
	}
	backup := jetstream.StreamConfig{Name: "copy-of-" + name}
	switch copyBy {
	case "source":
		backup.Sources = []*jetstream.StreamSource{{Name: name}}
	case "mirror":
		backup.Mirror = &jetstream.StreamSource{Name: name}
	}
	copied := uint64(0)
	if copyBy != "nothing" {
		stream := check(js.CreateStream(ctx, backup))
		for copied < uint64(jobs) {
			time.Sleep(100 * time.Millisecond)
			copied = check(stream.Info(ctx)).State.Msgs
		}
	}
	time.Sleep(3 * time.Second)
	got := 0
	for m := range check(check(queue.CreateOrUpdateConsumer(ctx, worker)).Fetch(jobs, jetstream.FetchMaxWait(3*time.Second))).Messages() {
		check(0, m.Ack())
		got++
	}
	fmt.Printf("copied by %-7s the copy has %2d, a worker that registered first (%v) gets %d of %d\n", copyBy, copied, before, got, jobs)
	return got
}

func main() {
	s := check(server.NewServer(&server.Options{JetStream: true, StoreDir: os.Args[1], Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true}))
	go s.Start()
	s.ReadyForConnections(30 * time.Second)
	js := check(jetstream.New(check(nats.Connect(s.ClientURL()))))
	kept := run(js, "a", "nothing", false) + run(js, "b", "source", true) + run(js, "c", "mirror", true)
	if lost := run(js, "d", "source", false) + run(js, "e", "mirror", false); kept != 3*jobs || lost != 0 {
		fmt.Println("CHANGED: no job was left for a worker that came after the copy, and all for the others")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
server=v2.15.2 client=v1.55.0
go get github.com/nats-io/nats-server/v2@$server github.com/nats-io/nats.go@$client 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "nats-server $server, nats.go $client, $(go version)"
go run . "$dir/store"
