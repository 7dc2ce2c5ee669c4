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
//   - timerbench_driver_timers_started_total, _fired_total and _stopped_total, and timerbench_driver_wakeups_total and
//     _idle_wakeups_total, counters;
//   - timerbench_driver_lateness_seconds, a histogram, exact to 3 %.
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
	counter("wakeups_total", "Times that the driver woke up.", func(s *driver.Stats) uint64 { return s.Wakeups }),
	counter("idle_wakeups_total", "Times that the driver woke up and nothing fired.", func(s *driver.Stats) uint64 { return s.IdleWakeups }),
}

var lateness = describe("lateness_seconds", "Time from the tick of a deadline until the function is handed over.")

// bounds are the upper bounds of the buckets of lateness.
var bounds = []time.Duration{10e3, 25e3, 50e3, 100e3, 250e3, 500e3, 1e6, 2.5e6, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 1e9, 10e9}

func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range metrics {
		to <- m.desc
	}
	to <- lateness
}

func (c collector) Collect(to chan<- prometheus.Metric) {
	s := c.d.Stats()
	for _, m := range metrics {
		to <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(&s)))
	}
	to <- histogram(lateness, s.Lateness)
}

func histogram(desc *prometheus.Desc, of driver.Distribution) prometheus.Metric {
	var count uint64
	var sum float64
	buckets, i := make(map[float64]uint64, len(bounds)), 0
	for most, n := range of.All() {
		for ; i < len(bounds) && most > bounds[i]; i++ {
			buckets[bounds[i].Seconds()] = count
		}
		count += n
		sum += most.Seconds() * float64(n)
	}
	for _, bound := range bounds[i:] {
		buckets[bound.Seconds()] = count
	}
	return prometheus.MustNewConstHistogram(desc, count, sum, buckets)
}
