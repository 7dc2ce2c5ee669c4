package list

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) { whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity) }

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64]) }

// The scan must find the minimum at any place, in a list of any length modulo its group, and with equal ones around.
func TestScanFindsTheEarliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n++ {
		deadlines := make([]structures.Tick, n)
		for at := range n {
			for _, spread := range []int64{1, 3, math.MaxInt64} {
				for i := range deadlines {
					deadlines[i] = 2 + structures.Tick(rng.Int64N(spread))
				}
				if got, want := deadlines[scan(deadlines)], slices.Min(deadlines); got != want {
					t.Fatalf("of %d the earliest is %d, want %d", deadlines, got, want)
				}
				deadlines[at] = 1
				if got := scan(deadlines); got != at {
					t.Fatalf("the earliest of %d is number %d, want %d", deadlines, got, at)
				}
			}
		}
	}
}
