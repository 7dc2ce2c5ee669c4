package main

import (
	"testing"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

// ristretto v2.4.2 applies the sets of new keys later, in their order. A second set of a key that was not applied yet is
// dropped with its TTL, although Set returns true.
func TestRistrettoDropsTheSecondSetOfANewKey(t *testing.T) {
	apply := make(chan struct{})
	c, err := ristretto.NewCache(&ristretto.Config[int, string]{
		NumCounters: 100, MaxCost: 1000, BufferItems: 64, Cost: func(string) int64 { <-apply; return 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	if !c.SetWithTTL(1, "old", 0, time.Hour) || !c.SetWithTTL(1, "new", 0, time.Minute) {
		t.Fatal("Set drops an entry")
	}
	close(apply)
	c.Wait()
	value, _ := c.Get(1)
	if ttl, _ := c.GetTTL(1); value != "old" || ttl < time.Minute {
		t.Errorf("it has %q for %v, and had the old value for an hour", value, ttl)
	}
	c.Close()
}
