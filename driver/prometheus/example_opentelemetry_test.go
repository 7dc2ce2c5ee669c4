package prometheus_test

import (
	"context"
	"fmt"
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
