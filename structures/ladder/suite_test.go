package ladder_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	core "github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/ladder"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func scheduler() structures.Scheduler[uint64] { return ladder.New[uint64]() }

func TestConformance(t *testing.T) { schedtest.Run(t, scheduler, schedtest.Levels(core.Levels)) }

func TestMany(t *testing.T) { schedtest.Many(t, longtest.Scale(t, 20_000, 60_000, 5<<20), scheduler) }

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		return ladder.New[*schedtest.Payload]()
	})
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "ladder", records.MaxTimers, func(n int) structures.Scheduler[uint64] {
		return ladder.New[uint64](ladder.Capacity(n))
	})
}

func FuzzModel(f *testing.F) { schedtest.Fuzz(f, scheduler, schedtest.Levels(core.Levels)) }

func mustBeSound[T any](t *testing.T, l *ladder.Ladder[T]) {
	t.Helper()
	if err := l.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
}
