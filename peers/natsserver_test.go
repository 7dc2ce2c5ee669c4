package main

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server/thw"
)

// The next expiration that the hash wheel of nats-server v2.15.2 reports may be that of a removed entry, which costs
// the caller one useless wake-up.
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

// ExpireTasks misses an entry that a callback adds to a slot that was already visited: the wheel reports no
// expiration for it, and it does not expire.
func TestNatsServerForgetsWhatACallbackAdds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wheel := thw.NewHashWheel()
		now := time.Now()
		next := time.Unix((now.Unix()/4096+1)*4096, 0) // in slot 0
		if err := wheel.Add(1, now.UnixNano()); err != nil {
			t.Fatal(err)
		}
		wheel.ExpireTasks(func(uint64, int64) bool {
			if err := wheel.Add(2, next.UnixNano()); err != nil {
				t.Error(err)
			}
			return true
		})
		if at := wheel.GetNextExpiration(math.MaxInt64); at != math.MaxInt64 || wheel.Count() != 1 {
			t.Errorf("it names %d with %d entries, and named none with one", at, wheel.Count())
		}
		time.Sleep(24 * time.Hour)
		wheel.ExpireTasks(func(seq uint64, _ int64) bool {
			t.Errorf("%d has expired, and did not", seq)
			return true
		})
	})
}

// A callback that moves its entry by a revolution, 4096 seconds, loses the entry if it was alone in its slot. The entry
// is still counted but in no slot.
func TestNatsServerLosesWhatACallbackMovesByARevolution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wheel := thw.NewHashWheel()
		now := time.Now()
		later := now.Add(4096 * time.Second).UnixNano()
		if err := wheel.Add(1, now.UnixNano()); err != nil {
			t.Fatal(err)
		}
		wheel.ExpireTasks(func(seq uint64, expires int64) bool {
			if err := wheel.Update(seq, expires, later); err != nil {
				t.Error(err)
			}
			return false
		})
		if wheel.Count() != 1 {
			t.Errorf("it counts %d entries, and counted one", wheel.Count())
		}
		if err := wheel.Remove(1, later); !errors.Is(err, thw.ErrTaskNotFound) {
			t.Errorf("the entry is there to be removed (%v), and was not", err)
		}
	})
}
