#!/usr/bin/env bash
# bigcache: an entry is returned long after its LifeWindow.
#
# Guess: Get of an entry older than LifeWindow is a miss, as in every other cache with a TTL; CleanWindow only says how often
# memory is freed.
# Seen: Get never looks at the age. LifeWindow says which entries a cleaning may remove, and only a cleaning, or a Set that falls
# into the same shard, removes them. With a CleanWindow of an hour an entry of one second is returned for an hour.
# GetWithInfo returns the entry as well, but marks it as expired.
# Whom it hurts: whoever raises CleanWindow to save work, or sets it to 0: stale values without any sign.
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

	"github.com/allegro/bigcache/v3"
)

// get stores an entry that lives for a second, and asks for it four seconds later.
func get(clean time.Duration) (string, error, bool) {
	config := bigcache.DefaultConfig(time.Second)
	config.CleanWindow = clean
	cache, err := bigcache.New(context.Background(), config)
	if err != nil {
		panic(err)
	}
	defer cache.Close()
	if err := cache.Set("key", []byte("value")); err != nil {
		panic(err)
	}
	time.Sleep(4 * time.Second)
	value, err := cache.Get("key")
	_, info, _ := cache.GetWithInfo("key")
	expired := info.EntryStatus == bigcache.Expired
	fmt.Printf("LifeWindow 1s, CleanWindow %v, after 4 s: Get %q, %v; GetWithInfo says expired: %v\n", clean, value, err, expired)
	return string(value), err, expired
}

func main() {
	_, short, _ := get(time.Second)
	value, long, expired := get(time.Hour)
	if short == nil || long != nil || value != "value" || !expired {
		fmt.Println("CHANGED: a miss with the short window and the stale value with the long one were seen")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/allegro/bigcache/v3@v3.1.0 2>get.log || { cat get.log; exit 1; }
echo "bigcache v3.1.0, $(go version)"
go run .
