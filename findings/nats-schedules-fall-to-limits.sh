#!/usr/bin/env bash
# NATS JetStream: a message that is scheduled for ten seconds from now is accepted, and is dropped, or delivered at once, by the stream's retention.
#
# Guess: a stream with AllowMsgSchedules keeps a schedule until it has fired, whatever its limits are: they are for the messages that workers
# get. If a schedule can't be kept, say one that is due after MaxAge, the server refuses it, as it refuses a bad time.
# Seen: a schedule is a message like any other. MaxAge removes it before its time, and ends an "@every" after as long; MaxMsgs pushes it
# out when later messages come; a stream with interest retention drops it at once, since no consumer wants its own subject; and in
# a work queue a worker without a filter gets the schedule itself as a job, at once. Each was acknowledged to the publisher.
# Whom it hurts: whoever adds schedules to a stream that is there, with a MaxAge of a day: reminders for tomorrow come, those for next
# week never do, and nothing says so.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main.go <<'GO'
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	ctx := context.Background()
	s := check(server.NewServer(&server.Options{JetStream: true, StoreDir: os.Args[1], Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true}))
	go s.Start()
	s.ReadyForConnections(30 * time.Second)
	j := check(js.New(check(nats.Connect(s.ClientURL()))))
	schedule := func(subject, when, target string) {
		m := nats.NewMsg(subject)
		m.Header.Set("Nats-Schedule", when)
		m.Header.Set("Nats-Schedule-Target", target)
		check(j.PublishMsg(ctx, m))
	}

	began := time.Now()
	at := "@at " + began.Add(12*time.Second).UTC().Format(time.RFC3339)
	every := map[string]string{"every": "@every 2s"}
	got := map[string]int{} // messages to the target of each stream
	var workers []js.Consumer
	for _, c := range []js.StreamConfig{{Name: "unlimited"}, {Name: "MaxAge", MaxAge: 6 * time.Second}, {Name: "MaxMsgs", MaxMsgs: 1},
		{Name: "interest", Retention: js.InterestPolicy}, {Name: "every", MaxAge: 6 * time.Second}} {
		c.Subjects, c.AllowMsgSchedules = []string{c.Name + ".*"}, true
		stream := check(j.CreateStream(ctx, c))
		workers = append(workers, check(stream.CreateConsumer(ctx, js.ConsumerConfig{Durable: "worker", FilterSubject: c.Name + ".due"})))
		schedule(c.Name+".schedule", cmp.Or(every[c.Name], at), c.Name+".due")
		check(j.Publish(ctx, c.Name+".other", nil))
	}
	queue := check(j.CreateStream(ctx, js.StreamConfig{Name: "queue", Subjects: []string{"queue.*"}, AllowMsgSchedules: true, Retention: js.WorkQueuePolicy}))
	all := check(queue.CreateConsumer(ctx, js.ConsumerConfig{Durable: "worker"}))
	schedule("queue.schedule", at, "queue.due")
	job, err := all.Next(js.FetchMaxWait(5 * time.Second))
	atOnce := err == nil && job.Subject() == "queue.schedule"
	fmt.Println("a worker of the queue got the schedule itself at once:", atOnce)
	for time.Since(began) < 40*time.Second { // an "@every" that lived would fire twenty times
		for _, worker := range workers {
			for m := range check(worker.FetchNoWait(10)).Messages() {
				got[strings.TrimSuffix(m.Subject(), ".due")]++
				check(0, m.Ack())
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Println("fired within 40 s, by the limit of the stream:", got)
	if got["unlimited"] != 1 || got["MaxAge"]+got["MaxMsgs"]+got["interest"] != 0 || got["every"] > 8 || got["every"] == 0 || !atOnce {
		fmt.Println("CHANGED: only the unlimited stream fired its schedule, and the one of each two seconds ended after six")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
server=v2.15.2 client=v1.55.0
go get github.com/nats-io/nats-server/v2@$server github.com/nats-io/nats.go@$client 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "nats-server $server, nats.go $client, $(go version)"
go run . "$dir/store"
