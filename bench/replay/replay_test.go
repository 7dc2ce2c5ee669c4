package replay_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/loops"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// testN is the size at which tests run a workload without a size of its own.
const testN = 200

// testSize returns the size at which tests run a workload. Large workloads are scaled down.
func testSize(w workload.Workload) int {
	if w.Resident > 0 {
		return min(w.Resident, 1_000)
	}
	return testN
}

// begun returns a new instance.
func begun(e entry.Entry) *replay.Instance {
	i := replay.New(e)
	if err := i.Begin(0); err != nil {
		panic(err)
	}
	return i
}

// check replays a block and checks the outcome.
func check(p replay.Player, b *script.Block, every bool) error {
	_, err := p.Replay(b, every)
	return errors.Join(err, p.Check(nil))
}

// written is a script with its blocks, the first of which is the fill.
type written struct {
	*script.Script
	blocks  []*script.Block
	samples *replay.Latencies
}

func write(w workload.Workload, seed uint64) written {
	s := w.Script(testSize(w), seed)
	out := written{s, []*script.Block{s.Fill()}, replay.NewLatencies()}
	for range 4 {
		out.blocks = append(out.blocks, s.Next(1000, nil))
	}
	return out
}

// allReplays replays the blocks of a script in all ways and returns the first failure of the proof.
func allReplays(e entry.Entry, w written) error {
	i, floor := begun(e), strings.HasSuffix(e.Name, "null")
	for number, b := range w.blocks {
		switch number {
		case 2:
			i.TimeByKind(b, 0)
		case 3:
			i.Sample(b, w.samples)
		default:
			if _, err := i.Replay(b, number == 4 && !floor); err != nil {
				return err
			}
		}
		if err := i.Check(nil); err != nil {
			return err
		}
	}
	return i.Check(w.Pending)
}

func TestEveryStructureAgreesWithTheGenerator(t *testing.T) {
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			floor, inStructs := replay.Floors()
			entries := slices.Concat(catalog.All(), loops.With(catalog.Intrusive()), []entry.Entry{floor, inStructs})
			for seed := range uint64(longtest.Scale(t, 1, 1, 3)) {
				script := write(w, seed)
				for _, e := range entries {
					if err := allReplays(e, script); err != nil {
						t.Errorf("%s, seed %d: %v", e.Name, seed, err)
					}
				}
			}
		})
	}
}

// faulty is a correct heap with one fault, which the proof must find. The fault occurs at every hundredth call.
type faulty struct {
	*minheap.Heap[uint64]
	fault string
	calls int
	held  []structures.Timer[uint64] // popped from the heap, returned by the next Pop
}

func (f *faulty) has(fault string) bool {
	if f.fault == fault {
		f.calls++
	}
	return f.fault == fault && f.calls%100 == 0
}

func (f *faulty) Schedule(deadline structures.Tick, value uint64) structures.ID {
	switch {
	case f.has("loses a timer"):
		return 0
	case f.has("fires a tick early"):
		deadline--
	case f.has("fires a tick late"):
		deadline++
	case f.has("mixes values up"):
		value++
	}
	return f.Heap.Schedule(deadline, value)
}

func (f *faulty) Cancel(id structures.ID) bool {
	if f.has("forgets a cancel") {
		return true
	}
	return f.Heap.Cancel(id) && !f.has("refuses a cancel") || f.has("accepts an old ID")
}

func (f *faulty) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return f.has("forgets to move") || f.Heap.Reschedule(id, deadline)
}

func (f *faulty) Pop(now structures.Tick) (t structures.Timer[uint64], ok bool) {
	if len(f.held) > 0 {
		t, f.held = f.held[0], f.held[1:]
		return t, true
	}
	if t, ok = f.Heap.Pop(now); !ok {
		return t, false
	}
	switch {
	case f.has("fires twice"):
		f.held = append(f.held, t)
	case f.has("fires under a wrong ID"):
		t.ID++
	case f.fault == "swaps values of a tick":
		if u, ok := f.Heap.Pop(now); ok {
			if u.Deadline == t.Deadline && f.has(f.fault) {
				t.Value, u.Value = u.Value, t.Value
			}
			f.held = append(f.held, u)
		}
	}
	return t, true
}

