package quadheaplazy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
)

// promised is the largest number of entries that a call examines, as the package says.
const promised = 20

// In whatever order timers are removed, no more of the heap is ever dead than promised, and
// no call sweeps more entries than promised.
func TestDeadEntriesAreFew(t *testing.T) {
	const n = 20_000
	for name, order := range map[string]func(ids []structures.ID, rng *rand.Rand){
		"earliest first": func([]structures.ID, *rand.Rand) {},
		"latest first":   func(ids []structures.ID, _ *rand.Rand) { slices.Reverse(ids) },
		"in any order": func(ids []structures.ID, rng *rand.Rand) {
			rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		},
		"from the middle": func(ids []structures.ID, _ *rand.Rand) {
			copy(ids, slices.Concat(ids[n/3:], ids[:n/3]))
		},
	} {
		for kind, remove := range map[string]func(h *Heap[int], id structures.ID, i int){
			"cancelled": func(h *Heap[int], id structures.ID, _ int) { h.Cancel(id) },
			"moved":     func(h *Heap[int], id structures.ID, i int) { h.Reschedule(id, n-structures.Tick(i)) },
			"cancelled and fired": func(h *Heap[int], id structures.ID, i int) {
				if h.Cancel(id); i%3 == 0 {
					h.Pop(3 * n)
				}
			},
			"cancelled and followed": func(h *Heap[int], id structures.ID, i int) {
				if h.Cancel(id); i%2 == 0 {
					h.Schedule(n-structures.Tick(i), 0)
				}
			},
		} {
			t.Run(fmt.Sprintf("%s, %s", kind, name), func(t *testing.T) {
				h := New[int]()
				c := &h.core
				rng := rand.New(rand.NewPCG(1, 2))
				ids := make([]structures.ID, n)
				for i, at := range rng.Perm(n) {
					ids[at] = h.Schedule(structures.Tick(n+at), i)
				}
				order(ids, rng)
				for i, id := range ids {
					cursor, dropped := c.cursor, c.work.Dropped
					remove(h, id, i)
					if c.dead > len(c.heap)/4+slack {
						t.Fatalf("%d timers gone: %d of %d entries are dead", i+1, c.dead, len(c.heap))
					}
					if steps := cursor - c.cursor; kind != "cancelled and fired" && cursor > c.cursor && steps > promised {
						t.Fatalf("%d timers gone: one call went from %d to %d", i+1, cursor, c.cursor)
					}
					if dropped := c.work.Dropped - dropped; kind == "cancelled" && dropped > promised {
						t.Fatalf("%d timers gone: one call dropped %d", i+1, dropped)
					}
					if i%(n/16) == 0 {
						if err := h.CheckInvariants(); err != nil {
							t.Fatal(err)
						}
					}
				}
				if room := mostEntries(n); len(c.heap) > room {
					t.Fatalf("%d entries, more than the %d for %d timers", len(c.heap), room, n)
				}
			})
		}
	}
}

// In its long form this test has half a million dead entries.
func TestDeadEntriesAreFewAmongMany(t *testing.T) {
	n := longtest.Scale(t, 20_000, 1<<18, 5<<19)
	h := New[int](Capacity(n))
	ids := make([]structures.ID, n)
	for i := range ids {
		ids[i] = h.Schedule(structures.Tick(i), i)
	}
	dead := 0
	for i, id := range ids[:n/2] {
		h.Cancel(id)
		dead = max(dead, h.core.dead)
		if h.core.dead > len(h.core.heap)/4+slack {
			t.Fatalf("%d timers cancelled: %d of %d entries are dead", i+1, h.core.dead, len(h.core.heap))
		}
	}
	if dead < n/8 {
		t.Fatalf("at most %d entries of %d timers were dead", dead, n)
	}
}

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

// A new entry passes the cursor and pushes a dead one past it.
func TestNoDeadEntryEscapesThePass(t *testing.T) {
	h := newNamed(10, 20, 30, 40, 50, 21, 22)
	h.cancel(20)
	h.core.beginPass()
	h.core.sweep(4)
	if want := dary.Root + 3; h.core.cursor != want {
		t.Fatalf("cursor %d, want %d", h.core.cursor, want)
	}
	h.schedule(5)
	if want := ticks(5, 10, 30, 40, 50, 21, 22); !slices.Equal(h.filed(), want) {
		t.Fatalf("heap %d, want %d", h.filed(), want)
	}
	if err := h.CheckInvariants(); err != nil {
		t.Fatal(err)
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
