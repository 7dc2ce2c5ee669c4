package fifo

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Slots up to a revolution after a cursor that moves on are filled, emptied and taken.
func TestRingFindsTheFirstSlotThatHoldsATimer(t *testing.T) {
	const slots = 128
	rng := rand.New(rand.NewPCG(1, 2))
	r, ls := NewRing(slots), New(0)
	in := map[structures.Tick][]uint32{} // by slot
	cursor := structures.Tick(0)
	for timer := uint32(1); timer <= 5000; timer++ {
		slot := cursor + structures.Tick(rng.IntN(slots))
		ls.SetDeadline(timer, slot)
		r.Push(&ls, slot, timer)
		in[slot] = append(in[slot], timer)
		switch first, ok := r.First(cursor); rng.IntN(4) {
		case 0:
			r.Remove(&ls, slot, timer)
			in[slot] = in[slot][:len(in[slot])-1]
		case 1:
			if got := r.Lists[r.Index(first)].Front(); !ok || got != in[first][0] {
				t.Fatalf("the first of slot %d is timer %d, %t, want %v", first, got, ok, in[first])
			}
			r.Remove(&ls, first, in[first][0])
			in[first] = in[first][1:]
		case 2:
			for slot := cursor; slot < first; slot++ {
				if len(in[slot]) > 0 || !r.Lists[r.Index(slot)].Empty() {
					t.Fatalf("the first slot is %d, but %d holds %v", first, slot, in[slot])
				}
			}
			if l := r.Take(first); !ok || l.Front() != in[first][0] {
				t.Fatalf("slot %d begins with timer %d, want %v", first, l.Front(), in[first])
			}
			delete(in, first)
			cursor = first + 1
		}
		b := newBuilder()
		if err := r.Walk(&ls, b, "ring", 0, cursor, cursor); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, timers := range in {
			want += len(timers)
		}
		if b.Count != want {
			t.Fatalf("%d timers in the ring, want %d", b.Count, want)
		}
	}
}
