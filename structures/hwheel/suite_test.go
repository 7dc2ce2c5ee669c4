package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	core "github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, hwheel.New[uint64], hwheel.New[*schedtest.Payload], hwheel.Capacity, schedtest.Levels(core.Levels))
}

func TestMany(t *testing.T) {
	schedtest.Many(t, longtest.Scale(t, 20_000, 60_000, 5<<20), func() structures.Scheduler[uint64] { return hwheel.New[uint64]() })
}

func FuzzModel(f *testing.F) { whitebox.Fuzz(f, hwheel.New[uint64], schedtest.Levels(core.Levels)) }
