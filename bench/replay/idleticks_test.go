package replay

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// The classical wheel is simulated tick by tick. It must touch in vain as many timers as are computed from the script.
func TestTheRoundsOfAFlatWheelAreThoseOfASimulation(t *testing.T) {
	for _, shape := range shapes() {
		blocks, _ := blocksUntil(20_000, shape.Script(300, 5), 7)
		var want, firing uint64
		pending, now := make(map[uint32]structures.Tick), structures.Tick(0)
		for _, b := range blocks {
			for kind, op := range b.All() {
				switch kind {
				case script.KindSchedule, script.KindReschedule:
					pending[op.Key] = op.At
				case script.KindCancel:
					delete(pending, op.Key)
				case script.KindFire, script.KindWake:
					if kind == script.KindFire {
						firing++
					}
					for now < op.At {
						now++
						for key, deadline := range pending {
							switch {
							case deadline <= now:
								delete(pending, key)
							case deadline%flatSlots == now%flatSlots:
								want++
							}
						}
					}
				}
			}
		}
		if got := count(shape.Shape, blocks); got.FlatRounds != want || got.Idle != firing || got.Fired == 0 && shape.Shape != results.RoundTimes {
			t.Errorf("%s: %+v, want %d rounds and %d ticks that fire", shape.Shape, got, want, firing)
		}
	}
}

// Spread starts make spread deadlines, whatever the shape of the delays: both shares of idle ticks are e^(-rate). Deadlines on
// round times leave more than 99.9 % of the ticks idle.
func TestClustersOfDelaysLeaveAsManyTicksIdleAsUniformOnes(t *testing.T) {
	var out results.Run
	err := IdleTicks{N: 10_000, Ticks: 60_000, Seed: 3}.Run(t.Context(), entries(t, "hwheel", "quadheap-lazy", "minheap"), &out)
	if err != nil || len(out.Failures) > 0 {
		t.Fatal(err, out.Failures)
	}
	for _, i := range out.IdleTicks {
		share, want := float64(i.Idle)/float64(i.Ticks), math.Exp(-float64(i.Fired)/float64(i.Ticks))
		if round := i.Shape == results.RoundTimes; round && share < 0.999 || !round && math.Abs(share-want) > 0.01 {
			t.Errorf("%s: %g of the ticks are idle, e^-rate is %g", i.Shape, share, want)
		}
		vain := make(map[string]uint64)
		for _, s := range i.Structures {
			vain[s.Structure] = s.Vain
			if hold := i.Shape == results.Uniform; hold != (s.NS > 0) {
				t.Errorf("%s: an idle tick of %s takes %g ns", i.Shape, s.Structure, s.NS)
			}
		}
		if i.Shape == results.HalfCancelled && (vain["hwheel"] == 0 || vain["quadheap-lazy"] == 0 || vain["minheap"] != 0) {
			t.Errorf("touched in vain: %v, want cascades and stale entries, and none of a heap that keeps no stale entries", vain)
		}
	}
}
