package rbtree

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(New[intrusive.Item[T]](), func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) { schedtest.Run(t, withIDs[uint64], schedtest.FIFO()) }
func TestRelease(t *testing.T)     { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F)       { schedtest.Fuzz(f, withIDs[uint64], schedtest.FIFO()) }

// sample is a tree with its timers.
type sample struct {
	*Tree[int]
	timers [8]Timer[int]
}

func TestCheckInvariantsFindsDamage(t *testing.T) {
	sound := func() *sample {
		s := &sample{Tree: New[int]()}
		for i := range s.timers {
			s.Schedule(&s.timers[i], structures.Tick(10+10*i))
		}
		return s
	}
	whitebox.FindsDamage(t, sound, map[string]func(*sample){
		"a timer is not counted":     func(s *sample) { s.count-- },
		"the root is red":            func(s *sample) { s.root.red = true },
		"a color is wrong":           func(s *sample) { s.timers[7].node.red = !s.timers[7].node.red },
		"the first is forgotten":     func(s *sample) { s.first = &s.timers[3].node },
		"a deadline is out of order": func(s *sample) { s.timers[4].node.deadline = 90 },
		"a parent is wrong":          func(s *sample) { s.timers[0].node.parent = &s.timers[7].node },
		"a timer was overwritten":    func(s *sample) { s.timers[0] = Timer[int]{} },
	})
}
