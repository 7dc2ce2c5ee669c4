package results_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// Of 1000 samples half are at most 40 ns, 99 in 100 at most 90 ns, and one is 5000 ns.
func TestPercentileFilesAreExactAtTheQuantiles(t *testing.T) {
	t.Parallel()
	l := results.Latency{Samples: 1000, Mean: 51.5, Max: 5000, Quantiles: []results.Quantile{{Q: 0.5, NS: 40}, {Q: 0.99, NS: 90}, {Q: 1, NS: 5000}}}
	var out bytes.Buffer
	if err := results.WriteHgrm(&out, l); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"40.000     0.500000          500", "1.000000         1000          inf", "Made of 3 quantiles of 1000 samples of schedule, in ns; the mean of the samples is 51.5"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for _, bad := range []results.Latency{{Samples: 5}, {Quantiles: l.Quantiles}} {
		if err := results.WriteHgrm(&out, bad); err == nil || !strings.Contains(err.Error(), "at least one of each") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
