package replay

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Latencies collects the durations of single calls: one histogram for each kind of
// call.
type Latencies [script.NumKinds]*hdrhistogram.Histogram

// maxLatency is the longest duration that a histogram can hold. With three significant
// digits a histogram takes 120 kB.
const maxLatency = 100 * time.Second

// NewLatencies returns empty histograms.
func NewLatencies() *Latencies {
	var l Latencies
	for kind := range l {
		l[kind] = hdrhistogram.New(1, int64(maxLatency), 3)
	}
	return &l
}

func (l *Latencies) record(kind script.Kind, d time.Duration) {
	// Values outside the range are clamped: no sample is dropped.
	_ = l[kind].RecordValue(int64(min(max(d, 1), maxLatency)))
}

// Summary returns the distributions of the kinds of call that have samples.
func (l *Latencies) Summary() []results.Latency {
	var out []results.Latency
	for kind, h := range l {
		if h.TotalCount() == 0 {
			continue
		}
		at := func(q float64) float64 { return float64(h.ValueAtQuantile(q * 100)) }
		lat := results.Latency{
			Kind: script.Kind(kind), Samples: h.TotalCount(), Mean: h.Mean(),
			P50: at(0.5), P90: at(0.9), P99: at(0.99), P999: at(0.999), Max: float64(h.Max()),
		}
		for _, q := range curveQuantiles(h.TotalCount()) {
			lat.Quantiles = append(lat.Quantiles, results.Quantile{Q: q, NS: at(q)})
		}
		out = append(out, lat)
	}
	return out
}

// curveQuantiles returns the quantiles at which a latency curve is drawn. They are
// evenly spaced in -log10(1-q), which is 1 at 0.9, 2 at 0.99, and so on. The last one
// before 1 has at least ten samples above it.
func curveQuantiles(samples int64) []float64 {
	var qs []float64
	for nines := 0.0; ; nines += 0.125 {
		beyond := math.Pow(10, -nines)
		if beyond*float64(samples) < 10 {
			return append(qs, 1)
		}
		qs = append(qs, 1-beyond)
	}
}
