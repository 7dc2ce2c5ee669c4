#!/usr/bin/env bash
# nsqd: an orderly restart delivers deferred messages at once, long before their time.
#
# Guess: a deferred message (DPUB) is kept over a restart with what is left of its delay; a crash may lose it, since NSQ
# promises no replication.
# Seen: on an orderly exit nsqd writes messages in flight and deferred ones to the same disk queue, without the delay. After
# the start they are ready: a message deferred by 30 s comes in the first second.
# Whom it hurts: whoever builds retries with backoff or reminders on DPUB: each deployment of nsqd fires all of them together.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/nsqio/go-nsq"
	"github.com/nsqio/nsq/nsqd"
)

func start() (*nsqd.NSQD, string) {
	options := nsqd.NewOptions()
	options.DataPath = "."
	options.TCPAddress, options.HTTPAddress, options.HTTPSAddress = "127.0.0.1:0", "127.0.0.1:0", ""
	options.Logger = log.New(io.Discard, "", 0)
	server, err := nsqd.New(options)
	if err != nil {
		panic(err)
	}
	if err := server.LoadMetadata(); err != nil {
		panic(err)
	}
	go server.Main()
	return server, server.RealTCPAddr().String()
}

func main() {
	server, address := start()
	server.GetTopic("topic").GetChannel("channel")
	producer, err := nsq.NewProducer(address, nsq.NewConfig())
	if err != nil {
		panic(err)
	}
	producer.SetLoggerLevel(nsq.LogLevelMax)
	begin := time.Now()
	if err := producer.DeferredPublish("topic", 30*time.Second, []byte("hello")); err != nil {
		panic(err)
	}
	time.Sleep(time.Second) // the topic hands it to the channel
	producer.Stop()
	server.Exit()
	_, address = start()

	got := make(chan time.Duration, 1)
	consumer, err := nsq.NewConsumer("topic", "channel", nsq.NewConfig())
	if err != nil {
		panic(err)
	}
	consumer.SetLoggerLevel(nsq.LogLevelMax)
	consumer.AddHandler(nsq.HandlerFunc(func(*nsq.Message) error { got <- time.Since(begin); return nil }))
	if err := consumer.ConnectToNSQD(address); err != nil {
		panic(err)
	}
	after := <-got
	fmt.Printf("deferred by 30s, nsqd restarted: delivered after %v\n", after.Round(100*time.Millisecond))
	if after > 20*time.Second {
		fmt.Println("CHANGED: it came after about a second")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/nsqio/nsq/nsqd@v1.3.0 github.com/nsqio/go-nsq@v1.1.0 2>get.log || { cat get.log; exit 1; }
echo "nsqd v1.3.0, go-nsq v1.1.0, $(go version)"
go run .
