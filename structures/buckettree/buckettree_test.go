package buckettree_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/buckettree"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Buckets are made as needed, so Capacity reserves no room for them.
func TestConformance(t *testing.T) {
	newScheduler := buckettree.New[uint64]
	schedtest.Run(t, func() structures.Scheduler[uint64] { return newScheduler() }, schedtest.FIFO())
	whitebox.Suite(t, newScheduler, buckettree.New[*schedtest.Payload], buckettree.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, buckettree.New[uint64], schedtest.FIFO()) }
