package compare

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"github.com/timerbench/timerbench/bench/results"
)

// benchstat reads the export as benchstat does, with its own packages: it groups the
// lines by the projection that the documentation names, and takes the median.
func benchstat(t *testing.T, r *results.Run) map[[4]string]benchmath.Summary {
	t.Helper()
	var lines bytes.Buffer
	if err := results.WriteBenchfmt(&lines, r); err != nil {
		t.Fatal(err)
	}
	var parser benchproc.ProjectionParser
	filter, err := benchproc.NewFilter(".unit:sec/op")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parser.Parse("/workload,/n,/structure,/op", filter)
	if err != nil {
		t.Fatal(err)
	}
	fields := rows.Fields()
	values := make(map[[4]string][]float64)
	reader := benchfmt.NewReader(&lines, "bench.txt")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		if ok, err := filter.Apply(result); !ok || err != nil {
			continue
		}
		key := rows.Project(result)
		var k [4]string
		for i := range k {
			k[i] = key.Get(fields[i])
		}
		if v, ok := result.Value("sec/op"); ok {
			values[k] = append(values[k], v)
		}
	}
	if err := reader.Err(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	out := make(map[[4]string]benchmath.Summary)
	for k, v := range values {
		out[k] = benchmath.AssumeNothing.Summary(benchmath.NewSample(v, &benchmath.DefaultThresholds), 0.95)
	}
	return out
}

func TestBenchstatFindsTheSameMedians(t *testing.T) {
	t.Parallel()
	random := newRandom(2)
	old, new := typical.simulate(random), typical.simulate(random)
	c := compareRuns(t, old, new, usual)
	before, after := benchstat(t, old), benchstat(t, new)
	for _, r := range c.Rows {
		key := [4]string{r.Workload, strconv.Itoa(r.N), r.Structure, "per-" + r.Op}
		for _, side := range []struct {
			name string
			ours float64
			all  map[[4]string]benchmath.Summary
		}{{"old", r.Old, before}, {"new", r.New, after}} {
			s, ok := side.all[key]
			if theirs := 1e9 * s.Center; !ok || math.Abs(theirs-side.ours) > 1e-6*side.ours {
				t.Errorf("%s %v: benchstat finds %v ns, compare %v ns", side.name, key, theirs, side.ours)
			}
		}
	}
}
