package replay

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Latencies collects the durations of single calls, in one histogram per kind of call.
type Latencies [script.NumKinds]*hdrhistogram.Histogram

// maxLatency is the longest duration in a histogram. With three significant digits a histogram takes 120 kB.
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
	// Clamp values outside the range, so that no sample is lost.
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

// curveQuantiles returns the quantiles of the points of a latency curve. They are evenly spaced in -log10(1-q),
// which is 1 at 0.9 and 2 at 0.99. At least ten samples are above the last quantile before 1.
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
