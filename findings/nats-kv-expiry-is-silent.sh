#!/usr/bin/env bash
# NATS key-value: a watcher is not told when a key expires.
#
# Guess: Watch reports each change of a key, and its end by the TTL of the bucket is one: a KeyValueDelete or KeyValuePurge, as etcd,
# Consul and ZooKeeper report it when a lease or session ends.
# Seen: the TTL is the maximal age of messages in the stream below, and what is too old leaves the stream without a message. Get says "key not
# found" after a second, while the watcher hears nothing, ever. A Delete is reported at once. LimitMarkerTTL of the bucket (server 2.11 and
# later), which is off by default, makes the server write a marker that the watcher gets.
# Whom it hurts: service discovery, locks and presence that keep a map from Watch: instances that died stay in the map, and get
# requests, until the program starts again; the first Watch after that looks right.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"context"
	"errors"
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

// watch puts two keys into a bucket with a TTL of two seconds, deletes the first, and lists what a watcher hears until long after the TTL.
func watch(js jetstream.JetStream, name string, marker time.Duration) (heard string) {
	ctx := context.Background()
	kv := must(js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: name, TTL: 2 * time.Second, LimitMarkerTTL: marker, Storage: jetstream.MemoryStorage,
	}))
	watcher := must(kv.WatchAll(ctx))
	<-watcher.Updates() // nil: the end of the keys that were there before
	must(kv.Put(ctx, "deleted", nil))
	must(kv.Put(ctx, "expires", nil))
	if err := kv.Delete(ctx, "deleted"); err != nil {
		panic(err)
	}
	for end := time.After(10 * time.Second); ; {
		select {
		case entry := <-watcher.Updates():
			if entry.Key() == "expires" || entry.Operation() != jetstream.KeyValuePurge {
				heard += fmt.Sprintf("%s %s; ", entry.Key(), entry.Operation())
			}
		case <-end:
			_, err := kv.Get(ctx, "expires")
			fmt.Printf("%s: the watcher heard: %sGet: %v\n", name, heard, err)
			if !errors.Is(err, jetstream.ErrKeyNotFound) {
				panic("the key has not expired")
			}
			return heard
		}
	}
}

func main() {
	ns := must(server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: "data"}))
	go ns.Start()
	if !ns.ReadyForConnections(30 * time.Second) {
		panic("the server is not ready")
	}
	fmt.Println("nats-server", server.VERSION)
	js := must(jetstream.New(must(nats.Connect("", nats.InProcessServer(ns)))))
	byDefault, marked := watch(js, "default", 0), watch(js, "marker", time.Minute)
	ns.Shutdown()
	common := "deleted KeyValuePutOp; expires KeyValuePutOp; deleted KeyValueDeleteOp; "
	if byDefault != common || marked != common+"expires KeyValuePurgeOp; " {
		fmt.Println("CHANGED: only the marker was to be heard in addition:", common)
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/nats-io/nats-server/v2@v2.15.2 github.com/nats-io/nats.go@v1.55.0 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
go run .
