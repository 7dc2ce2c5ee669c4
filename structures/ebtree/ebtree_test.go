package ebtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestManyTimers(t *testing.T) {
	schedtest.Many(t, 60_000, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "ebtree", maxLen, func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) })
}
