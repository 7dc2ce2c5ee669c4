package bucketheap_test

import (
	"testing"

	"github.com/timerbench/timerbench/bench/lines"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
)

func Benchmark(b *testing.B) {
	lines.Benchmark(b, 0, func() structures.Scheduler[uint64] { return bucketheap.New[uint64]() })
}
