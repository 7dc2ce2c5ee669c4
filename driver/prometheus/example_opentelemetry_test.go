package prometheus_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/timerbench/timerbench/driver"
	driverprom "github.com/timerbench/timerbench/driver/prometheus"
)

// The Prometheus bridge of OpenTelemetry passes the metrics of a registry to a reader. A program gives the same option to
// metric.NewPeriodicReader with an exporter. The counters are cumulative.
func Example_openTelemetry() {
	d, err := driver.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	registry := prometheus.NewRegistry()
	registry.MustRegister(driverprom.NewCollector(d))
	reader := metric.NewManualReader(metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(registry))))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { _ = provider.Shutdown(context.Background()) }()

	d.AfterFunc(time.Hour, func() {})
	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &metrics); err != nil {
		fmt.Println(err)
		return
	}
	for _, scope := range metrics.ScopeMetrics {
		for _, m := range scope.Metrics {
			if gauge, ok := m.Data.(metricdata.Gauge[float64]); ok {
				fmt.Println(m.Name, gauge.DataPoints[0].Value)
			}
		}
	}
	// Output: timerbench_driver_timers_pending 1
}

// Counters and histograms pass the bridge as what they are.
func TestTheBridgeKeepsKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := driver.New(driver.Inline())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		registry := prometheus.NewRegistry()
		registry.MustRegister(driverprom.NewCollector(d))
		for range 3 {
			d.Schedule(time.Second, func() {})
		}
		time.Sleep(time.Minute)
		scopes, err := bridge.NewMetricProducer(bridge.WithGatherer(registry)).Produce(t.Context())
		if err != nil || len(scopes) != 1 {
			t.Fatalf("%d scopes, %v", len(scopes), err)
		}
		counts := make(map[string]float64)
		for _, m := range scopes[0].Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[float64]:
				if !data.IsMonotonic || data.Temporality != metricdata.CumulativeTemporality {
					t.Errorf("%s is no cumulative counter", m.Name)
				}
				counts[m.Name] = data.DataPoints[0].Value
			case metricdata.Histogram[float64]:
				counts[m.Name] = float64(data.DataPoints[0].Count)
			}
		}
		for name, want := range map[string]float64{"timers_fired_total": 3, "timers_started_total": 3, "lateness_seconds": 3} {
			if got, ok := counts["timerbench_driver_"+name]; !ok || got != want {
				t.Errorf("%s is %v, want %v, in %v", name, got, want, counts)
			}
		}
	})
}
