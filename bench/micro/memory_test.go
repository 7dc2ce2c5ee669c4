package micro

import (
	"testing"

	"github.com/timerbench/timerbench/bench/internal/heap"
)

// The estimate is close to what structures and their script hold at that size, times the
// ratio for the peak.
func TestTheEstimateOfMemoryIsMet(t *testing.T) {
	const n = 300_000
	w, entries := find("churn")[0], entriesOf(t, "hwheel", "quadheap")
	got, err := EstimateMemory(t.Context(), w, n, 2, entries)
	if err != nil {
		t.Fatal(err)
	}
	before := heap.Measure()
	q := sequenceOf(t, w, n, 2, BlockSize)
	var runners []*runner
	var held [2]float64 // with the largest alone, with all
	for _, e := range append(entries, q.references()...) {
		alone := heap.Measure()
		r, err := q.start(e)
		if err != nil {
			t.Fatal(err)
		}
		runners = append(runners, r)
		after := heap.Measure()
		held[0], held[1] = max(held[0], after.BytesSince(alone)), after.BytesSince(before)
	}
	held[0] += opBytes * n
	for _, r := range runners {
		r.stop()
	}
	for i, estimate := range []uint64{got.Apart, got.Together} {
		if ratio := float64(estimate) / held[i]; ratio < 0.67 || ratio > peakRatio*1.5 {
			t.Errorf("%s: %d bytes, and %.0f are held", [2]string{"apart", "together"}[i], estimate, held[i])
		}
	}
}

// While it is written, the script takes the room that was reserved for it.
func TestWritingAScriptTakesTheMemoryOfTheEstimate(t *testing.T) {
	const n = 300_000
	before := heap.Measure()
	sc := find("hold")[0].Script(n, seed)
	fill := sc.Fill()
	held := heap.Measure().BytesSince(before)
	if perTimer := held / n; perTimer < 0.9*timerBytes || perTimer > 1.1*timerBytes {
		t.Errorf("%.1f bytes a timer, want %d", perTimer, timerBytes)
	}
	if sc.Now() != 0 || fill.Keys != n {
		t.Errorf("%d keys", fill.Keys)
	}
}

func TestStructuresAreMeasuredOneAfterTheOther(t *testing.T) {
	entries := entriesOf(t, "minheap", "hwheel")
	q := sequenceOf(t, find("churn")[0], 500, 2, 2000)
	apart, err := q.MeasureApart(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	together, err := q.Measure(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	if len(apart) != 5 || len(together) != 5 {
		t.Fatalf("%d and %d figures, want 5", len(apart), len(together))
	}
	for i, f := range apart {
		if f.Structure != together[i].Structure || !(f.NS > 0) {
			t.Errorf("%+v, want a figure of %s", f, together[i].Structure)
		}
		if i > 2 && (f.Bytes < 24 || f.Bytes > 1000) {
			t.Errorf("%s takes %.0f bytes a timer", f.Structure, f.Bytes)
		}
	}
}

// A sequence for single calls goes on until each timer has fired, if the workload is about
// the longest call.
func TestATailSequenceHasAWholePeriod(t *testing.T) {
	const n = 300
	for _, w := range TailWorkloads() {
		q, err := NewTailSequence(t.Context(), w, n)
		if err != nil {
			t.Fatal(err)
		}
		last := q.blocks[len(q.blocks)-1].want
		if w.Name == "cancel-hold-50" {
			if last.scheduled < n || len(q.blocks) != 1 {
				t.Errorf("%s: %+v after %d blocks", w.Name, last, len(q.blocks))
			}
			continue
		}
		if last.fired < n {
			t.Errorf("%s: %d timers fire, want %d", w.Name, last.fired, n)
		}
	}
	if n := len(TailWorkloads()); n != 5 {
		t.Errorf("%d workloads, want 5", n)
	}
}

// Go's own timers would take most of the memory.
func TestReferencesHaveALimit(t *testing.T) {
	churn := find("churn")[0]
	for n, want := range map[int]int{10_000_000: 3, 10_000_001: 2} {
		if got := (&Sequence{Workload: churn, N: n}).references(); len(got) != want {
			t.Errorf("%d references among %d timers, want %d", len(got), n, want)
		}
	}
}
