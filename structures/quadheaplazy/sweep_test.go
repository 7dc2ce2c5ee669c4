package quadheaplazy

import (
	"math/rand/v2"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
)

// The worst case for the sweep: between passes entries near the root die, which the next
// pass examines last, and during a pass those that it has examined.
func TestDeadEntriesAreFewAtWorst(t *testing.T) {
	const n = 20_000
	h := New[int]()
	for i := range n {
		h.Schedule(structures.Tick(i), i) // each entry stays where it comes
	}
	c := &h.core
	rng := rand.New(rand.NewPCG(1, 2))
	most := 0
	for h.Len() > n/2 {
		from, to := dary.Root, len(c.heap)/5
		if c.cursor > dary.Root && c.cursor < len(c.heap) {
			from, to = c.cursor, len(c.heap)
		}
		e := c.heap[from+rng.IntN(to-from)]
		if c.isDead(e) {
			continue
		}
		h.Cancel(h.table.ID(e.ref.slot()))
		if most = max(most, 1000*c.dead/len(c.heap)); c.dead > len(c.heap)/4+slack {
			t.Fatalf("%d left: %d of %d entries are dead", h.Len(), c.dead, len(c.heap))
		}
	}
	if most < 225 {
		t.Fatalf("at most %d of 1000 entries were dead: this is not the worst", most)
	}
}

// Heaps of every small size, with the cursor everywhere, any entries dead, and a
// new entry that goes up any way: no entry that was dead before the cursor may be behind
// it afterwards.
func TestNoDeadEntryEscapesFromAnyHeap(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for cursor := dary.Root + 1; cursor < dary.Root+n; cursor++ {
			for seed := range uint64(25) {
				rng := rand.New(rand.NewPCG(seed, uint64(n*100+cursor)))
				h := New[int]()
				c := &h.core
				var ids []structures.ID
				for i := range n {
					ids = append(ids, h.Schedule(structures.Tick(10+rng.IntN(3*n)), i))
				}
				for _, id := range ids {
					if rng.IntN(2) == 0 {
						h.Cancel(id)
					}
				}
				ahead := map[ref]bool{}
				for i, e := range c.heap[dary.Root:] {
					if dary.Root+i < cursor && c.isDead(e) {
						ahead[e.ref] = true
					}
				}
				c.cursor = cursor
				// A slot of its own, as a dead entry might be taken over.
				slot := uint32(n + 1)
				c.set(slot, structures.Tick(1+rng.IntN(2*n)))
				for i := c.cursor; i < len(c.heap); i++ {
					if ahead[c.heap[i].ref] {
						t.Fatalf("%d entries, cursor %d, seed %d: a dead one has escaped to %d", n, cursor, seed, i)
					}
				}
			}
		}
	}
}

// Whatever is done during a pass, at its end each entry was dropped that was dead at its
// beginning and still is.
func TestAPassDropsAllThatWereDead(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		h := New[int]()
		c := &h.core
		var ids []structures.ID
		clock := structures.Tick(0)
		deadline := func() structures.Tick { return clock + 1 + structures.Tick(rng.IntN(1000)) }
		dead := map[ref]bool{}
		for range 40 + rng.IntN(200) {
			ids = append(ids, h.Schedule(deadline(), 0))
		}
		for range len(ids) / 8 {
			h.Cancel(ids[rng.IntN(len(ids))])
		}
		c.beginPass()
		for _, e := range c.heap[dary.Root:] {
			if c.isDead(e) {
				dead[e.ref] = true
			}
		}
		for calls := 0; c.cursor > dary.Root; calls++ {
			if calls > 10_000 {
				t.Fatalf("seed %d: the pass does not end, it is at %d", seed, c.cursor)
			}
			switch i := rng.IntN(len(ids)); rng.IntN(8) {
			case 0, 1, 2:
				ids = append(ids, h.Schedule(deadline(), 0))
			case 3:
				h.Cancel(ids[i])
			case 4:
				h.Reschedule(ids[i], deadline())
			case 5:
				clock += structures.Tick(rng.IntN(20))
				h.Pop(clock)
			default:
				c.sweep(1 + rng.IntN(3))
			}
			for r := range dead { // those that another timer took over live again
				if m := c.marks[r.slot()]; m.with(exact) == r.mark() && m&state != vacant {
					delete(dead, r)
				}
			}
			if err := h.CheckInvariants(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		for i, e := range c.heap[dary.Root:] {
			if dead[e.ref] {
				t.Fatalf("seed %d: entry %d is still there", seed, dary.Root+i)
			}
		}
	}
}
