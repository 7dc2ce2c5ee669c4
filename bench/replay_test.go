package bench

import (
	"context"
	"errors"
	"math"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// testN is the size at which tests run a workload without a size of its own.
const testN = 500

// testSize returns the size at which tests run a workload. Large workloads are scaled
// down.
func testSize(w workload.Workload) int {
	if w.Resident > 0 {
		return min(w.Resident, 10_000)
	}
	return testN
}

// contenderOf returns a contender with an empty structure.
func contenderOf(e catalog.Entry) *contender {
	return withStructure(&contender{row: results.Row{Structure: e.Name, Role: results.RoleStructure}, entry: e})
}

// withStructure creates the structure of a contender.
func withStructure(c *contender) *contender {
	c.replayer = &replayer{s: c.entry.New()}
	if !c.entry.Exact() {
		c.second = newCoarseReplayer(c.entry.New(), c.entry.MaxLate)
	}
	return c
}

// replayAs replays a block in one of the four ways and checks the outcome.
func (c *contender) replayAs(way int, b *script.Block) error {
	switch way % 4 {
	case 0:
		c.replayWhole(b)
	case 1:
		c.replayByKind(b, Clock{})
	case 2:
		c.replaySampled(b, newLatencies())
	case 3:
		return c.prove(b)
	}
	return c.check(b, c.snapshot())
}

// allReplays replays a workload in all ways and returns the first failure of the proof.
func allReplays(c *contender, w workload.Workload, seed uint64) error {
	s := w.Script(testSize(w), seed)
	b := s.Fill()
	defer c.stop()
	c.replayWhole(b)
	if err := c.check(b, c.snapshot()); err != nil {
		return err
	}
	for way := range 8 {
		b = s.Next(2000, b)
		if err := c.replayAs(way, b); err != nil {
			return err
		}
	}
	if c.second != nil {
		return nil
	}
	return c.checkBindings(s.Pending)
}

func TestEveryStructureAgreesWithTheGenerator(t *testing.T) {
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(longtest.Scale(t, 1, 1, 3)) {
				rows := cellConfig{workload: w}.contenders(catalog.All())
				for _, row := range rows {
					if err := allReplays(withStructure(row), w, seed); err != nil {
						t.Errorf("%s, seed %d: %v", row.row.Structure, seed, err)
					}
				}
			}
		})
	}
}

// faulty is a correct heap with one fault, which the proof must find. The fault occurs
// at every hundredth call.
type faulty struct {
	*minheap.Heap[uint64]
	fault string
	calls int
	last  structures.Timer[uint64]
	held  []structures.Timer[uint64] // popped from the heap, returned by the next Pop
}

func (f *faulty) everyHundredth() bool { f.calls++; return f.calls%100 == 0 }

func (f *faulty) Schedule(deadline structures.Tick, value uint64) structures.ID {
	switch {
	case f.fault == "loses a timer" && f.everyHundredth():
		return 0
	case f.fault == "fires a tick early" && f.everyHundredth():
		deadline--
	case f.fault == "fires a tick late" && f.everyHundredth():
		deadline++
	case f.fault == "mixes values up" && f.everyHundredth():
		value++
	}
	return f.Heap.Schedule(deadline, value)
}

func (f *faulty) Cancel(id structures.ID) bool {
	switch {
	case f.fault == "panics" && f.everyHundredth():
		panic("on purpose")
	case f.fault == "refuses a cancel" && f.everyHundredth():
		f.Heap.Cancel(id)
		return false
	case f.fault == "forgets a cancel" && f.everyHundredth():
		return true
	}
	return f.Heap.Cancel(id) || f.fault == "accepts an old ID" && f.everyHundredth()
}

func (f *faulty) Reschedule(id structures.ID, deadline structures.Tick) bool {
	if f.fault == "forgets to move" && f.everyHundredth() {
		return true
	}
	return f.Heap.Reschedule(id, deadline)
}

func (f *faulty) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.fault == "fires twice" && f.last.ID != 0 && f.everyHundredth() {
		t := f.last
		f.last = structures.Timer[uint64]{}
		return t, true
	}
	if len(f.held) > 0 {
		t := f.held[0]
		f.held = f.held[1:]
		return t, true
	}
	t, ok := f.Heap.Pop(now)
	if !ok {
		return t, false
	}
	switch {
	case f.fault == "fires under a wrong ID" && f.everyHundredth():
		t.ID++
	case f.fault == "swaps values of a tick":
		if u, ok := f.Heap.Pop(now); ok {
			if u.Deadline == t.Deadline && f.everyHundredth() {
				t.Value, u.Value = u.Value, t.Value
			}
			f.held = append(f.held, u)
		}
	}
	f.last = t
	return t, true
}

