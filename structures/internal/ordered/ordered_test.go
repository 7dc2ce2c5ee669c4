package ordered

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

// sorted is a container that keeps its keys in order in a slice.
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

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	nine := func() *Scheduler[int] {
		s := New[int](&sorted{}, 0)
		return whitebox.Nine(&s)
	}
	in := func(q *Queue) *sorted { return q.in.(*sorted) }
	whitebox.FindsDamageToQueue(t, nine, map[string]func(*Queue){
		"order":    func(q *Queue) { in(q).keys[0], in(q).keys[1] = in(q).keys[1], in(q).keys[0] },
		"twice":    func(q *Queue) { in(q).keys[1] = in(q).keys[0] },
		"foreign":  func(q *Queue) { k := *in(q).keys[3]; k.Sequence = 99; in(q).keys[3] = &k },
		"slot":     func(q *Queue) { in(q).keys[8].Slot = 99 },
		"reused":   func(q *Queue) { q.keys[3], q.keys[4] = q.keys[4], q.keys[3] },
		"length":   func(q *Queue) { q.in.RemoveFirst() },
		"unlinked": func(q *Queue) { q.in = short{in(q)} },
	})
}

// short does not reach its last key.
type short struct{ *sorted }

func (s short) Ascend(yield func(*Key) bool) {
	for _, k := range s.keys[:len(s.keys)-1] {
		if !yield(k) {
			return
		}
	}
}
