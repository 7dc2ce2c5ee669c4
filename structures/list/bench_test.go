package list

import (
	"testing"

	"github.com/timerbench/timerbench/bench/lines"
	"github.com/timerbench/timerbench/structures"
)

func Benchmark(b *testing.B) {
	lines.Benchmark(b, 1000, func() structures.Scheduler[uint64] { return New[uint64]() })
}
