package tickmap

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestRandomOperationsAgreeWithAMap(t *testing.T) {
	for _, span := range []int64{8, 100, 5000, 1 << 62} {
		rng := rand.New(rand.NewPCG(uint64(span), 1))
		var m Map
		want := map[structures.Tick]uint32{}
		for i := range 20_000 {
			tick := structures.Tick(1 + rng.Int64N(span))
			number, ok := m.Get(tick)
			if wanted, there := want[tick]; ok != there || number != wanted {
				t.Fatalf("Get(%d) = %d, %t, want %d, %t", tick, number, ok, wanted, there)
			}
			if ok {
				m.Delete(tick)
				delete(want, tick)
			} else {
				m.Put(tick, uint32(i))
				want[tick] = uint32(i)
			}
			if m.Len() != len(want) {
				t.Fatalf("Len() = %d, want %d", m.Len(), len(want))
			}
			if i%97 == 0 {
				if err := m.CheckInvariants(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var m Map
	for tick := structures.Tick(1); tick <= 100; tick++ {
		m.Put(tick, 1)
	}
	tick := structures.Tick(100)
	if n := testing.AllocsPerRun(100_000, func() {
		tick++
		m.Put(tick, 1)
		m.Delete(tick - 100)
	}); n != 0 {
		t.Errorf("%v allocations an entry, want 0", n)
	}
}
