package rbtree_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/intrusive/rbtree"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(rbtree.New[intrusive.Item[T]](), func(t *rbtree.Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) { schedtest.Run(t, withIDs[uint64], schedtest.FIFO()) }
func TestRelease(t *testing.T)     { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F)       { schedtest.Fuzz(f, withIDs[uint64], schedtest.FIFO()) }