func (f *faulty) Next() (structures.Tick, bool) {
	at, ok := f.Heap.Next()
	if f.fault == "names a tick too late" && f.everyHundredth() {
		at++
	}
	return at, ok
}

func (f *faulty) Len() int {
	n := f.Heap.Len() + len(f.held)
	if f.fault == "counts wrong" && f.everyHundredth() {
		n++
	}
	return n
}

func faultyEntry(fault string) catalog.Entry {
	return catalog.Entry{Name: "faulty", New: func() structures.Scheduler[uint64] {
		return &faulty{Heap: minheap.New[uint64](), fault: fault}
	}}
}

func TestTheProofFindsEveryFault(t *testing.T) {
	for _, c := range []struct{ fault, workload string }{
		{"", "mixed"}, {"", "cron-aligned"},
		{"loses a timer", "mixed"}, {"fires a tick early", "mixed"}, {"fires a tick late", "mixed"}, {"mixes values up", "mixed"},
		{"refuses a cancel", "mixed"}, {"forgets a cancel", "mixed"}, {"forgets to move", "mixed"}, {"fires twice", "mixed"},
		{"swaps values of a tick", "cron-aligned"}, {"fires under a wrong ID", "mixed"},
		{"accepts an old ID", "start-stop"}, {"names a tick too late", "hold"}, {"counts wrong", "churn"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			w, _ := workload.Find(c.workload)
			err := allReplays(contenderOf(faultyEntry(c.fault)), w, 1)
			if found := err != nil; found != (c.fault != "") {
				t.Errorf("a structure that %s on %s: error %v", c.fault, c.workload, err)
			}
		})
	}
}

// The error of the prover says which answer is wrong.
func TestTheProverSaysWhichAnswerIsWrong(t *testing.T) {
	for _, c := range []struct{ fault, workload, want string }{
		{"swaps values of a tick", "cron-aligned", "and ID"}, {"fires under a wrong ID", "mixed", "and ID"},
		{"accepts an old ID", "start-stop", "is accepted"}, {"names a tick too late", "hold", "Next had named"},
		{"counts wrong", "churn", "Len is"},
	} {
		w, _ := workload.Find(c.workload)
		s := w.Script(testSize(w), 1)
		tested, b := contenderOf(faultyEntry(c.fault)), s.Fill()
		tested.replayWhole(b)
		if err := tested.prove(s.Next(20_000, b)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a structure that %s on %s: error %v, want %q", c.fault, c.workload, err, c.want)
		}
	}
}

// The checksums of timed blocks find these faults without the prover.
func TestTimedBlocksShowWrongIDsAndSwappedValues(t *testing.T) {
	w, _ := workload.Find("cron-aligned")
	for _, fault := range []string{"", "swaps values of a tick", "fires under a wrong ID"} {
		s := w.Script(testSize(w), 1)
		c, b := contenderOf(faultyEntry(fault)), s.Fill()
		for range 5 {
			c.replayWhole(b)
			b = s.Next(5000, b)
		}
		c.replayWhole(b)
		err := errors.Join(c.check(b, c.snapshot()), c.checkBindings(s.Pending))
		if found := err != nil; found != (fault != "") {
			t.Errorf("a structure that %s: error %v", fault, err)
		}
	}
}

func TestAStructureThatFailsCostsOnlyItsOwnRow(t *testing.T) {
	cfg := tinyRun(t, []string{"quadheap"}, []string{"churn", "idle"})
	panicking := catalog.Entry{Name: "panicking", New: func() structures.Scheduler[uint64] {
		return &faulty{Heap: minheap.New[uint64](), fault: "panics"}
	}}
	cfg.Structures = append(cfg.Structures, faultyEntry("refuses a cancel"), panicking)
	r, err := Run(context.Background(), cfg)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"faulty", "churn", "seed 7", "refused", "panicking", "it panics: on purpose"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not name %q", err, part)
		}
	}
	if !r.Complete || len(r.Cells) != 2 || len(r.Failures) < 2 {
		t.Fatalf("complete %v with %d cells and %d failures, want all cells", r.Complete, len(r.Cells), len(r.Failures))
	}
	for _, row := range r.Cells[0].Rows {
		if row.Structure == "faulty" || row.Structure == "panicking" {
			t.Errorf("%s has a row on churn in spite of its failure", row.Structure)
		}
	}
	if names := len(r.Cells[0].Rows); names != 4 { // floor, Go's timers, quadheap, control
		t.Errorf("%d rows on churn, want the other 4", names)
	}
}

