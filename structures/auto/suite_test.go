package auto_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func scheduler() structures.Scheduler[uint64] { return auto.New[uint64]() }

func TestConformance(t *testing.T) { schedtest.Run(t, scheduler, schedtest.Levels(auto.Levels)) }

func TestMany(t *testing.T) {
	schedtest.Many(t, longtest.Scale(t, 20_000, 5<<18, 5<<20), scheduler)
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		return auto.New[*schedtest.Payload]()
	})
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "auto", auto.MaxTimers, func(n int) structures.Scheduler[uint64] {
		return auto.New[uint64](auto.Capacity(n))
	})
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, scheduler, schedtest.Levels(auto.Levels))
}
