#!/usr/bin/env bash
# NATS JetStream: BackOff of a consumer hands out a message that is being handled, delays no Nak, and is added to the delay of one.
#
# Guess: BackOff: [1s, 6s] is the wait after a failure: a message that is refused (Nak) comes again after 1 s and then after 6 s, one
# that is refused with a delay of its own comes after that delay, and AckWait of 30 s still says how long a handler may take.
# Seen: BackOff replaces AckWait. A handler of 1.5 s sees its message go to another worker after a second. A Nak comes back at once,
# so ten attempts are over in milliseconds. NakWithDelay(1s) takes 1 s the first time and 6 s the second time: the delay
# is set as "AckWait has begun 1 s - AckWait ago", where AckWait is the first step and the end is that of the current one.
# Whom it hurts: whoever adds BackOff to be gentle: slow handlers run twice at a time, and a service that is down gets its retries at once.
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

// gaps publishes a message, answers each delivery by answer, and returns the times between three deliveries.
func gaps(js jetstream.JetStream, name string, answer func(jetstream.Msg) error) (gaps [2]time.Duration) {
	ctx := context.Background()
	stream := must(js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Storage: jetstream.MemoryStorage}))
	consumer := must(stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxDeliver: 10,
		BackOff: []time.Duration{time.Second, 6 * time.Second},
	}))
	must(js.Publish(ctx, name, nil))
	var last time.Time
	for i := range 3 {
		msg := must(consumer.Next(jetstream.FetchMaxWait(20 * time.Second)))
		now := time.Now()
		if i > 0 {
			gaps[i-1] = now.Sub(last).Round(time.Millisecond)
		}
		last = now
		if err := answer(msg); err != nil {
			panic(err)
		}
	}
	return gaps
}

func main() {
	ns := must(server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: "data", NoSigs: true}))
	ns.Start()
	nc := must(nats.Connect("", nats.InProcessServer(ns)))
	js := must(jetstream.New(nc))
	busy := gaps(js, "busy", func(jetstream.Msg) error { return nil })
	nak := gaps(js, "nak", func(m jetstream.Msg) error { return m.Nak() })
	delayed := gaps(js, "delayed", func(m jetstream.Msg) error { return m.NakWithDelay(time.Second) })
	fmt.Println("no answer yet, with AckWait of 30 s: next deliveries after", busy, "(expected 30 s)")
	fmt.Println("Nak:                               next deliveries after", nak, "(expected 1 and 6 s)")
	fmt.Println("NakWithDelay(1s):                  next deliveries after", delayed, "(expected 1 and 1 s)")
	near := func(d, want time.Duration) bool { return d > want-200*time.Millisecond && d < want+time.Second }
	if !near(busy[0], time.Second) || !near(busy[1], 6*time.Second) || !near(nak[0], 0) || !near(nak[1], 0) ||
		!near(delayed[0], time.Second) || !near(delayed[1], 6*time.Second) {
		fmt.Println("CHANGED: 1 and 6 s, 0 and 0 s, 1 and 6 s were seen")
		os.Exit(1)
	}
	nc.Close()
	ns.Shutdown()
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/nats-io/nats-server/v2@v2.15.2 github.com/nats-io/nats.go@v1.55.0 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "nats-server v2.15.2, nats.go v1.55.0, $(go version)"
go run .
