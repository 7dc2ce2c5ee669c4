package quadheaplazy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) { whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity) }

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64]) }

func TestAnEntryTakes16Bytes(t *testing.T) {
	if size := unsafe.Sizeof(entry{}); size != 16 {
		t.Fatalf("an entry takes %d bytes, want 16", size)
	}
}

// named is a heap whose timers are named by their deadlines.
type named struct {
	*Heap[int]
	ids map[structures.Tick]structures.ID
}

func newNamed(deadlines ...structures.Tick) named {
	h := named{New[int](), map[structures.Tick]structures.ID{}}
	h.schedule(deadlines...)
	return h
}

func (h named) schedule(deadlines ...structures.Tick) {
	for _, d := range deadlines {
		h.ids[d] = h.Schedule(d, 0)
	}
}
func (h named) cancel(d structures.Tick)   { h.Cancel(h.ids[d]) }
func (h named) move(d, to structures.Tick) { h.Reschedule(h.ids[d], to); h.ids[to] = h.ids[d] }

// filed returns the deadlines in the heap, a dead entry's being negative.
func (h named) filed() (deadlines []structures.Tick) {
	for _, e := range h.core.heap[dary.Root:] {
		if h.core.isDead(e) {
			deadlines = append(deadlines, -e.deadline)
		} else {
			deadlines = append(deadlines, e.deadline)
		}
	}
	return deadlines
}

func ticks(deadlines ...structures.Tick) []structures.Tick { return deadlines }

// None of these reads or writes the heap.
func TestStoppingAndPushingOutLeaveTheHeapAlone(t *testing.T) {
	h := newNamed(50, 40, 30, 20, 10)
	before := slices.Clone(h.core.heap)
	h.core.heap = h.core.heap[:0] // any touch of an entry panics
	for _, d := range ticks(10, 30, 50) {
		h.cancel(d)
		h.schedule(d + 100)
		h.move(d+100, d+300)
		h.move(d+300, d+200)
	}
	h.core.heap = before
	checking.Sound(t, h)
	var got []structures.Tick
	for timer := range structures.Due(h.Heap, 1000) {
		got = append(got, timer.Deadline)
	}
	if want := ticks(20, 40, 210, 230, 250); !slices.Equal(got, want) {
		t.Fatalf("fired at %d, want %d", got, want)
	}
}

// When a version is used a second time, no entry has it any more: a pass of the sweep
// starts twice before that, after half of the versions and after all.
func TestVersionsComeRound(t *testing.T) {
	for _, version := range []mark{1<<29 - 1, 1<<30 - 1} {
		h := newNamed(100)
		h.core.marks[1] = version<<2 | exact
		h.core.heap[dary.Root].ref = newRef(1, h.core.marks[1])
		h.move(100, 90)
		if h.core.cursor > dary.Root || h.core.work.Dropped != 1 || !slices.Equal(h.filed(), ticks(90)) {
			t.Fatalf("version %#x: cursor %d, dropped %d, heap %d", version, h.core.cursor, h.core.work.Dropped, h.filed())
		}
		h.move(90, 80)
		if !slices.Equal(h.filed(), ticks(80, -90)) {
			t.Fatalf("version %#x: a pass when none was wanted: heap %d", version, h.filed())
		}
		checking.Sound(t, h)
		if timer, ok := h.Pop(1000); !ok || timer.Deadline != 80 {
			t.Fatalf("version %#x: fired %+v, %t", version, timer, ok)
		}
		if timer, ok := h.Pop(1000); ok {
			t.Fatalf("version %#x: fired again, %+v", version, timer)
		}
	}
}

func TestCapacityReservesRoom(t *testing.T) {
	for _, n := range []int{1, 2, 100, 1021, 5000} {
		heaps := []*Heap[int]{New[int](Capacity(n)), New[int](Capacity(n))} // AllocsPerRun runs twice
		rng := rand.New(rand.NewPCG(1, 2))
		ids := make([]structures.ID, n)
		if allocs := testing.AllocsPerRun(1, func() {
			h := heaps[0]
			heaps = heaps[1:]
			for i := range ids {
				ids[i] = h.Schedule(1<<40, i)
			}
			for left := 50 + 10*n; left > 0; left-- {
				// Ever earlier, so that each leaves a dead entry behind.
				h.Reschedule(ids[rng.IntN(n)], structures.Tick(left))
			}
		}); allocs != 0 {
			t.Errorf("Capacity(%d): %v allocations for %d timers, want 0", n, allocs, n)
		}
	}
}

// CheckInvariants notices more dead entries than the sweep leaves.
func TestCheckInvariantsCountsDeadEntries(t *testing.T) {
	c := newCore(0)
	for slot := uint32(1); slot <= 100; slot++ {
		c.set(slot, 1000)
	}
	for slot := uint32(1); slot <= 70; slot++ {
		c.marks[slot] = c.marks[slot].with(vacant)
		c.dead++
	}
	if err := (&snapshot.Builder{}).Check(&c, 30); err == nil || !strings.Contains(err.Error(), "are dead") {
		t.Errorf("70 of 100 entries are dead: %v", err)
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

// Whatever is done during a pass, at its end each entry was dropped that was dead at its beginning and still is.
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
