#!/usr/bin/env bash
# NATS JetStream: a thousand messages that are to come again in an hour stop a consumer for the hour.
#
# Guess: NakWithDelay(time.Hour) puts a message aside, as a delayed queue does, and the worker is free for the next one; only messages
# that are being handled count against MaxAckPending.
# Seen: a message that waits for its delay counts as pending, like one in the hands of a worker. MaxAckPending is 1,000 by default, so
# with the thousandth delayed message the consumer delivers nothing more: new messages wait, workers are idle, and no error, no
# advisory says so. It goes on when a delay ends. The same holds for BackOff of the consumer and for workers that keep messages.
# Whom it hurts: whoever uses delayed Naks for retries: one customer's endpoint that is down for an hour fills the thousand, and
# all other customers wait with it. In the test, with ten messages, it works.
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// consume publishes 1,100 messages and asks for a second delivery in an hour for each, until five seconds bring no other one.
func consume(js jetstream.JetStream, name string, limit int) (delivered int) {
	ctx := context.Background()
	stream := must(js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Storage: jetstream.MemoryStorage}))
	consumer := must(stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: name, AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: limit,
	}))
	for range 1100 {
		must(js.Publish(ctx, name, nil))
	}
	for {
		msg, err := consumer.Next(jetstream.FetchMaxWait(5 * time.Second))
		if err != nil {
			break
		}
		delivered++
		if err := msg.NakWithDelay(time.Hour); err != nil {
			panic(err)
		}
	}
	info := must(consumer.Info(ctx))
	fmt.Printf("MaxAckPending %d: %d of 1,100 messages delivered, %d that nobody has seen wait, %d count as pending\n",
		info.Config.MaxAckPending, delivered, info.NumPending, info.NumAckPending)
	return delivered
}

func main() {
	ns := must(server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: "data"}))
	go ns.Start()
	if !ns.ReadyForConnections(30 * time.Second) {
		panic("the server is not ready")
	}
	fmt.Println("nats-server", server.VERSION)
	js := must(jetstream.New(must(nats.Connect("", nats.InProcessServer(ns)))))
	byDefault, unlimited := consume(js, "default", 0), consume(js, "unlimited", -1)
	ns.Shutdown()
	if byDefault != 1000 || unlimited != 1100 {
		fmt.Println("CHANGED: 1,000 messages and 1,100 without a limit were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/nats-io/nats-server/v2@v2.15.2 github.com/nats-io/nats.go@v1.55.0 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
go run .
