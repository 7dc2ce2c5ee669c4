package trace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/hwheellinux"
	"github.com/timerbench/timerbench/structures/minheap"
	"github.com/timerbench/timerbench/structures/rbtree"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func recorder[T any](t testing.TB, s structures.Scheduler[T], out io.Writer) *Recorder[T] {
	t.Helper()
	w, err := NewWriter(out, testHeader)
	fail.If(t, err)
	return NewRecorder(s, w)
}

// A program must not notice that it is recorded, except by the buffers, which grow with the first chunks.
func TestARecorderKeepsTheContract(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return recorder(t, rbtree.New[uint64](), io.Discard) }, schedtest.FIFO(), schedtest.Allocates())
}

// program is an unruly user of timers: it stops popping at any time, performs other operations in
// between, and uses stale IDs and deadlines in the past.
type program struct {
	s   structures.Scheduler[uint64]
	r   *rand.Rand
	now structures.Tick
	ids []structures.ID

	scheduled, moved, cancelled, refused, fired uint64
}

func (p *program) step() {
	switch p.r.IntN(10) {
	case 0, 1, 2, 3:
		p.ids = append(p.ids, p.s.Schedule(p.deadline(), p.scheduled))
		p.scheduled++
	case 4:
		p.count(p.s.Reschedule(p.id(), p.deadline()), &p.moved)
	case 5:
		p.count(p.s.Cancel(p.id()), &p.cancelled)
	case 6, 7:
		p.pop(p.r.IntN(4))
	case 8:
		p.now = p.in(structures.Tick(p.r.IntN(40)) - 2) // now and then it goes back
	case 9:
		p.pop(math.MaxInt)
	}
}

func (p *program) pop(most int) {
	for range most {
		if _, ok := p.s.Pop(p.now); !ok {
			return
		}
		p.fired++
		if p.r.IntN(2) == 0 {
			p.step()
		}
	}
}

func (p *program) deadline() structures.Tick {
	return p.in(structures.Tick(p.r.IntN(60)*p.r.IntN(3)) - 5)
}

// in returns the tick that is ticks from now, or the last tick.
func (p *program) in(ticks structures.Tick) structures.Tick {
	at := p.now + ticks
	if ticks > 0 && at < p.now {
		return math.MaxInt64
	}
	return at
}

func (p *program) id() structures.ID {
	if len(p.ids) == 0 {
		return 0
	}
	return p.ids[max(0, len(p.ids)-1-p.r.IntN(60))]
}

func (p *program) count(ok bool, done *uint64) {
	if !ok {
		done = &p.refused
	}
	*done++
}

// For any program, all exact structures agree on the trace. The reader would refuse any other trace.
func TestUnrulyProgramsLeaveSoundTraces(t *testing.T) {
	for _, e := range catalog.All() {
		if !e.Exact() {
			continue
		}
		for seed := range uint64(8) {
			var out bytes.Buffer
			rec := recorder(t, e.New(), &out)
			p := &program{s: rec, r: rand.New(rand.NewPCG(seed, 0))}
			if seed >= 5 { // it gets to the end of time
				p.now = math.MaxInt64 - 2000
				p.pop(1)
			}
			for range 3000 {
				p.step()
			}
			p.pop(math.MaxInt)
			for { // the last pop may have been stopped by a step within it
				if _, ok := rec.Pop(p.now); !ok {
					break
				}
				p.fired++
			}
			fail.If(t, rec.Close(), e.Name, seed)
			_, r := mustRead(t, out.Bytes())
			got := r.Totals()
			refused := got.Ops[RefusedCancel] + got.Ops[RefusedReschedule]
			if got.Ops[Schedule] != p.scheduled || got.Ops[Reschedule] != p.moved || got.Ops[Cancel] != p.cancelled ||
				refused != p.refused || got.Fired != p.fired || got.Pending() != uint64(rec.Len()) {
				t.Errorf("%s, seed %d: the trace holds %+v, the program did %+v", e.Name, seed, got, p)
			}
			if p.moved == 0 || p.cancelled == 0 || p.refused == 0 || p.fired == 0 {
				t.Errorf("%s, seed %d: the program left something out: %+v", e.Name, seed, p)
			}
		}
	}
}

