#!/usr/bin/env bash
# ristretto: entries that have expired keep new ones out of the cache.
#
# Guess: a cache for 100 entries whose 100 entries have all expired has room for 100 new ones: Get says that the old ones are gone, and
# if their memory is not free yet, they are the first to be evicted.
# Seen: an expired entry keeps its place until a sweep comes, seconds later, and until then competes like a living one: who was read
# more often stays. New entries, which nobody has read yet, are refused in favor of dead ones; Set returns true all the same. After
# the sweep, or after Del of each old key, all are kept.
# Whom it hurts: caches of values that expire together (tokens, prices, a flag file of each minute): right after the expiry, when
# everybody asks, most new values are not kept, and the source is asked again, until they are popular enough or the sweep comes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

// kept fills a cache with 100 old entries, reads them ten times, lets them go, and says how many of 100 new ones it keeps.
func kept(ttl time.Duration, leave func(*ristretto.Cache[int, int])) (accepted, found int) {
	cache, err := ristretto.NewCache(&ristretto.Config[int, int]{NumCounters: 1000, MaxCost: 100, BufferItems: 64, IgnoreInternalCost: true})
	if err != nil {
		panic(err)
	}
	defer cache.Close()
	for key := range 100 {
		cache.SetWithTTL(key, key, 1, ttl)
	}
	cache.Wait()
	for range 10 {
		for key := range 100 {
			cache.Get(key)
		}
	}
	leave(cache)
	for key := range 100 {
		if _, ok := cache.Get(key); ok {
			panic("an old entry is there")
		}
	}
	for key := 1000; key < 1100; key++ {
		if cache.SetWithTTL(key, key, 1, time.Hour) {
			accepted++
		}
		cache.Wait()
	}
	for key := 1000; key < 1100; key++ {
		if _, ok := cache.Get(key); ok {
			found++
		}
	}
	return accepted, found
}

func main() {
	accepted, expired := 0, 100
	for range 3 { // a sweep may come in between once, so the least of three counts
		set, found := kept(time.Second, func(*ristretto.Cache[int, int]) { time.Sleep(1100 * time.Millisecond) })
		accepted, expired = max(accepted, set), min(expired, found)
	}
	fmt.Printf("100 old entries have expired: Set returned true %d times, %d new entries are there\n", accepted, expired)
	_, swept := kept(time.Second, func(*ristretto.Cache[int, int]) { time.Sleep(15 * time.Second) })
	fmt.Printf("they expired 14 s ago: %d new entries are there\n", swept)
	_, deleted := kept(time.Hour, func(cache *ristretto.Cache[int, int]) {
		for key := range 100 {
			cache.Del(key)
		}
		cache.Wait()
	})
	fmt.Printf("they were deleted: %d new entries are there\n", deleted)
	if accepted != 100 || expired > 60 || swept != 100 || deleted != 100 {
		fmt.Println("CHANGED: at most 60 were there after the expiry, and all 100 after the sweep or Del")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/dgraph-io/ristretto/v2@v2.4.2 2>get.log || { cat get.log; exit 1; }
echo "ristretto v2.4.2, $(go version | cut -d' ' -f3)"
go run .
