#!/usr/bin/env bash
# hashicorp/golang-lru: an expired entry is still contained, and Values has a zero in its place that nobody stored.
#
# Guess: Get, Peek, Contains, Keys, Values and Len of an expirable LRU agree on whether an entry has expired.
# Seen: Get and Peek look at the expiry. Contains, Keys and Len do not, until a sweep of one bucket in a hundred comes by (up to a
# hundredth of the TTL later: 36 s for a TTL of an hour). Values leaves the expired entry out, but not its place: the
# slice has the length of Keys and ends with zero values.
# Whom it hurts: "if cache.Contains(key)" says yes for a while where Get says no; whoever ranges over Values of a cache of
# pointers meets nil.
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

	"github.com/hashicorp/golang-lru/v2/expirable"
)

func main() {
	const ttl = 2 * time.Second // sweeps come every 20 ms
	seen := 0
	for i := range 20 {
		cache := expirable.NewLRU[string, string](10, nil, ttl)
		begin := time.Now()
		cache.Add("key", "value")
		time.Sleep(time.Until(begin.Add(ttl)) + time.Duration(i)*time.Microsecond)
		_, get := cache.Get("key")
		contains, keys, values := cache.Contains("key"), cache.Keys(), cache.Values()
		if !get && contains && len(keys) == 1 && len(values) == 1 && values[0] == "" {
			seen++
			if seen == 1 {
				fmt.Printf("after the TTL: Get %v, Contains %v, Keys %q, Values %q\n", get, contains, keys, values)
			}
		}
	}
	fmt.Printf("seen in %d of 20 tries\n", seen)
	if seen == 0 {
		fmt.Println("CHANGED: the methods agree")
		os.Exit(1)
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/hashicorp/golang-lru/v2@v2.0.7 2>get.log || { cat get.log; exit 1; }
echo "golang-lru v2.0.7, $(go version)"
go run .