// Operations between two pops of one wake-up are recorded in their place.
func TestAWakeUpIsSplitOnlyBetweenDeadlines(t *testing.T) {
	var out bytes.Buffer
	rec := recorder(t, hwheel.New[uint64](), &out)
	for _, at := range []structures.Tick{5, 7, 7, 9} {
		rec.Schedule(at, 0)
	}
	for range 4 {
		rec.Pop(10)
		rec.Schedule(3, 0) // counts as 11
	}
	rec.Pop(10)
	fail.If(t, rec.Close())
	var got []string
	ops, _ := mustRead(t, out.Bytes())
	for _, op := range ops[4:] {
		if op.Kind == Advance {
			got = append(got, string(rune('0'+op.At))+strings.Repeat("!", len(op.Fired)))
		} else {
			got = append(got, op.Kind.String()[:1])
		}
	}
	fail.UnlessSame(t, "the operations", got, []string{"s", "6!", "s", "s", "8!!", "s", ":!"})
}

func TestACloseWithinAWakeUpLeavesTheLastTickPending(t *testing.T) {
	var out bytes.Buffer
	rec := recorder(t, hwheel.New[uint64](), &out)
	for _, at := range []structures.Tick{5, 7, 7} {
		rec.Schedule(at, 0)
	}
	rec.Pop(10)
	rec.Pop(10)
	fail.If(t, rec.Close())
	if _, r := mustRead(t, out.Bytes()); r.Totals().Fired != 1 || r.Totals().Pending() != 2 {
		t.Errorf("totals %+v", r.Totals())
	}
	if rec.Close() != nil || rec.Schedule(100, 0) == 0 || rec.Len() != 2 {
		t.Error("the structure cannot be used after Close, or a second Close fails")
	}
}

// lying is a structure that breaks the contract in a certain way.
type lying struct {
	*minheap.Heap[uint64]
	fault string
}

func (l lying) Cancel(structures.ID) bool { return true }

func (l lying) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := l.Heap.Pop(now)
	if l.fault == "deadline" {
		t.Deadline++
	}
	return t, ok
}

func TestWhatCannotBeRecordedIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		s    structures.Scheduler[uint64]
		use  func(s structures.Scheduler[uint64])
		want string
	}{
		"a structure in use": {
			func() structures.Scheduler[uint64] { h := minheap.New[uint64](); h.Schedule(3, 0); return h }(),
			func(structures.Scheduler[uint64]) {}, "1 timers were pending before",
		},
		"a clock that has moved": {
			func() structures.Scheduler[uint64] { h := minheap.New[uint64](); h.Pop(100); return h }(),
			func(s structures.Scheduler[uint64]) { s.Schedule(3, 0); s.Pop(200) }, "deadline 101, want 3",
		},
		"a coarse structure": {
			hwheellinux.New[uint64](),
			func(s structures.Scheduler[uint64]) {
				for i := range structures.Tick(1000) {
					s.Schedule(1000+i, 0)
				}
				for now := range structures.Tick(3000) {
					for range structures.Due(s, now) {
					}
				}
			}, "only exact structures can be recorded",
		},
		"a cancel of nothing": {
			lying{minheap.New[uint64](), ""},
			func(s structures.Scheduler[uint64]) { s.Cancel(5) }, "was pending and never scheduled",
		},
		"a wrong deadline": {
			lying{minheap.New[uint64](), "deadline"},
			func(s structures.Scheduler[uint64]) { s.Schedule(3, 0); s.Pop(3) }, "deadline 4, want 3",
		},
	} {
		var out bytes.Buffer
		rec := recorder(t, c.s, &out)
		c.use(rec)
		fail.UnlessError(t, rec.Close(), c.want)
		if _, _, err := read(out.Bytes()); !errors.Is(err, ErrCutShort) {
			t.Errorf("%s: the trace reads with error %v", name, err)
		}
	}
}
