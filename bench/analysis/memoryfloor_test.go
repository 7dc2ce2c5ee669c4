package analysis

import (
	"math/rand/v2"
	"testing"
)

func TestTheChaseVisitsEveryRecord(t *testing.T) {
	const n = 1000
	records := newRecords(n, rand.New(rand.NewPCG(1, 2)))
	for steps := range n {
		if at := chase(records, 0, steps); steps > 0 && at == 0 {
			t.Fatalf("the chase is back after %d steps, want %d", steps, n)
		}
	}
	if at := chase(records, 0, n); at != 0 {
		t.Errorf("the chase is at record %d after %d steps, want 0", at, n)
	}
}

func TestTouchWritesEachVictim(t *testing.T) {
	records := make([]record, 3)
	touch(records, []uint32{0, 2, 2})
	if records[0].touched != 1 || records[1].touched != 0 || records[2].touched != 2 {
		t.Errorf("%+v", records)
	}
}
