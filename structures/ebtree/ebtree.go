// Package ebtree keeps timers in an elastic binary tree.
package ebtree

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/option"
	"github.com/timerbench/timerbench/structures/internal/slotted"
)

var _ structures.Scheduler[int] = (*Tree[int])(nil)

// An Option sets up a Tree.
type Option func(*config)

type config struct{ capacity int }

// Capacity reserves room for n timers, so that none of the first n allocates. It is
// no limit. New panics unless n is from 0 to 2^31-1. The default is 0.
func Capacity(n int) Option {
	return func(c *config) { c.capacity = option.Between("ebtree", "Capacity", n, 0, maxLen) }
}

// Tree is an elastic binary tree of timers with values of type T. Make it with New. It
// keeps the contract of structures.Scheduler, and is for one goroutine at a time.
type Tree[T any] struct{ scheduler[T] }

type scheduler[T any] = slotted.Scheduler[T, core, *core]

// New returns an empty tree whose clock is at tick 0. It panics when an option is
// invalid.
func New[T any](opts ...Option) *Tree[T] {
	c := option.Apply(config{}, opts)
	return &Tree[T]{slotted.New[T](newCore(c.capacity), c.capacity)}
}
