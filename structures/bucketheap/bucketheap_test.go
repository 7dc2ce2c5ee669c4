package bucketheap_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Buckets are made as needed, so Capacity reserves no room for them.
func TestConformance(t *testing.T) {
	newScheduler := bucketheap.New[uint64]
	schedtest.Run(t, func() structures.Scheduler[uint64] { return newScheduler() }, schedtest.FIFO())
	whitebox.Suite(t, newScheduler, bucketheap.New[*schedtest.Payload], bucketheap.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, bucketheap.New[uint64], schedtest.FIFO()) }
