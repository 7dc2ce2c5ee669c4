#!/usr/bin/env bash
# NATS JetStream: a message with a TTL of eight seconds lives for eight seconds more in each stream that sources it, or for ever.
#
# Guess: the TTL is a header of the message, and a copy is the same message: it ends in the second stream when it ends in the first, eight
# seconds after it was published, however late it was copied. A stream that can't honor the header refuses it, as it refuses a publisher.
# Seen: a stream with sources gives each copy a time of its own, and the TTL counts from there: copied after five seconds, the message ends
# after thirteen. A mirror keeps the time of the original, so there it ends after eight. Where AllowMsgTTL is not set, which is the
# default, sources and mirrors take the message, header and all, and keep it for ever; a publisher is refused there.
# Whom it hurts: commands, offers and codes that must not be used after a minute, and reach another region, an edge or an aggregate by
# sources: a copy that was late is valid for a whole minute more, once per hop. And whoever adds a source or a mirror for a
# backup with the default settings: what has expired in the original is delivered from the copy, and the copy grows without end.
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

func main() {
	ctx := context.Background()
	s := check(server.NewServer(&server.Options{JetStream: true, StoreDir: os.Args[1], Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true}))
	go s.Start()
	defer s.Shutdown()
	s.ReadyForConnections(30 * time.Second)
	js := check(jetstream.New(check(nats.Connect(s.ClientURL()))))
	const ttl, late = 8 * time.Second, 5 * time.Second
	original := check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "original", Subjects: []string{"x"}, AllowMsgTTL: true}))
	check(js.Publish(ctx, "x", []byte("open the door"), jetstream.WithMsgTTL(ttl)))
	published := time.Now()
	time.Sleep(late) // the second region was not reachable for a while
	from := &jetstream.StreamSource{Name: "original"}
	names := []string{"original", "mirror", "source", "source of it", "mirror by default", "source by default"}
	streams := []jetstream.Stream{original,
		check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "m", Mirror: from, AllowMsgTTL: true})),
		check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "s", Sources: []*jetstream.StreamSource{from}, AllowMsgTTL: true})),
		nil,
		check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "m0", Mirror: from})),
		check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "s0", Sources: []*jetstream.StreamSource{from}})),
	}
	gone := make([]time.Duration, len(streams)) // when each stream was seen empty; 0: never
	seen := make([]bool, len(streams))
	for time.Since(published) < 40*time.Second {
		if streams[3] == nil && time.Since(published) > 2*late {
			second := &jetstream.StreamSource{Name: "s"}
			streams[3] = check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ss", Sources: []*jetstream.StreamSource{second}, AllowMsgTTL: true}))
		}
		for i, stream := range streams {
			if stream == nil {
				continue
			}
			n := check(stream.Info(ctx)).State.Msgs
			seen[i] = seen[i] || n == 1
			if n == 0 && seen[i] && gone[i] == 0 {
				gone[i] = time.Since(published).Round(time.Second)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	for i, name := range names {
		fmt.Printf("%-18s had it: %v; gone after: %v (0s: not within 40 s)\n", name, seen[i], gone[i])
	}
	if gone[0] < ttl-2*time.Second || gone[2] < gone[0]+late/2 || gone[3] < gone[2]+late/2 || gone[1] > gone[0]+late/2 || gone[4]+gone[5] != 0 || !seen[4] || !seen[5] {
		fmt.Println("CHANGED: later with each source, with the original in the mirror, and never by default")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
server=v2.15.2 client=v1.55.0
go get github.com/nats-io/nats-server/v2@$server github.com/nats-io/nats.go@$client 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "nats-server $server, nats.go $client, $(go version)"
go run . "$dir/store"
