package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	core "github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func scheduler() structures.Scheduler[uint64] { return hwheel.New[uint64]() }

func TestConformance(t *testing.T) { schedtest.Run(t, scheduler, schedtest.Levels(core.Levels)) }

func TestMany(t *testing.T) { schedtest.Many(t, longtest.Scale(t, 20_000, 60_000, 5<<20), scheduler) }

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		return hwheel.New[*schedtest.Payload]()
	})
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "hwheel", records.MaxTimers, func(n int) structures.Scheduler[uint64] {
		return hwheel.New[uint64](hwheel.Capacity(n))
	})
}

func FuzzModel(f *testing.F) { schedtest.Fuzz(f, scheduler, schedtest.Levels(core.Levels)) }

func mustBeSound[T any](t *testing.T, w *hwheel.Wheel[T]) {
	t.Helper()
	if err := w.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}
