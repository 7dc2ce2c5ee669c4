package rbtreegods_test

import (
	"testing"

	"github.com/timerbench/timerbench/bench/lines"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/rbtreegods"
)

func Benchmark(b *testing.B) {
	lines.Benchmark(b, 100_000, func() structures.Scheduler[uint64] { return rbtreegods.New[uint64]() })
}
