package replay

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Latencies collects the durations of single calls, in one histogram per kind of call. It keeps the range of the 99th percentile over
// instances, see [Latencies.EndInstance].
type Latencies struct {
	of        histograms // of this instance
	all       histograms // of the instances before
	instances int
	ranges    [script.NumKinds][2]float64 // of the 99th percentile
}

type histograms [script.NumKinds]*hdrhistogram.Histogram

// maxLatency is the longest duration in a histogram. With three significant digits a histogram takes 120 kB.
const maxLatency = 100 * time.Second

// NewLatencies returns empty histograms.
func NewLatencies() *Latencies {
	var l Latencies
	for kind := range l.of {
		l.of[kind] = hdrhistogram.New(1, int64(maxLatency), 3)
		l.all[kind] = hdrhistogram.New(1, int64(maxLatency), 3)
	}
	return &l
}

func (l *Latencies) record(kind script.Kind, d time.Duration) {
	// Clamp values outside the range, so that no sample is lost.
	_ = l.of[kind].RecordValue(int64(min(max(d, 1), maxLatency)))
}

// EndInstance ends the samples of an instance, if it has any. The next ones are those of another instance.
func (l *Latencies) EndInstance() {
	sampled := 0
	for kind, h := range l.of {
		if h.TotalCount() == 0 {
			continue
		}
		v, r := float64(h.ValueAtQuantile(99)), &l.ranges[kind]
		if r[1] == 0 {
			r[0] = v
		}
		r[0], r[1] = min(r[0], v), max(r[1], v)
		l.all[kind].Merge(h)
		h.Reset()
		sampled = 1
	}
	l.instances += sampled
}

// Summary returns the distributions of the kinds of call that have samples.
func (l *Latencies) Summary() []results.Latency {
	var out []results.Latency
	for kind, h := range l.all {
		h.Merge(l.of[kind])
		l.of[kind].Reset()
		if h.TotalCount() == 0 {
			continue
		}
		at := func(q float64) float64 { return float64(h.ValueAtQuantile(q * 100)) }
		lat := results.Latency{
			Kind: script.Kind(kind), Samples: h.TotalCount(), Mean: h.Mean(),
			P50: at(0.5), P90: at(0.9), P99: at(0.99), P999: at(0.999), Max: float64(h.Max()),
		}
		if r := l.ranges[kind]; l.instances > 1 {
			lat.P99Range = &r
		}
		out = append(out, lat)
	}
	return out
}
