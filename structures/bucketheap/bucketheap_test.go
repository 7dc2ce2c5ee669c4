package bucketheap_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return bucketheap.New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return bucketheap.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return bucketheap.New[uint64]() }, schedtest.FIFO())
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "bucketheap", slab.MaxCapacity, func(n int) structures.Scheduler[uint64] { return bucketheap.New[uint64](bucketheap.Capacity(n)) }, schedtest.Allocates()) // buckets are made as needed
}