func TestACellWithoutAStructureIsLeftOut(t *testing.T) {
	cfg := tinyRun(t, nil, []string{"churn"})
	cfg.Structures = []catalog.Entry{faultyEntry("refuses a cancel")}
	if r, err := Run(context.Background(), cfg); err == nil || len(r.Cells) != 0 {
		t.Errorf("error %v, %d cells", err, len(r.Cells))
	}
}

// The cost of reading the clock is taken out of the time of each kind, once for each reading.
// Times are whole nanoseconds, so a cost of 1/1024 ns leaves the number of readings behind
// the point.
func TestTheTimesByKindAreWithoutTheReadingsOfTheClock(t *testing.T) {
	const readNS = 1.0 / 1024
	w, _ := workload.Find("churn")
	e, _ := catalog.Find("minheap")
	c, s := contenderOf(e), w.Script(100, 1)
	c.replayWhole(s.Fill())
	readings := 0
	for _, k := range c.replayByKind(s.Next(500, nil), Clock{ReadNS: readNS}) {
		readings += k.ClockReads
		if whole := k.NS + float64(k.ClockReads)*readNS; k.ClockReads == 0 || k.ClockReads%1024 == 0 || whole != math.Trunc(whole) {
			t.Errorf("%s: %v ns with %d readings", k.Kind, k.NS, k.ClockReads)
		}
	}
	if readings < 10 {
		t.Errorf("%d readings", readings)
	}
}

// gcWatch notes whether the garbage collector was on when it was called.
type gcWatch struct {
	structures.Scheduler[uint64]
	on, off int
}

func (g *gcWatch) Schedule(deadline structures.Tick, value uint64) structures.ID {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	if metrics.Read(percent); percent[0].Value.Uint64() == math.MaxUint64 {
		g.off++
	} else {
		g.on++
	}
	return g.Scheduler.Schedule(deadline, value)
}

// The garbage collector is off in every trial, save in those of a pass with it on.
func TestTheCollectorIsOffInTrials(t *testing.T) {
	w, _ := workload.Find("churn")
	e, _ := catalog.Find("minheap")
	for _, collect := range []bool{false, true} {
		c, s := contenderOf(e), w.Script(100, 1)
		watch := &gcWatch{Scheduler: c.s}
		c.s, c.samples = watch, newLatencies()
		c.replayWhole(s.Fill())
		cell := &cellRun{cellConfig: cellConfig{workload: w, n: 100}}
		p := &pass{cellRun: cell, collect: collect}
		for _, m := range []mode{modeWarm, modeCost, modeByKind, modeLatency} {
			watch.on, watch.off = 0, 0
			p.blocks = []*script.Block{s.Next(500, nil)}
			p.trial(c, 0, m, results.Trial{})
			if collect && (watch.on == 0 || watch.off > 0) || !collect && (watch.on > 0 || watch.off == 0) {
				t.Errorf("mode %d, collector wanted %v: it was on in %d calls, off in %d", m, collect, watch.on, watch.off)
			}
		}
	}
}

// sizesAsked is a source that notes how many operations the blocks have.
type sizesAsked struct {
	source
	sizes []int
}

func (s *sizesAsked) nextBlock(size int, reuse *script.Block) (*script.Block, error) {
	s.sizes = append(s.sizes, size)
	return s.source.nextBlock(size, reuse)
}

// Before the timed block of each round stands one that touches the population twice, as far
// as it fits into the cache.
func TestTheCacheIsWarmBeforeATimedBlock(t *testing.T) {
	for n, want := range map[int]int{100: 5_000, 10_000: 20_000, 30_000: 50_000} {
		cfg := tinyRun(t, []string{"minheap"}, []string{"churn"})
		cfg.Trials = 1
		c := cfg.cell(cfg.Workloads[0], n, Clock{})
		asked := &sizesAsked{}
		c.open = func(ctx context.Context, c cellConfig) (s source, err error) {
			asked.source, err = openScript(ctx, c)
			return asked, err
		}
		if err := c.newCell(cfg.Structures).measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The block that is proved, and those of the round: warm, cost, by kind, latency.
		block := c.block()
		if len(asked.sizes) != 5 || asked.sizes[1] < want || !slices.Equal(asked.sizes[2:], []int{block, block, block}) {
			t.Errorf("n %d: blocks of %d operations, want a second one of %d and three of %d", n, asked.sizes, want, block)
		}
	}
}
