package bench

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// latencies collects stamped samples, a histogram for each kind of call.
type latencies [script.NumKinds]*hdrhistogram.Histogram

// maxLatency is the longest call that a histogram can hold; three significant
// digits up to there cost 120 kB a histogram.
const maxLatency = 100 * time.Second

func newLatencies() *latencies {
	var l latencies
	for code := range l {
		l[code] = hdrhistogram.New(1, int64(maxLatency), 3)
	}
	return &l
}

func (l *latencies) record(code script.Kind, d time.Duration) {
	// Values outside the range are put at its ends: nothing is dropped.
	_ = l[code].RecordValue(int64(min(max(d, 1), maxLatency)))
}

// summary returns the distributions of the kinds of call that there were.
func (l *latencies) summary() []results.Latency {
	var out []results.Latency
	for code, h := range l {
		if h.TotalCount() == 0 {
			continue
		}
		at := func(q float64) float64 { return float64(h.ValueAtQuantile(q * 100)) }
		lat := results.Latency{
			Kind: script.Kind(code), Samples: h.TotalCount(), Mean: h.Mean(),
			P50: at(0.5), P90: at(0.9), P99: at(0.99), P999: at(0.999), Max: float64(h.Max()),
		}
		for _, q := range curve(h.TotalCount()) {
			lat.Quantiles = append(lat.Quantiles, results.Quantile{Q: q, NS: at(q)})
		}
		out = append(out, lat)
	}
	return out
}

// curve returns the quantiles at which a distribution of so many samples is
// drawn: evenly on a scale of nines, as far as ten samples lie beyond.
func curve(samples int64) []float64 {
	var qs []float64
	for nines := 0.0; ; nines += 0.125 {
		beyond := math.Pow(10, -nines)
		if beyond*float64(samples) < 10 {
			return append(qs, 1)
		}
		qs = append(qs, 1-beyond)
	}
}
