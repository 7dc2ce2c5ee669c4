package ordered

import (
	"math"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// sorted is a container too simple to be wrong.
type sorted struct {
	keys        []*Key
	comparisons uint64
}

func (s *sorted) find(k *Key) (int, bool) {
	return slices.BinarySearchFunc(s.keys, k, func(a, b *Key) int {
		s.comparisons++
		return Compare(a, b)
	})
}

func (s *sorted) Insert(k *Key) {
	i, _ := s.find(k)
	s.keys = slices.Insert(s.keys, i, k)
}

func (s *sorted) Remove(k *Key) {
	i, _ := s.find(k)
	s.keys = slices.Delete(s.keys, i, i+1)
}

func (s *sorted) First() *Key {
	if len(s.keys) == 0 {
		return nil
	}
	return s.keys[0]
}

func (s *sorted) RemoveFirst() { s.keys = slices.Delete(s.keys, 0, 1) }

func (s *sorted) Ascend(yield func(*Key) bool) {
	for _, k := range s.keys {
		if !yield(k) {
			return
		}
	}
}

func (s *sorted) Len() int            { return len(s.keys) }
func (s *sorted) Comparisons() uint64 { return s.comparisons }

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] {
		s := New[uint64](&sorted{}, 0)
		return &s
	}, schedtest.FIFO(), schedtest.Allocates())
}

func TestCompareGoesByDeadlineThenSequence(t *testing.T) {
	ascending := []*Key{
		{Deadline: math.MinInt64, Sequence: math.MaxUint64},
		{Deadline: -1, Sequence: 7},
		{Deadline: 1, Sequence: 0, Slot: 9},
		{Deadline: 1, Sequence: 1, Slot: 3},
		{Deadline: 1, Sequence: math.MaxUint64},
		{Deadline: math.MaxInt64 - 1, Sequence: 5},
		{Deadline: math.MaxInt64, Sequence: 2},
	}
	for i, a := range ascending {
		for j, b := range ascending {
			got := Compare(a, b)
			if got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("Compare(%+v, %+v) = %d", *a, *b, got)
			}
		}
	}
}

// CheckInvariants must find what the suite relies on it to find.
func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	for name, harm := range map[string]func(*Scheduler[int], *sorted){
		"order":   func(_ *Scheduler[int], in *sorted) { in.keys[0], in.keys[1] = in.keys[1], in.keys[0] },
		"twice":   func(_ *Scheduler[int], in *sorted) { in.keys[1] = in.keys[0] },
		"foreign": func(_ *Scheduler[int], in *sorted) { k := *in.keys[3]; k.Sequence = 99; in.keys[3] = &k },
		"slot":    func(_ *Scheduler[int], in *sorted) { in.keys[8].Slot = 99 },
		"freed": func(s *Scheduler[int], _ *sorted) {
			s.table.Free(3)
			s.table.Put(0)
			s.table.Free(4)
			s.table.Put(0)
			s.table.Free(5)
		},
		"reused":   func(s *Scheduler[int], _ *sorted) { s.keys[3], s.keys[4] = s.keys[4], s.keys[3] },
		"length":   func(_ *Scheduler[int], in *sorted) { in.RemoveFirst() },
		"table":    func(s *Scheduler[int], _ *sorted) { s.table.Put(0) },
		"exchange": func(s *Scheduler[int], _ *sorted) { s.table.Free(3); s.table.Put(0); s.table.Put(0); s.table.Free(4) },
		"unlinked": func(s *Scheduler[int], in *sorted) { s.in = short{in} },
	} {
		in := &sorted{}
		s := New[int](in, 0)
		whitebox.Nine(&s)
		if err := s.CheckInvariants(); err != nil {
			t.Fatalf("%s: before: %v", name, err)
		}
		if harm(&s, in); s.CheckInvariants() == nil {
			t.Errorf("%s: broken, and not found", name)
		}
	}
}

// short has lost the way to its last key.
type short struct{ *sorted }

func (s short) Ascend(yield func(*Key) bool) {
	for _, k := range s.keys[:len(s.keys)-1] {
		if !yield(k) {
			return
		}
	}
}
