package hwheel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// walk returns the entries of a list, last one first, and makes sure that every
// chunk says right which two come next.
func walk(t *testing.T, c *entries, l list) (held []entry) {
	t.Helper()
	var ahead list
	for first := true; l != 0; first = false {
		link, chunk := c.chunk(l)
		next, afterNext := linksOf(*link)
		if !first && ahead != next {
			t.Fatalf("the chunk of %d comes before %d, and the one after it says %d", l, next, ahead)
		}
		for _, e := range slices.Backward(chunk) {
			held = append(held, e)
		}
		if next != 0 && next&chunkMask != chunkMask {
			t.Fatalf("the chunk of %d comes before %d, which is not full", l, next)
		}
		l, ahead = next, afterNext
	}
	return held
}

// Lists of all lengths up to some chunks, that go up and down beside one another.
func TestListsAgreeWithSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c entries
	lists := make([]list, 7)
	want := make([][]entry, len(lists))
	most := 0 // chunks at a time
	for round := range 60 {
		i := rng.IntN(len(lists))
		to := rng.IntN(6 * chunkLen)
		if round%10 == 0 {
			to = 0
		}
		for len(want[i]) != to {
			if len(want[i]) < to {
				e := entry(rng.Uint64())
				lists[i] = c.push(lists[i], e)
				want[i] = append(want[i], e)
			} else {
				lists[i] = c.pop(lists[i])
				want[i] = want[i][:len(want[i])-1]
			}
			chunks := 0
			for i := range lists {
				got := walk(t, &c, lists[i])
				if slices.Reverse(got); !slices.Equal(got, want[i]) {
					t.Fatalf("list %d holds %x, want %x", i, got, want[i])
				}
				chunks += (len(got) + chunkLen - 2) / (chunkLen - 1)
			}
			if most = max(most, chunks); int(c.fresh) != (most+1)*chunkLen {
				t.Fatalf("the first entry never used is %d with %d chunks at a time at most", c.fresh, most)
			}
		}
	}
}

// Chunks are given out once each, on as many pages as it takes, and then those given
// back, the last one first.
func TestChunksAreGivenOutOnce(t *testing.T) {
	var c entries
	const pageLen = 1 << 13
	const n = 3*pageLen/chunkLen - 1 // as many as fill three pages, but for the first
	for i := range uint32(n) {
		first := c.newChunk()
		if first != (i+1)*chunkLen {
			t.Fatalf("chunk %d stands at %d", i, first)
		}
		for j := range uint32(chunkLen) {
			*c.at(first + j) = entry(first + j)
		}
	}
	if c.room != 3*pageLen {
		t.Fatalf("room for %d entries, want 3 pages of them", c.room)
	}
	for position := uint32(chunkLen); position < 3*pageLen; position++ {
		if *c.at(position) != entry(position) {
			t.Fatalf("the entry at %d holds %d", position, *c.at(position))
		}
	}
	for _, l := range []list{5*chunkLen + 1, 3*chunkLen + 15, 4*chunkLen + 7} {
		c.freeChunk(l)
	}
	for _, want := range []uint32{4 * chunkLen, 3 * chunkLen, 5 * chunkLen, 3 * pageLen} {
		if got := c.newChunk(); got != want {
			t.Errorf("took the chunk at %d, want %d", got, want)
		}
	}
}

// To ask for what comes next is allowed everywhere: at the end of a list, too.
func TestLookAheadAtTheEndOfAList(t *testing.T) {
	var c entries
	c.prefetchAfter(0)
	l := list(0)
	for range 3 * chunkLen {
		l = c.push(l, 1)
	}
	for l != 0 {
		link, _ := c.chunk(l)
		c.prefetchAfter(*link)
		l, _ = linksOf(*link)
	}
}

func TestEntryHoldsIndexStampAndDeadline(t *testing.T) {
	for _, index := range []uint32{0, 1, 1 << 31, math.MaxUint32} {
		for _, stamp := range []uint16{0, 1, 1 << 8, 1 << 15, math.MaxUint16} {
			for _, deadline := range []structures.Tick{0, 1, 255, 256, 1<<16 - 1, 1 << 16, 1 << 40, last - 1, last} {
				e := newEntry(index, stamp, deadline)
				if e.index() != index || e.version() != stamp || uint16(e) != uint16(deadline) {
					t.Fatalf("the entry of %d, %d, %d is %#x", index, stamp, deadline, e)
				}
			}
		}
	}
}

// keepStamp makes the next change of a timer's stamp bring back the one that its
// entry has, as the 65,536th one would: the entry passes for a live one from then
// on. It reports whether the timer has an entry.
func keepStamp(w *Wheel[int], id structures.ID) bool {
	r := w.records.at(uint32(id))
	if !r.state.pendingInSlot() {
		return false
	}
	r.state -= nextVersion
	return true
}

// Where every entry that dies passes for a live one, all goes as it should, as what
// fires is decided by the record.
func TestEntriesThatPassForLiveOnes(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		if g.slotCount() > 10_000 {
			t.Skip("to check it is slow, and no more than the small ones show")
		}
		rng := rand.New(rand.NewPCG(5, uint64(g.ringBits)))
		s := newTracker(t, newWheel[int](g))
		deadline := func() structures.Tick {
			return s.w.clock + 1 + structures.Tick(rng.Uint64N(1<<(1+rng.IntN(14))))
		}
		for range 3000 {
			switch rng.IntN(6) {
			case 0, 1:
				if len(s.ids) < 40 {
					s.schedule(deadline())
				}
			case 2, 3:
				if len(s.ids) > 0 {
					id, to := s.ids[rng.IntN(len(s.ids))], deadline()
					if to < s.pending[id] {
						keepStamp(s.w, id)
					}
					s.reschedule(id, to)
				}
			case 4:
				if len(s.ids) > 0 {
					i := rng.IntN(len(s.ids))
					keepStamp(s.w, s.ids[i])
					s.cancel(i)
				}
			case 5:
				s.pop(s.w.clock+structures.Tick(rng.IntN(9)), math.MaxInt)
			}
			if rng.IntN(4) == 0 {
				s.w.Next()
			}
			mustHold(t, s.w)
		}
		s.drain()
		s.pop(math.MaxInt64-1, 1)
		if s.w.dead != 0 {
			t.Fatalf("%d dead entries are left", s.w.dead)
		}
	})
}
