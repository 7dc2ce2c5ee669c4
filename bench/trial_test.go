package bench

import (
	"reflect"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// The segments of a round are one trial, with the sum of each figure.
func TestSegmentsOfARoundAreSummedUp(t *testing.T) {
	segment := func(k int) results.Trial {
		return results.Trial{Instance: 2, Round: 3, NS: float64(k), Ops: 10 * k, Wakes: 100 * k, Units: float64(1000 * k),
			Allocs: uint64(10_000 * k), AllocBytes: uint64(100_000 * k), Kinds: []results.KindTime{{Kind: 1, Count: k, NS: float64(10 * k), ClockReads: 100 * k}}}
	}
	other := results.Trial{Round: 4, Wakes: 7}
	third := segment(4)
	third.Kinds[0].Kind = 2
	trials := addTrial(addTrial(addTrial(addTrial(nil, segment(1)), segment(2)), third), other)
	want := segment(7)
	want.Kinds = append(segment(3).Kinds, third.Kinds...)
	if !reflect.DeepEqual(trials, []results.Trial{want, other}) {
		t.Errorf("got  %+v\nwant %+v", trials, []results.Trial{want, other})
	}
}
