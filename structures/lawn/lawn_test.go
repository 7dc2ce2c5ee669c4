package lawn

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity)
	whitebox.Variants(t, []int{8}, sized)
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return sized(8) })
}

func sized(lists int) structures.Scheduler[uint64] { return newLawn[uint64](lists, 0) }

// run is a Lawn whose core a test looks into.
type run struct {
	*testing.T
	*Lawn[int]
	c *core
}

func newRun(t *testing.T, lists int) run {
	l := newLawn[int](lists, 0)
	_, q := fifo.Parts(&l.base)
	return run{t, l, q.(*core)}
}

// inLists returns how many lists are in use.
func (r run) inLists() (n int) {
	for _, l := range r.c.lists {
		if !l.Empty() {
			n++
		}
	}
	return n
}

// Sixteen delays want the eight lists. Those with two timers keep theirs, and a list with
// a single timer, or none, is given up.
func TestListsAreTakenOver(t *testing.T) {
	r := newRun(t, 8)
	schedule := func(delay structures.Tick) structures.ID { return r.Schedule(r.c.nodes.Clock+delay, int(delay)) }
	wants := func(what string, lists, heap int) {
		t.Helper()
		r.Next()
		checking.Sound(t, r)
		if got := r.inLists(); got != lists || r.c.heap.Len() != heap {
			t.Fatalf("%s: %d lists, %d timers in the heap, want %d and %d", what, got, r.c.heap.Len(), lists, heap)
		}
	}
	var ids []structures.ID
	for delay := structures.Tick(1); delay <= 8; delay++ {
		schedule(100 * delay)
		ids = append(ids, schedule(100*delay))
	}
	wants("eight delays, two timers each", 8, 8)
	schedule(1000)
	wants("a ninth delay gets no list", 8, 9)
	r.Cancel(ids[1])
	for range 8 {
		schedule(1000)
	}
	// The list of 200 has a single timer, and one of the eight attempts reaches it: 1000 has the list from then on.
	if r.Next(); r.inLists() != 8 || r.c.heap.Len() <= 9 || r.c.heap.Len() > 8+1+8+1 {
		t.Fatalf("%d lists, %d in the heap", r.inLists(), r.c.heap.Len())
	}
	before := r.c.heap.Len()
	schedule(1000)
	wants("it has a list now", 8, before)
	for range structures.Due(r.Lawn, 5000) {
	}
	wants("all have fired", 0, 0)
	for delay := structures.Tick(2001); delay < 2050; delay++ {
		schedule(delay)
		schedule(delay)
		wants("lists that are empty are used again", 1, 1)
		for range structures.Due(r.Lawn, r.c.nodes.Clock+delay) {
		}
	}
}

// Evenly spaced delays, as programs use them, find a list nearly always.
func TestFewDelaysHaveLists(t *testing.T) {
	for _, step := range []structures.Tick{1, 10, 50, 100, 250, 1000, 1024, 60_000, 1 << 20, 1_000_000_000} {
		for _, delays := range []int{16, 64} {
			r := newRun(t, 256)
			for range 2 {
				for d := range structures.Tick(delays) {
					r.Schedule((d+1)*step, 0)
				}
			}
			if r.Next(); r.inLists() < delays-delays/16 {
				t.Errorf("%d delays, %d ticks apart: %d have a list", delays, step, r.inLists())
			}
		}
	}
}
