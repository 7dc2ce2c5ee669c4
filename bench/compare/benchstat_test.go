package compare

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/timerbench/timerbench/bench/results"
)

// benchstat returns the medians that benchstat finds in the export of a run, by its own packages.
func benchstat(t *testing.T, r *results.Run) map[string]float64 {
	t.Helper()
	var lines bytes.Buffer
	if err := results.WriteBenchfmt(&lines, r); err != nil {
		t.Fatal(err)
	}
	values := make(map[string][]float64)
	reader := benchfmt.NewReader(&lines, "bench.txt")
	for reader.Scan() {
		switch result := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(result)
		case *benchfmt.Result:
			if v, ok := result.Value("sec/op"); ok {
				values[result.Name.String()] = append(values[result.Name.String()], v)
			}
		}
	}
	out := make(map[string]float64)
	for name, v := range values {
		sample := benchmath.NewSample(v, &benchmath.DefaultThresholds)
		out[name] = 1e9 * benchmath.AssumeNothing.Summary(sample, 0.95).Center
	}
	return out
}

func TestBenchstatFindsTheSameMedians(t *testing.T) {
	t.Parallel()
	random := newRandom(2)
	old, new := typical.simulate(random), typical.simulate(random)
	medians := benchstat(t, old)
	for _, r := range compareRuns(t, old, new, usual).Rows {
		name := fmt.Sprintf("Timers/workload=%s/n=%d/structure=%s/op=per-%s", r.Workload, r.N, r.Structure, r.Op)
		if m := medians[name]; math.Abs(m/r.Old-1) > 1e-6 {
			t.Errorf("%s: benchstat finds %v ns, compare %v", name, m, r.Old)
		}
	}
}
