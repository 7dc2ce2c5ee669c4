package quadheaplazy_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/quadheaplazy"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return quadheaplazy.New[uint64]() })
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return quadheaplazy.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return quadheaplazy.New[uint64](quadheaplazy.Capacity(10)) })
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "quadheaplazy", slab.MaxCapacity, func(n int) structures.Scheduler[uint64] { return quadheaplazy.New[uint64](quadheaplazy.Capacity(n)) })
}
