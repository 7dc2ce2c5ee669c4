// Package prometheus exports the counters of a driver to Prometheus.
//
//	registry.MustRegister(prometheus.NewCollector(d))
//
// A program with several drivers labels each one:
//
//	prometheus.WrapRegistererWith(prometheus.Labels{"driver": "sessions"}, registry).MustRegister(...)
package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timerbench/timerbench/driver"
)

// NewCollector returns a collector of the Stats of d. A scrape takes the lock of each shard once, for some ns, as Stats
// does. The collector keeps d in memory. Its metrics are
//
//   - timerbench_driver_timers_pending, a gauge;
//   - timerbench_driver_timers_started_total, _fired_total, _stopped_total and _moved_total, and
//     timerbench_driver_wakeups_total and _idle_wakeups_total, counters;
//   - timerbench_driver_lateness_seconds and timerbench_driver_delay_seconds, histograms, exact to 3 %.
//
// Moved and delay stay 0 without Profiling.
func NewCollector(d *driver.Driver) prometheus.Collector { return collector{d} }

type collector struct{ d *driver.Driver }

type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*driver.Stats) uint64
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("timerbench_driver_"+name, help, nil, nil)
}

func counter(name, help string, value func(*driver.Stats) uint64) metric {
	return metric{describe(name, help), prometheus.CounterValue, value}
}

var metrics = []metric{
	{describe("timers_pending", "Timers that are pending."), prometheus.GaugeValue, func(s *driver.Stats) uint64 { return s.Pending }},
	counter("timers_started_total", "Timers that were started.", func(s *driver.Stats) uint64 { return s.Started }),
	counter("timers_fired_total", "Timers that have fired.", func(s *driver.Stats) uint64 { return s.Fired }),
	counter("timers_stopped_total", "Timers that were stopped before they fired.", func(s *driver.Stats) uint64 { return s.Stopped }),
	counter("timers_moved_total", "Timers that were pending at a Reset; 0 without Profiling.", func(s *driver.Stats) uint64 { return s.Moved }),
	counter("wakeups_total", "Times that the driver woke up.", func(s *driver.Stats) uint64 { return s.Wakeups }),
	counter("idle_wakeups_total", "Times that the driver woke up and nothing fired.", func(s *driver.Stats) uint64 { return s.IdleWakeups }),
}

// histogram is a distribution of Stats, with the upper bounds of its buckets.
type histogram struct {
	desc   *prometheus.Desc
	value  func(*driver.Stats) driver.Distribution
	bounds []time.Duration
}

var histograms = []histogram{
	{describe("lateness_seconds", "Time from the tick of a deadline until the function is handed over."),
		func(s *driver.Stats) driver.Distribution { return s.Lateness },
		[]time.Duration{10e3, 25e3, 50e3, 100e3, 250e3, 500e3, 1e6, 2.5e6, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 1e9, 10e9}},
	{describe("delay_seconds", "Delays of timers that were started; empty without Profiling."),
		func(s *driver.Stats) driver.Distribution { return s.Delays },
		[]time.Duration{1e6, 10e6, 100e6, 500e6, 1e9, 2e9, 5e9, 10e9, 15e9, 30e9, 60e9, 120e9, 300e9, 600e9, 3600e9, 86400e9}},
}

func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range metrics {
		to <- m.desc
	}
	for _, h := range histograms {
		to <- h.desc
	}
}

func (c collector) Collect(to chan<- prometheus.Metric) {
	s := c.d.Stats()
	for _, m := range metrics {
		to <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(&s)))
	}
	for _, h := range histograms {
		to <- h.collect(h.value(&s))
	}
}

func (h histogram) collect(of driver.Distribution) prometheus.Metric {
	var count uint64
	var sum float64
	buckets, i := make(map[float64]uint64, len(h.bounds)), 0
	for most, n := range of.All() {
		for ; i < len(h.bounds) && most > h.bounds[i]; i++ {
			buckets[h.bounds[i].Seconds()] = count
		}
		count += n
		sum += most.Seconds() * float64(n)
	}
	for _, bound := range h.bounds[i:] {
		buckets[bound.Seconds()] = count
	}
	return prometheus.MustNewConstHistogram(h.desc, count, sum, buckets)
}
