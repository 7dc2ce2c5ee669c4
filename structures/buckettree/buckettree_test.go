package buckettree_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/buckettree"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return buckettree.New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return buckettree.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return buckettree.New[uint64]() }, schedtest.FIFO())
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "buckettree", slab.MaxCapacity, func(n int) structures.Scheduler[uint64] { return buckettree.New[uint64](buckettree.Capacity(n)) }, schedtest.Allocates()) // buckets are made as needed
}
