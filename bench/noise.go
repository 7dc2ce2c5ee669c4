package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The A/A measurement of the machine: a structure, a workload and a size that fit into
// the caches of a core, so that it shows the machine and not the structure.
const (
	noiseStructure = "quadheap"
	noiseWorkload  = "hold"
	noiseSize      = 1000
	noiseBlock     = 20_000 // operations
)

// MeasureNoise replays the same blocks on two instances of one structure for that long
// and compares their times. It needs a second or more for a 99th percentile.
func MeasureNoise(ctx context.Context, d time.Duration) (doctor.Noise, error) {
	w, found := workload.Find(noiseWorkload)
	entry, found2 := catalog.Find(noiseStructure)
	if !found || !found2 {
		return doctor.Noise{}, fmt.Errorf("no %s or no %s to measure the noise with", noiseWorkload, noiseStructure)
	}
	sc := w.Script(noiseSize, 1)
	fill, err := sc.FillContext(ctx)
	if err != nil {
		return doctor.Noise{}, err
	}
	var instances [2]*replayer
	for i := range instances {
		instances[i] = &replayer{s: entry.New()}
		instances[i].replayWhole(fill)
	}
	var ratios []float64
	var warm, timed *script.Block
	start := time.Now()
	for first := 0; time.Since(start) < d; first = 1 - first {
		if warm, err = sc.NextContext(ctx, noiseBlock/4, warm); err != nil {
			return doctor.Noise{}, err
		}
		if timed, err = sc.NextContext(ctx, noiseBlock, timed); err != nil {
			return doctor.Noise{}, err
		}
		var times [2]float64
		for i := range instances {
			r := instances[(first+i)%2]
			r.replayWhole(warm)
			times[(first+i)%2] = float64(r.replayWhole(timed))
			if err := r.snapshot().check(timed); err != nil {
				return doctor.Noise{}, fmt.Errorf("%s fails the proof on %s: %w", noiseStructure, noiseWorkload, err)
			}
		}
		ratios = append(ratios, math.Log(times[0]/times[1]))
	}
	return noiseOf(ratios, time.Since(start)), nil
}

// noiseOf summarizes the logarithms of the ratios.
func noiseOf(ratios []float64, took time.Duration) doctor.Noise {
	n := doctor.Noise{Seconds: took.Seconds(), Pairs: len(ratios)}
	if len(ratios) == 0 {
		return n
	}
	slices.Sort(ratios)
	center := ratios[len(ratios)/2]
	distances := make([]float64, len(ratios))
	for i, r := range ratios {
		distances[i] = math.Expm1(math.Abs(r - center))
	}
	slices.Sort(distances)
	n.Center = math.Exp(center)
	n.Typical = distances[len(distances)/2]
	n.P99 = distances[int(math.Ceil(0.99*float64(len(distances))))-1]
	return n
}
