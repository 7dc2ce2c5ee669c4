#!/usr/bin/env bash
# badger: an entry with a TTL of one second may be gone after a few milliseconds.
#
# Guess: WithTTL(d) keeps an entry for d, since the argument is a time.Duration; if the store rounds, it rounds up.
# Seen: the expiry is a Unix time in whole seconds and is rounded down, so an entry lives d less up to a second. A TTL
# below a second may be over when Update returns.
# Whom it hurts: rate limits, locks and tokens of a second or two that are kept in badger: they end early, at random.
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

	"github.com/dgraph-io/badger/v4"
)

func main() {
	db, err := badger.Open(badger.DefaultOptions("").WithInMemory(true).WithLogger(nil))
	if err != nil {
		panic(err)
	}
	defer db.Close()
	early := time.Duration(0)
	for i := range 4 { // set at 0, 0.25, 0.5 and 0.75 s after a full second
		offset := time.Duration(i) * 250 * time.Millisecond
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + offset)))
		start := time.Now()
		err := db.Update(func(txn *badger.Txn) error {
			return txn.SetEntry(badger.NewEntry([]byte("key"), []byte("value")).WithTTL(time.Second))
		})
		if err != nil {
			panic(err)
		}
		for err == nil {
			err = db.View(func(txn *badger.Txn) error {
				_, err := txn.Get([]byte("key"))
				return err
			})
			time.Sleep(time.Millisecond)
		}
		lived := time.Since(start)
		fmt.Printf("set %v after a full second, TTL 1s: lived %v\n", offset, lived.Round(time.Millisecond))
		early = max(early, time.Second-lived)
	}
	if early < 200*time.Millisecond {
		fmt.Println("CHANGED: no entry expired early")
		os.Exit(1)
	}
	fmt.Printf("early by up to %v\n", early.Round(time.Millisecond))
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/dgraph-io/badger/v4@v4.9.6 2>get.log || { cat get.log; exit 1; }
echo "badger v4.9.6, $(go version)"
go run .
