package hwheel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func TestRingFindsTheNextOccupiedSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var g ring
		occupied := make(map[uint64]bool)
		for range 1 + rng.IntN(5) {
			slot := rng.Uint64N(ringLen) >> rng.IntN(13)
			g.setOccupied(uint32(slot))
			occupied[slot] = true
		}
		for slot := range occupied {
			if len(occupied) > 1 && rng.IntN(3) == 0 {
				g.setEmpty(uint32(slot))
				delete(occupied, slot)
			}
		}
		from := rng.Uint64() >> (1 + rng.IntN(63))
		want := from
		for !occupied[want&ringMask] {
			want++
		}
		if got := g.next(from); got != want {
			t.Fatalf("from %d, with %v occupied: %d, want %d", from, occupied, got, want)
		}
		if g.empty() {
			t.Fatal("it is empty")
		}
		for slot := range occupied {
			g.setEmpty(uint32(slot))
		}
		if !g.empty() {
			t.Fatalf("occupied slots %v were set empty, the summary is %#x", occupied, g.summary)
		}
	}
}

// A timer goes to the lowest level that covers its distance. Its slot starts after the
// cursor, at most a revolution after it, and cannot be emptied yet. When it can, all its
// timers fit the level below.
func TestSlotsForDeadlines(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	check := func(cursor, deadline structures.Tick) {
		t.Helper()
		distance := uint64(deadline - cursor)
		want := uint(0)
		for d := distance / ringLen; d > 0; d /= 256 {
			want++
		}
		level := levelFor(distance)
		if level != want {
			t.Fatalf("distance %d has level %d, want %d", distance, level, want)
		}
		if level == 0 {
			return
		}
		number, here := uint64(deadline)>>widthBits(level), uint64(cursor)>>widthBits(level)
		start := structures.Tick(number << widthBits(level))
		opens := windowStart(level, start)
		if number <= here || number > here+ringLen || opens <= cursor {
			t.Fatalf("deadline %d, seen from %d: slot %d of level %d, which can be emptied from %d on", deadline, cursor, number, level, opens)
		}
		if last := start | (1<<widthBits(level) - 1); levelFor(uint64(last-max(opens, 0))) >= level {
			t.Fatalf("the last deadline %d of a slot of level %d, seen from %d, does not fit the level below", last, level, opens)
		}
	}
	for range 200_000 {
		cursor := structures.Tick(rng.Uint64() >> (1 + rng.IntN(63)))
		check(cursor, cursor+structures.Tick(rng.Uint64N(uint64(math.MaxInt64-cursor)+1)>>rng.IntN(63)))
	}
	for level := range uint(Levels) {
		width := structures.Tick(1) << widthBits(level)
		for _, cursor := range []structures.Tick{0, 1, width - 1, width, math.MaxInt64 / 2} {
			for _, distance := range []structures.Tick{1, width, ringLen - 1, ringLen, ringLen*width - 1, ringLen * width, windowSlots * width} {
				if distance >= 0 && distance <= math.MaxInt64-cursor {
					check(cursor, cursor+distance)
				}
			}
		}
	}
}
