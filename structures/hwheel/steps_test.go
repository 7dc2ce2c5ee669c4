package hwheel_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Few timers are not moved before their slot starts: they may be cancelled until then.
func TestFewTimersCascadeWhenTheirSlotStarts(t *testing.T) {
	s := hwheel.New[int]()
	for i := range 500 {
		s.Schedule(80<<8+structures.Tick(i%256), i)
	}
	s.Next() // none is left in the arrival buffer
	s.Pop(80<<8 - 1)
	if moved := s.Work().Moved; moved != 0 {
		t.Errorf("%d timers were moved before their slot starts", moved)
	}
	s.Pop(80 << 8)
	if moved := s.Work().Moved; moved != 500 {
		t.Errorf("%d timers were moved when their slot starts, want 500", moved)
	}
}

// A cascade makes chunks, so that the first page of them grows and moves.
func TestTimersOfOneSlotThatSpreadOverMany(t *testing.T) {
	for _, n := range []int{1, 14, 15, 50, 100, 200, 300} {
		s := hwheel.New[int]()
		for i := range n {
			s.Schedule(80<<8+structures.Tick(i%256), i)
		}
		fired := 0
		for _, ok := s.Pop(1 << 20); ok; _, ok = s.Pop(1 << 20) {
			fired++
			if fired%10 == 1 {
				checking.Sound(t, s)
			}
		}
		if fired != n {
			t.Fatalf("%d of %d timers fired", fired, n)
		}
	}
}

// Next names the first deadline in a slot of few timers, not the start of the slot.
func TestNextIsExactWhereTimersAreFew(t *testing.T) {
	s := hwheel.New[int]()
	for _, at := range []structures.Tick{20_077, 20_050, 20_099, 900_000} {
		s.Schedule(at, 0)
	}
	if at, ok := s.Next(); at != 20_050 || !ok {
		t.Errorf("Next() = %d, %t, want 20050", at, ok)
	}
}
