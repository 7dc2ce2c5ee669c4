package main

import (
	"math"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server/thw"
)

// What the hash wheel of nats-server v2.15.2 names as the next expiration may be that of an
// entry which was removed: who sleeps until then wakes up for nothing, once.
func TestNatsServerWakesUpForWhatWasRemoved(t *testing.T) {
	wheel := thw.NewHashWheel()
	soon := time.Now().Add(-time.Second).UnixNano()
	late := time.Now().Add(time.Hour).UnixNano()
	for seq, expires := range map[uint64]int64{1: soon, 2: late} {
		if err := wheel.Add(seq, expires); err != nil {
			t.Fatal(err)
		}
	}
	if err := wheel.Remove(1, soon); err != nil {
		t.Fatal(err)
	}
	if next := wheel.GetNextExpiration(math.MaxInt64); next != soon {
		t.Errorf("it names %d, that of the entry that is left is %d", next, late)
	}
	wheel.ExpireTasks(func(seq uint64, _ int64) bool {
		t.Errorf("%d has expired", seq)
		return true
	})
	if next := wheel.GetNextExpiration(math.MaxInt64); next != late {
		t.Errorf("then it names %d, want %d", next, late)
	}
}
