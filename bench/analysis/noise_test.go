package analysis

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

func TestNoiseIsTheDistanceFromTheCenter(t *testing.T) {
	t.Parallel()
	ratios := make([]float64, 200)
	for i := range ratios {
		ratios[i] = math.Log(1.1) // a constant difference is no noise
	}
	ratios[7], ratios[9], ratios[11] = math.Log(1.1*1.5), math.Log(1.1/1.5), math.Log(1.1*2)
	n := noiseOf(ratios, 3*time.Second)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if n.Pairs != 200 || n.Seconds != 3 || !near(n.Center, 1.1) || !near(n.Typical, 0) || !near(n.P99, 0.5) {
		t.Errorf("%+v", n)
	}
}

func TestMeasureNoise(t *testing.T) {
	n, err := MeasureNoise(t.Context(), 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if n.Pairs < 2 || n.Center <= 0 || n.P99 < n.Typical || n.Seconds < 0.1 {
		t.Errorf("%+v", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureNoise(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
