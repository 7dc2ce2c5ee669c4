package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/internal/turns"
	"github.com/timerbench/timerbench/bench/replay"
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
	w, _ := workload.Find(noiseWorkload)
	entry, _ := catalog.Find(noiseStructure)
	s := w.Script(noiseSize, 1)
	fill, err := s.FillContext(ctx)
	if err != nil {
		return doctor.Noise{}, err
	}
	instances := [2]*replay.Instance{replay.New(entry), replay.New(entry)}
	for _, i := range instances {
		i.Time(fill)
	}
	order := dist.NewRand(1, 0)
	var ratios []float64
	var warm, timed *script.Block
	for start := time.Now(); ; {
		if time.Since(start) >= d {
			return noiseOf(ratios, time.Since(start)), nil
		}
		if warm, err = s.NextContext(ctx, noiseBlock/4, warm); err != nil {
			return doctor.Noise{}, err
		}
		if timed, err = s.NextContext(ctx, noiseBlock, timed); err != nil {
			return doctor.Noise{}, err
		}
		var times [2]float64
		for _, at := range turns.Shuffled(order, []int{0, 1}) {
			i := instances[at]
			i.Time(warm)
			times[at] = float64(i.Time(timed))
			if err := i.Check(timed, i.Outcome()); err != nil {
				return doctor.Noise{}, fmt.Errorf("%s fails the proof on %s: %w",
					noiseStructure, noiseWorkload, err)
			}
		}
		ratios = append(ratios, math.Log(times[0]/times[1]))
	}
}

func noiseOf(ratios []float64, took time.Duration) doctor.Noise {
	n := doctor.Noise{Seconds: took.Seconds(), Pairs: len(ratios)}
	if len(ratios) == 0 {
		return n
	}
	slices.Sort(ratios)
	center := stat.Quantile(0.5, stat.Empirical, ratios, nil)
	distances := make([]float64, len(ratios))
	for i, r := range ratios {
		distances[i] = math.Expm1(math.Abs(r - center))
	}
	slices.Sort(distances)
	n.Center = math.Exp(center)
	n.Typical = stat.Quantile(0.5, stat.Empirical, distances, nil)
	n.P99 = stat.Quantile(0.99, stat.Empirical, distances, nil)
	return n
}
