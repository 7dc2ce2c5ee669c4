package pairingheap

import (
	"testing"

	"github.com/timerbench/timerbench/bench/lines"
	"github.com/timerbench/timerbench/structures"
)

func Benchmark(b *testing.B) {
	lines.Benchmark(b, 0, func() structures.Scheduler[uint64] { return New[uint64]() })
}
