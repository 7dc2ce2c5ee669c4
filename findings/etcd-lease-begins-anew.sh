#!/usr/bin/env bash
# etcd: a restart gives each lease its whole TTL again.
#
# Guess: a lease is stored with its expiry, so after a restart its key lives for what was left.
# Seen: the log holds the TTL alone. A server that starts, or becomes the leader, begins each lease anew: a lease of 20 s lives
# for 37 s and on if the server starts again every 12 s.
# Whom it hurts: locks, sessions and caches that must end by a time: a leader that changes again and again keeps the key of
# a client that is long gone.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func start() (*embed.Etcd, *clientv3.Client) {
	config := embed.NewConfig()
	config.Dir, config.LogLevel, config.LogOutputs = "data", "error", []string{os.DevNull}
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Host: "client:0"}}
	config.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: "peer:0"}}
	etcd, err := embed.StartEtcd(config)
	check(err)
	<-etcd.Server.ReadyNotify()
	return etcd, v3client.New(etcd.Server)
}

func main() {
	ctx := context.Background()
	etcd, client := start()
	lease, err := client.Grant(ctx, 20)
	check(err)
	_, err = client.Put(ctx, "key", "value", clientv3.WithLease(lease.ID))
	check(err)
	begin := time.Now()
	for range 3 {
		time.Sleep(12 * time.Second)
		before, err := client.TimeToLive(ctx, lease.ID)
		check(err)
		etcd.Close()
		etcd, client = start()
		after, err := client.TimeToLive(ctx, lease.ID)
		check(err)
		fmt.Printf("left of a lease of 20 s: %d s before a restart, %d s after it\n", before.TTL, after.TTL)
		if before.TTL > 9 || after.TTL < 15 {
			fmt.Println("CHANGED: about 8 s before and 20 s after it")
			os.Exit(1)
		}
	}
	key, err := client.Get(ctx, "key")
	check(err)
	fmt.Printf("the key is there %.0f s after a grant of 20 s: %v\n", time.Since(begin).Seconds(), key.Count == 1)
	etcd.Close()
}
GO
go mod init finding >/dev/null 2>&1
go get go.etcd.io/etcd/server/v3@v3.7.3 2>get.log && go mod tidy 2>>get.log || { cat get.log; exit 1; }
echo "etcd v3.7.3, $(go version)"
go run .
