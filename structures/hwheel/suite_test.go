package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	for _, s := range shapes[:longtest.Scale(t, 2, 2, len(shapes))] {
		t.Run(s.String(), func(t *testing.T) {
			schedtest.Run(t, s.scheduler, schedtest.Levels(s.levels()))
		})
	}
}

func (s shape) scheduler() structures.Scheduler[uint64] {
	return hwheel.NewShape[uint64](s.levelBits, s.ringBits)
}

func (s shape) levels() int { return hwheel.NewShape[int](s.levelBits, s.ringBits).Levels() }

func TestNewHasTheFirstShape(t *testing.T) {
	if got, want := hwheel.New[int]().Levels(), shapes[0].levels(); got != want {
		t.Errorf("%d levels, want %d", got, want)
	}
}

func TestMany(t *testing.T) {
	schedtest.Many(t, longtest.Scale(t, 20_000, 5<<18, 5<<20), shapes[0].scheduler)
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		return hwheel.New[*schedtest.Payload]()
	})
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "hwheel", hwheel.MaxTimers, func(n int) structures.Scheduler[uint64] {
		return hwheel.New[uint64](hwheel.Capacity(n))
	})
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, shapes[1].scheduler, schedtest.Levels(shapes[1].levels()))
}

// The default shape reaches further on each level, and few of its slots are in use.
func FuzzDefaultAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, shapes[0].scheduler, schedtest.Levels(shapes[0].levels()))
}
