package rbtreegods_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/rbtreegods"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, rbtreegods.New[uint64], rbtreegods.New[*schedtest.Payload], rbtreegods.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, rbtreegods.New[uint64], schedtest.FIFO(), schedtest.Allocates())
}

func TestScheduleAllocates(t *testing.T) { whitebox.Allocates(t, rbtreegods.New[uint64](), 1) }
