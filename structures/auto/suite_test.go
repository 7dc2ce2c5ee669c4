package auto_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// few returns a constructor with another limit for the lists: 0 for the wheel alone, a
// small one for many changes between the two.
func few(limit int) func() structures.Scheduler[uint64] {
	return func() structures.Scheduler[uint64] { return auto.NewFew[uint64](limit) }
}

func TestConformance(t *testing.T) {
	for name, limit := range map[string]int{"lists": auto.FewLimit, "both": 24, "both, slowly": 500} {
		t.Run(name, func(t *testing.T) { schedtest.Run(t, few(limit), schedtest.Levels(ladder.Levels)) })
	}
	t.Run("pile", func(t *testing.T) {
		whitebox.Suite(t, auto.New[uint64], auto.New[*schedtest.Payload], auto.Capacity, schedtest.Levels(ladder.Levels))
	})
	t.Run("shifting", func(t *testing.T) { schedtest.Run(t, shifting(40), schedtest.Levels(ladder.Levels)) })
}

func shifting(limit int) func() structures.Scheduler[uint64] {
	return func() structures.Scheduler[uint64] { return auto.NewShifting[uint64](limit) }
}

func inRuns(limit int) func() structures.Scheduler[uint64] {
	return func() structures.Scheduler[uint64] { return auto.NewInRuns[uint64](limit) }
}

// Runs open for few timers in order, so the programs of the suite use them.
func TestConformanceInRuns(t *testing.T) {
	for name, limit := range map[string]int{"lists": auto.FewLimit, "both": 24, "wheel": 0} {
		t.Run(name, func(t *testing.T) { schedtest.Run(t, inRuns(limit), schedtest.Levels(ladder.Levels)) })
	}
}

func TestChanges(t *testing.T) {
	for name, s := range map[string]structures.Scheduler[uint64]{
		"auto in lists": few(auto.FewLimit)(), "auto in runs": inRuns(auto.FewLimit)(), "auto in a wheel": inRuns(0)(),
	} {
		t.Run(name, func(t *testing.T) { whitebox.Changes(t, name, s) })
	}
}

func TestMany(t *testing.T) {
	for _, limit := range []int{0, 1000, auto.FewLimit} {
		schedtest.Many(t, longtest.Scale(t, 20_000, 30_000, 5<<20), few(limit))
		schedtest.Many(t, longtest.Scale(t, 20_000, 30_000, 5<<20), inRuns(limit))
	}
}

func TestRelease(t *testing.T) {
	for _, limit := range []int{0, 24} {
		schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
			return auto.NewInRuns[*schedtest.Payload](limit)
		})
		schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
			return auto.NewFew[*schedtest.Payload](limit)
		})
	}
}

func FuzzLists(f *testing.F) { whitebox.Fuzz(f, auto.New[uint64], schedtest.Levels(ladder.Levels)) }

func FuzzPile(f *testing.F) { schedtest.Fuzz(f, shifting(24), schedtest.Levels(ladder.Levels)) }

func FuzzChangesOfMode(f *testing.F) { schedtest.Fuzz(f, few(24), schedtest.Levels(ladder.Levels)) }

func FuzzRuns(f *testing.F) { schedtest.Fuzz(f, inRuns(24), schedtest.Levels(ladder.Levels)) }

func FuzzRunsAndWheel(f *testing.F) { schedtest.Fuzz(f, inRuns(0), schedtest.Levels(ladder.Levels)) }