func (f *faulty) Next() (structures.Tick, bool) {
	at, ok := f.Heap.Next()
	if f.has("names a tick too late") {
		at++
	}
	return at, ok
}

func (f *faulty) Len() int {
	n := f.Heap.Len() + len(f.held)
	if f.has("counts wrong") {
		n++
	}
	return n
}

func faultyEntry(fault string) entry.Entry {
	return entry.Entry{Name: "faulty", New: func() structures.Scheduler[uint64] {
		return &faulty{Heap: minheap.New[uint64](), fault: fault}
	}}
}

func TestTheProofFindsEveryFault(t *testing.T) {
	for _, c := range []struct {
		fault, workload string
		says            string // by the prover; empty: it is not asked
	}{
		{"", "mixed", ""}, {"", "cron-aligned", ""},
		{"loses a timer", "mixed", ""}, {"fires a tick early", "mixed", ""}, {"fires a tick late", "mixed", ""}, {"mixes values up", "mixed", ""},
		{"refuses a cancel", "mixed", ""}, {"forgets a cancel", "mixed", ""}, {"forgets to move", "mixed", ""}, {"fires twice", "mixed", ""},
		{"swaps values of a tick", "cron-aligned", "and ID"}, {"fires under a wrong ID", "mixed", "and ID"},
		{"accepts an old ID", "start-stop", "is accepted"}, {"names a tick too late", "hold", "Next had named"}, {"counts wrong", "churn", "Len is"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			w, _ := workload.Find(c.workload)
			err := allReplays(faultyEntry(c.fault), write(w, 1))
			if found := err != nil; found != (c.fault != "") {
				t.Errorf("a structure that %s on %s: error %v", c.fault, c.workload, err)
			}
			s, tested := w.Script(testSize(w), 1), begun(faultyEntry(c.fault))
			if err := check(tested, s.Fill(), false); err != nil || c.says == "" {
				return
			}
			_, err = tested.Replay(s.Next(20_000, nil), true)
			fail.UnlessError(t, err, c.says)
		})
	}
}

// The checksums of timed blocks find these faults without the prover.
func TestTimedBlocksShowWrongIDsAndSwappedValues(t *testing.T) {
	w, _ := workload.Find("cron-aligned")
	for _, fault := range []string{"", "swaps values of a tick", "fires under a wrong ID"} {
		s := w.Script(testSize(w), 1)
		i, b := begun(faultyEntry(fault)), s.Fill()
		for range 5 {
			if _, err := i.Replay(b, false); err != nil {
				t.Fatal(err)
			}
			b = s.Next(5000, nil)
		}
		err := errors.Join(check(i, b, false), i.Check(s.Pending))
		if found := err != nil; found != (fault != "") {
			t.Errorf("a structure that %s: error %v", fault, err)
		}
	}
}

// The cost of reading the clock is taken out of the time of each kind, once for each reading. Times are whole
// nanoseconds, so a cost of 1/1024 ns leaves the number of readings behind the point.
func TestTheTimesByKindAreWithoutTheReadingsOfTheClock(t *testing.T) {
	const readNS = 1.0 / 1024
	w, _ := workload.Find("churn")
	e, _ := catalog.Find("minheap")
	i, s := begun(e), w.Script(100, 1)
	fail.If(t, check(i, s.Fill(), false))
	readings := 0
	for _, k := range i.TimeByKind(s.Next(500, nil), readNS) {
		readings += k.ClockReads
		if whole := k.NS + float64(k.ClockReads)*readNS; k.ClockReads == 0 || k.ClockReads%1024 == 0 || whole != math.Trunc(whole) {
			t.Errorf("%s: %v ns with %d readings", k.Kind, k.NS, k.ClockReads)
		}
	}
	if readings < 10 {
		t.Errorf("%d readings", readings)
	}
}
