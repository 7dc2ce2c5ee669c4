package prometheus_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/timerbench/timerbench/driver"
	driverprom "github.com/timerbench/timerbench/driver/prometheus"
)

// exported returns a driver, and a registry that has its counters.
func exported(t *testing.T, opts ...driver.Option) (*driver.Driver, *prometheus.Registry) {
	t.Helper()
	d, err := driver.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	registry := prometheus.NewRegistry()
	registry.MustRegister(driverprom.NewCollector(d))
	return d, registry
}

// scrape returns the lines of /metrics.
func scrape(t *testing.T, registry *prometheus.Registry) map[string]bool {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if problems, err := promlint.New(strings.NewReader(w.Body.String())).Lint(); w.Code != 200 || err != nil || len(problems) != 0 {
		t.Errorf("status %d, %v, %v", w.Code, err, problems)
	}
	lines := make(map[string]bool)
	for line := range strings.Lines(w.Body.String()) {
		lines[strings.TrimSpace(line)] = true
	}
	return lines
}

func mustHave(t *testing.T, lines map[string]bool, want ...string) {
	t.Helper()
	for _, line := range want {
		if !lines["timerbench_driver_"+line] {
			t.Errorf("no line %q in %v", line, lines)
		}
	}
}

// mustSum checks the sum of a histogram, which is exact to 4 %.
func mustSum(t *testing.T, lines map[string]bool, name string, want float64) {
	t.Helper()
	for line := range lines {
		if value, ok := strings.CutPrefix(line, "timerbench_driver_"+name+" "); ok {
			if got, err := strconv.ParseFloat(value, 64); err != nil || got < want || got > 1.04*want {
				t.Errorf("%s is %s, %v, want %v", name, value, err, want)
			}
			return
		}
	}
	t.Errorf("no line %q", name)
}

func TestAScrapeHasWhatADriverDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, registry := exported(t, driver.Profiling(1), driver.Inline())
		mustHave(t, scrape(t, registry), "timers_pending 0", "wakeups_total 0", `lateness_seconds_bucket{le="+Inf"} 0`)
		for range 3 {
			d.Schedule(2*time.Second, func() {})
		}
		mustSum(t, scrape(t, registry), "delay_seconds_sum", 3*2)
		d.AfterFunc(time.Hour, func() {}).Stop()
		d.AfterFunc(time.Minute, func() {}).Reset(48 * time.Hour)
		time.Sleep(time.Hour)
		mustHave(t, scrape(t, registry), "timers_pending 1", "timers_started_total 5", "timers_fired_total 3",
			"timers_stopped_total 1", "timers_moved_total 1",
			`delay_seconds_bucket{le="1"} 0`, `delay_seconds_bucket{le="5"} 3`, `delay_seconds_bucket{le="60"} 3`,
			`delay_seconds_bucket{le="86400"} 5`, "delay_seconds_count 5",
			`lateness_seconds_bucket{le="1e-05"} 3`, `lateness_seconds_bucket{le="10"} 3`, "lateness_seconds_count 3")
		mustSum(t, scrape(t, registry), "delay_seconds_sum", 3*2+3600+60)
		d.Close()
		mustHave(t, scrape(t, registry), "timers_pending 0", "timers_fired_total 3", "timers_stopped_total 2", "wakeups_total 1", "idle_wakeups_total 0")
	})
}

// Buckets are cumulative, and count what is late.
func TestLatenessIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := exported(t, driver.Inline(), driver.Budget(1), driver.Shards(1))
		for range 4 {
			d.Schedule(time.Second, func() { time.Sleep(30 * time.Millisecond) }) // late by 0, 30, 60 and 90 ms
		}
		time.Sleep(time.Minute)
		registry := prometheus.NewRegistry()
		prometheus.WrapRegistererWith(prometheus.Labels{"driver": "x"}, registry).MustRegister(driverprom.NewCollector(d))
		bucket := func(le, n string) string { return `lateness_seconds_bucket{driver="x",le="` + le + `"} ` + n }
		mustHave(t, scrape(t, registry), bucket("1e-05", "1"), bucket("0.025", "1"), bucket("0.05", "2"), bucket("0.1", "4"),
			bucket("10", "4"), `lateness_seconds_count{driver="x"} 4`)
		mustSum(t, scrape(t, registry), `lateness_seconds_sum{driver="x"}`, 0.18)
	})
}
