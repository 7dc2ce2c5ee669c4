package script

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

// busy cancels and moves timers with short and long delays. It knows which dead entries it has left.
type busy struct {
	deadlines map[uint32]structures.Tick
	dead      []structures.Tick
	asks      bool // for the next deadline, at which the Writer drops dead entries before they are due
}

func (p *busy) set(w *Writer, r *Rand) (deadline structures.Tick) {
	return w.Now() + 1 + structures.Tick(r.IntN(300))
}

func (p *busy) Fill(w *Writer, r *Rand) {
	for range 20 {
		at := p.set(w, r)
		p.deadlines[w.Schedule(at)] = at
	}
}

func (p *busy) Step(w *Writer, r *Rand) {
	key, at := w.AnyPending(r), p.set(w, r)
	p.dead = append(p.dead, p.deadlines[key])
	if r.IntN(2) == 0 {
		w.Reschedule(key, at)
		p.deadlines[key] = at
	} else {
		w.Cancel(key)
		p.deadlines[w.Schedule(at)] = at
	}
	to := w.Now() + structures.Tick(r.IntN(20))
	for _, at := range p.deadlines {
		to = min(to, at) // a stale deadline only makes the step shorter
	}
	if p.asks {
		w.NextDeadline()
	}
	for range w.Advance(max(to, w.Now())) {
		at := p.set(w, r)
		p.deadlines[w.Schedule(at)] = at
	}
}

// Dead entries are counted exactly: when they are made, and when the clock reaches their deadline, whether or not the
// Writer has dropped them before.
func TestDeadEntriesAreCountedExactly(t *testing.T) {
	for _, asks := range []bool{false, true} {
		p := &busy{deadlines: make(map[uint32]structures.Tick), asks: asks}
		s := New(p, NewRand(3, 4), 0)
		s.Fill()
		for range 200 {
			got, want := s.Next(20, nil).End.Passage, Passage{Made: uint64(len(p.dead))}
			for _, at := range p.dead {
				if at <= s.Now() {
					want.Due++
				}
			}
			if got != want {
				t.Fatalf("asks %t: at tick %d %+v, want %+v", asks, s.Now(), got, want)
			}
		}
		if all := s.writer.tally.Passage; all.Due < all.Made/2 || all.Due == all.Made {
			t.Errorf("asks %t: %+v at the end: want a script in which most come due", asks, all)
		}
	}
	var tally Tally
	for i := range 3 * keptDelays {
		tally.Set(structures.Tick(i))
	}
	fail.UnlessSame(t, "the median of the last delays", tally.MedianDelay(), 5*keptDelays/2)
}

// The warm-up ends when the population was replaced and dead entries come due at nine tenths of the rate at which they are
// made, and at a limit if they never do.
func TestTheWarmUpEndsInTheSteadyState(t *testing.T) {
	due := func(operations int) uint64 { return uint64(max(0, operations-60_000)) / 2 } // half of the operations leave a dead entry
	for name, test := range map[string]struct {
		passed   func(operations int) Passage
		from, to int
	}{
		"nothing cancelled": {func(int) Passage { return Passage{} }, 20_000, 22_000},
		"due at once":       {func(o int) Passage { return Passage{uint64(o) / 2, uint64(o) / 2} }, 20_000, 22_000},
		"due later":         {func(o int) Passage { return Passage{uint64(o) / 2, due(o)} }, 61_000, 66_500},
		"never due":         {func(o int) Passage { return Passage{uint64(o) / 2, 0} }, 150_000, 152_000},
	} {
		w := NewWarmUp(10_000, 150_000)
		w.Note(&Block{})
		for !w.Done() {
			operations := w.Operations() + w.Size(1_200)
			w.Note(&Block{End: Moment{Operations: operations, Passage: test.passed(operations)}})
		}
		if got := w.Operations(); got < test.from || got > test.to {
			t.Errorf("%s: %d operations, want %d to %d", name, got, test.from, test.to)
		}
	}
	if sizes := []int{NewWarmUp(10, 0).Size(1 << 20), NewWarmUp(1<<20, 0).Size(1 << 20), NewWarmUp(1<<20, 0).Size(5_000)}; !slices.Equal(sizes, []int{1_000, 1 << 17, 5_000}) {
		t.Errorf("blocks of %d operations", sizes)
	}
}
