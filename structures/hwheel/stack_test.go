package hwheel

import (
	"math/rand/v2"
	"testing"
)

func TestStackGivesBackLastInFirstOut(t *testing.T) {
	var s stack
	var want []uint32
	deepest := 0
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		// Up and down over several pages, by amounts that are no part of one.
		room := 1 + rng.IntN(stackPage)
		s.makeRoom(room)
		if rng.IntN(4) > 0 {
			room = rng.IntN(room + 1)
		}
		for range room {
			index := rng.Uint32()
			s.push(index)
			want = append(want, index)
		}
		deepest = max(deepest, s.spilled)
		down := rng.IntN(stackPage / 4)
		if round/50%2 == 1 {
			down *= 8
		}
		for range min(down, len(want)) {
			last := len(want) - 1
			if got := s.pop(); got != want[last] {
				t.Fatalf("round %d: popped %d with %d left, want %d", round, got, last, want[last])
			}
			want = want[:last]
		}
		if s.len() != len(want) {
			t.Fatalf("round %d: len %d, want %d", round, s.len(), len(want))
		}
	}
	if deepest < 3 || len(s.pages) != deepest {
		t.Errorf("%d pages, and %d were needed at a time, want the same, and 3 at least", len(s.pages), deepest)
	}
}

func TestMakeRoomLeavesRoom(t *testing.T) {
	for left := range 3 {
		for room := range 5 {
			var s stack
			fill := uint32(2*stackPage - left)
			for index := range fill {
				s.push(index)
			}
			s.makeRoom(room)
			if free := len(s.top) - s.n; free < room || s.len() != int(fill) {
				t.Fatalf("room for %d of %d, and the stack has %d indexes of %d", free, room, s.len(), fill)
			}
			for range room {
				s.push(fill)
				fill++
			}
			for ; fill > 0; fill-- {
				if got := s.pop(); got != fill-1 {
					t.Fatalf("popped %d, want %d", got, fill-1)
				}
			}
		}
	}
}
