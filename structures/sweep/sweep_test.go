package sweep

import (
	"fmt"
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// late returns the option of the suite for a period.
func late(period structures.Tick) schedtest.Option {
	return schedtest.Coarse(func(structures.Tick) structures.Tick { return period - 1 })
}

// idle declares that a sweep may find nothing, if a timer was cancelled or moved that the last one has seen.
var idle = schedtest.Levels(1)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.Coarse(MaxLate), idle)
	for _, period := range []int{1, 7, 64, 1 << 20} {
		whitebox.Variants(t, []int{period}, sized, late(structures.Tick(period)), idle)
	}
}

func FuzzModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return sized(7) }, late(7), idle)
}

func sized(period int) structures.Scheduler[uint64] { return New[uint64](Period(period)) }

func TestBadOptionsPanic(t *testing.T) {
	for want, opt := range map[string]Option{
		"sweep: Period(0): want a number from 1 to 2147483647":                           Period(0),
		fmt.Sprintf("sweep: Capacity(-1): want a number from 0 to %d", slab.MaxCapacity): Capacity(-1),
	} {
		checking.Panics(t, want, func() { New[int](opt) })
	}
}

// Sweeps are at multiples of the period. Next names the first at which a timer may be due, and all that is due then fires.
func TestSweepsAreAPeriodApart(t *testing.T) {
	s := New[int]()
	for _, deadline := range []structures.Tick{1, 999, 1000, 1001, 2000, 5500, math.MaxInt64 - 1} {
		s.Schedule(deadline, 0)
	}
	far := s.Schedule(9500, 0)
	for _, want := range []struct {
		at    structures.Tick
		fired int
	}{{1000, 3}, {2000, 2}, {6000, 1}, {10_000, 0}, {math.MaxInt64, 1}} {
		s.Cancel(far)
		if want.at < 6000 {
			far = s.Schedule(9500, 0)
		}
		at, ok := s.Next()
		if _, early := s.Pop(at - 1); early || !ok || at != want.at && want.fired > 0 {
			t.Fatalf("Next() = %d, %t, and something fires before: %t; want %d", at, ok, early, want.at)
		}
		n := 0
		for range structures.Due(s, want.at) {
			n++
		}
		if n != want.fired {
			t.Errorf("%d fire at %d, want %d", n, want.at, want.fired)
		}
	}
}

// A sweep looks at each place once, whatever fires, and Pops between sweeps look at none.
func TestASweepLooksOnceAtEachPlace(t *testing.T) {
	s := New[int]()
	const n = 1000
	for i := range structures.Tick(n) {
		s.Schedule(1+i%2*5000, 0)
	}
	for now := range structures.Tick(1000) {
		s.Pop(now)
	}
	if got := s.Work().SlotsVisited; got != 0 {
		t.Errorf("%d places visited before the first sweep", got)
	}
	for range structures.Due(s, 1000) {
		s.Next()
		s.Schedule(9000, 0)
	}
	if got := s.Work().SlotsVisited; got != n || s.Len() != n {
		t.Errorf("%d places visited, want %d; %d timers", got, n, s.Len())
	}
}

// Next names a tick after the clock if the only timer that was due was cancelled in the middle of a sweep.
func TestNextAfterTheTimerThatWasDueIsCancelled(t *testing.T) {
	s := New[int]()
	s.Schedule(10, 0)
	s.Schedule(20, 0)
	s.Pop(1000)
	c := s.Schedule(1001, 0)
	s.Pop(2500)
	s.Cancel(c)
	s.Schedule(9000, 0)
	if at, ok := s.Next(); at != 9000 || !ok {
		t.Errorf("Next() = %d, %t, want 9000, true", at, ok)
	}
}
