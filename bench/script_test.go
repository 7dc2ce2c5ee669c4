package bench

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

var update = flag.Bool("update", false, "rewrite golden files")

// smallN is the size at which tests run a workload that takes any.
const smallN = 500

func sizeFor(w Workload) int {
	if w.Resident > 0 {
		return w.Resident
	}
	return smallN
}

// fingerprint is a hash over every operation of a block and what must come of it.
func fingerprint(blocks ...*Block) uint64 {
	h := fnv.New64a()
	for _, b := range blocks {
		for _, batch := range b.Batches {
			_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(batch.code), uint64(batch.Len)})
		}
		for _, op := range b.Ops {
			_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(op.At), uint64(op.Key)})
		}
		_ = binary.Write(h, binary.LittleEndian, b.Want)
	}
	return h.Sum64()
}

// The golden file holds on any machine: that is what makes two runs comparable.
func TestTheSameSeedGivesTheSameBytesOnAnyMachine(t *testing.T) {
	const golden = "testdata/scripts.golden"
	var lines strings.Builder
	for _, w := range Workloads() {
		for seed := range uint64(2) {
			s := newScript(w, sizeFor(w), seed)
			fmt.Fprintf(&lines, "%s seed %d %016x\n", w.Name, seed, fingerprint(s.fill(), s.next(5000, nil)))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(lines.String(), "\n"), strings.Split(string(want), "\n")
	seen := map[string]bool{}
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d of the fingerprints differs from %s (run with -update if the workload was meant to change)", i+1, golden)
		}
		_, print, _ := strings.Cut(got[i], "seed")
		if seen[print] {
			t.Errorf("two scripts are the same: %s", got[i])
		}
		seen[print] = true
	}
}

// What is left of a block's memory must not leak into the next one.
func TestABlockInReusedMemoryIsTheSame(t *testing.T) {
	w, _ := FindWorkload("mixed")
	fresh, reusing := newScript(w, smallN, 1), newScript(w, smallN, 1)
	fresh.fill()
	memory := reusing.fill()
	for i := range 5 {
		memory = reusing.next(1000, memory)
		if a, b := fingerprint(fresh.next(1000, nil)), fingerprint(memory); a != b {
			t.Fatalf("block %d: %x in fresh memory, %x in reused memory", i, a, b)
		}
	}
}

// Figures that follow from the published parameters, and that the generator must
// therefore arrive at without knowing them.
func TestNamedWorkloadsArriveAtTheirDerivedFigures(t *testing.T) {
	for _, c := range []struct {
		workload         string
		resident, cancel float64
	}{
		{"kafka-purgatory", 335, 0.882},
		{"cache-ttl", 658_000, 0},
		{"grid-uniform-0", smallN, 0},
		{"grid-uniform-50", smallN, 0.5},
		{"grid-uniform-90", smallN, 0.9},
		{"grid-clustered-0", smallN, 0},
		{"grid-clustered-50", smallN, 0.5},
		{"grid-clustered-90", smallN, 0.9},
		{"mixed", smallN, -1},
		{"periodic", smallN, 0},
	} {
		w, ok := FindWorkload(c.workload)
		if !ok {
			t.Fatalf("no workload %q", c.workload)
		}
		s := newScript(w, sizeFor(w), 1)
		fill := s.fill()
		b := s.next(300_000, nil)
		if math.Abs(b.Resident/c.resident-1) > 0.02 {
			t.Errorf("%s: %.1f resident, want %.0f within 2 %%", c.workload, b.Resident, c.resident)
		}
		cancelled := float64(b.Want.Cancelled - fill.Want.Cancelled)
		if share := cancelled / b.Units(PerLifecycle); c.cancel >= 0 && math.Abs(share-c.cancel) > 0.02*max(c.cancel, 0.01) {
			t.Errorf("%s: %.4f cancelled, want %.3f within 2 %%", c.workload, share, c.cancel)
		}
	}
}

// The place at which a new timer goes in among the sorted deadlines, as a share
// of their number, is known for each distribution (Jones 1986): a check of the
// whole generator that uses none of its formulas.
func TestHoldInsertsAtTheKnownPlace(t *testing.T) {
	for name, want := range map[string]float64{"exponential": 0.50, "uniform": 0.67, "constant": 1.00} {
		s := newScript(newHold(family(name)), 1000, 1)
		var deadlines []structures.Tick
		insert := func(at structures.Tick) float64 {
			i := sort.Search(len(deadlines), func(i int) bool { return deadlines[i] > at })
			share := float64(i) / float64(max(1, len(deadlines)))
			deadlines = append(deadlines, 0)
			copy(deadlines[i+1:], deadlines[i:])
			deadlines[i] = at
			return share
		}
		for _, op := range s.fill().Ops {
			insert(op.At)
		}
		b, sum, n := s.next(60_000, nil), 0.0, 0
		ops := b.Ops
		for _, batch := range b.Batches {
			for _, op := range ops[:batch.Len] {
				if batch.code == opSchedule {
					sum += insert(op.At)
					n++
				} else {
					deadlines = deadlines[sort.Search(len(deadlines), func(i int) bool { return deadlines[i] > op.At }):]
				}
			}
			ops = ops[batch.Len:]
		}
		if got := sum / float64(n); math.Abs(got-want) > 0.01 {
			t.Errorf("%s: mean place %.3f, want %.2f", name, got, want)
		}
	}
}

func TestWriterRefusesScriptsThatMakeNoSense(t *testing.T) {
	for name, misuse := range map[string]func(w *Writer){
		"schedule in the past":   func(w *Writer) { w.Schedule(10) },
		"reschedule in the past": func(w *Writer) { w.Reschedule(w.Schedule(20), 3) },
		"go back":                func(w *Writer) { w.Advance(9) },
		"pass a deadline":        func(w *Writer) { w.Schedule(15); w.Advance(16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			w := &Writer{}
			w.begin(nil)
			w.Advance(10)
			misuse(w)
		}()
	}
}
