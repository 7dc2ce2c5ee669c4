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

// chiSquare holds how often things were drawn against their weights, at a level of
// about 1e-4 (Wilson and Hilferty's approximation of the bound).
func chiSquare(t *testing.T, what string, counts []int, weights []float64) {
	t.Helper()
	n, total := 0, 0.0
	for i, c := range counts {
		n += c
		total += weights[i]
	}
	sum := 0.0
	for i, c := range counts {
		want := float64(n) * weights[i] / total
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	free := float64(len(counts) - 1)
	bound := free * math.Pow(1-2/(9*free)+3.719*math.Sqrt(2/(9*free)), 3)
	if sum > bound {
		t.Errorf("%s: chi-square %.1f, want at most %.1f: drawn %v, weights %v", what, sum, bound, counts, weights)
	}
}

// Requests of Kafka's purgatory complete after a log-normal time whose median is
// 20 ms and whose upper quartile is 50 ms: of those that are cancelled, before the
// timeout of 100 ms, the same shares come first.
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

// The TTLs of cache entries come in the shares of the trace.
func TestCacheTTLsFollowTheTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ttls    []structures.Tick // in seconds
		weights []float64
	}{
		"cache-ttl-15": {[]structures.Tick{30}, []float64{1}},
		"cache-ttl-32": {[]structures.Tick{60}, []float64{1}},
		"cache-ttl-12": {[]structures.Tick{300, 299}, []float64{98, 2}},
		"cache-ttl-23": {[]structures.Tick{120, 2700, 5}, []float64{93, 5, 3}},
		"cache-ttl-37": {[]structures.Tick{20, 300, 7200, 600}, []float64{91, 6, 2, 1}},
	} {
		s, _ := scriptOf(t, name, 1_000)
		b, now := s.Next(100_000, nil), structures.Tick(0)
		counts := make([]int, len(c.ttls))
		for kind, op := range b.All() {
			if kind != script.KindSchedule {
				now = op.At
				continue
			}
			i := slices.Index(c.ttls, (op.At-now)/1000)
			if i < 0 || (op.At-now)%1000 != 0 {
				t.Fatalf("%s: a TTL of %d ms", name, op.At-now)
			}
			counts[i]++
		}
		if len(counts) > 1 {
			chiSquare(t, name, counts, c.weights)
		}
	}
}
