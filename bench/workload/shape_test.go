package workload

import (
	"fmt"
	"testing"
)

func TestShapeOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		p50, p90, p99 float64
		want          string
	}{
		{100, 100, 100, "constant"},
		{500, 900, 990, "uniform"},
		{30_000, 60_200, 60_550, "clustered"},
		{693, 2303, 4605, "exponential"},
		{1, 1000, 1_000_000, ""},
		{0, 1, 2, ""},
	} {
		if got := ShapeOf(test.p50, test.p90, test.p99); got != test.want {
			t.Errorf("percentiles %g, %g, %g: %q, want %q", test.p50, test.p90, test.p99, got, test.want)
		}
	}
}

func TestDelaysOfAModel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tcp": "[lognormal exponential]", "kafka-purgatory": "[constant lognormal]", "cache-ttl-23": "[mixture]", "cron-aligned": "[]",
	} {
		if w, _ := Find(name); fmt.Sprint(Delays(w.Model)) != want {
			t.Errorf("%s: %v, want %s", name, Delays(w.Model), want)
		}
	}
}
