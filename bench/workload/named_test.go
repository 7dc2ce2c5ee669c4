package workload

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// scriptOf starts the script of a workload at a size and returns it with its fill.
func scriptOf(t *testing.T, name string, n int) (*script.Script, *script.Block) {
	t.Helper()
	w, ok := Find(name)
	if !ok {
		t.Fatalf("no workload %q", name)
	}
	s := w.Script(n, 1)
	return s, s.Fill()
}

// within fails the test unless got is as wanted, to a relative tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: %.6g, want %.6g within %g %%", what, got, want, 100*tolerance)
	}
}

// Requests of Kafka's purgatory complete after a log-normal time whose median is 20 ms and whose upper quartile is 50
// ms: of those that are cancelled, before the timeout of 100 ms, the same shares come first.
func TestKafkaRequestsCompleteAsPublished(t *testing.T) {
	t.Parallel()
	s, _ := scriptOf(t, "kafka-purgatory", 335)
	var ages []float64
	scheduled := map[uint32]structures.Tick{}
	now, total := structures.Tick(0), 0
	b := s.Next(200_000, nil)
	for kind, op := range b.All() {
		switch kind {
		case script.KindSchedule:
			scheduled[op.Key] = now
			total++
		case script.KindCancel:
			if at, ok := scheduled[op.Key]; ok {
				ages = append(ages, float64(now-at))
			}
		default:
			now = op.At
		}
	}
	slices.Sort(ages)
	// Both ends are rounded up to ticks, which leaves ages whole and their mean as it
	// is: compare shares half a tick around.
	for _, c := range []struct{ ms, share float64 }{{20, 0.50}, {50, 0.75}} {
		below := sort.SearchFloat64s(ages, c.ms) + sort.SearchFloat64s(ages, c.ms+1)
		within(t, fmt.Sprintf("share completed after %g ms", c.ms), float64(below)/2/float64(total), c.share, 0.01)
	}
}
