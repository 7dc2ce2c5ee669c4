package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/ristretto/v2"

	"github.com/timerbench/timerbench/bench/live"
)

// All entries expire, none early, and as late as the caches' clean-ups allow.
func TestExpiryOfCachesIsMeasured(t *testing.T) {
	for _, c := range append([]live.Subject{otterCache(true), ristrettoCache(true), live.Time()}, live.Drivers(ours(), []int{0})...) {
		synctest.Test(t, func(t *testing.T) {
			const n = 2000
			f, err := measureTTL(t.Context(), c, n, false)
			late := time.Millisecond
			if c.Late != nil {
				late += c.Late(expirySpread)
			}
			if err != nil || f.bytes < 16 || f.bytes > 2000 || f.median < 0 || f.worst > late || f.worst < f.median {
				t.Errorf("%s: %+v, %v", c.Name, f, err)
			}
			t.Logf("%s: %+v", c.Name, f)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := measureTTL(t.Context(), otterCache(false), 10, false); err == nil || !strings.Contains(err.Error(), "otter: 0 of 10 entries have expired") {
			t.Errorf("entries without a TTL: %v", err)
		}
	})
}

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
