package script

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestTheBoundOfACoarseStructureEndsWithTime(t *testing.T) {
	late := func(delay structures.Tick) structures.Tick { return delay / 8 }
	for _, x := range []struct{ at, delay, want structures.Tick }{
		{100, 80, 110},
		{math.MaxInt64 - 5, 80, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := (Fire{At: x.at, Delay: x.delay}).Latest(late); got != x.want {
			t.Errorf("deadline %d, delay %d: the last tick is %d, want %d", x.at, x.delay, got, x.want)
		}
	}
}
