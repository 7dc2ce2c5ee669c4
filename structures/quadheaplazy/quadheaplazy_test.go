package quadheaplazy_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheaplazy.New[uint64]() })
}

func TestConformanceWithCapacity(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheaplazy.New[uint64](quadheaplazy.Capacity(10)) })
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return quadheaplazy.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return quadheaplazy.New[uint64]() })
}

func TestInvalidCapacityPanics(t *testing.T) {
	for _, n := range []int{-1, math.MinInt, math.MaxInt} {
		want := fmt.Sprintf("quadheaplazy: Capacity(%d): want a number from 0 to 4294967294", n)
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			quadheaplazy.New[int](quadheaplazy.Capacity(n))
		}()
	}
	quadheaplazy.New[int](quadheaplazy.Capacity(0))
}
