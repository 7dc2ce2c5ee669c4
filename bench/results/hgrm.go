package results

import (
	"fmt"
	"io"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// WriteHgrm writes a latency distribution as a percentile file of HdrHistogram, for its
// plotters. Values are in ns.
//
// Results hold quantiles and not every sample, and the file says so: the samples
// between two quantiles count as the upper one, so that the file is exact at these
// quantiles and never shows less than was measured.
func WriteHgrm(out io.Writer, l Latency) error {
	if len(l.Quantiles) == 0 || l.Samples < 1 {
		return fmt.Errorf("the latencies of %s have %d samples and %d quantiles, "+
			"want at least one of each", l.Kind, l.Samples, len(l.Quantiles))
	}
	const digits = 3 // as measured
	largest := max(l.Max, l.Quantiles[len(l.Quantiles)-1].NS)
	h := hdrhistogram.New(1, int64(math.Ceil(largest))+1, digits)
	before := int64(0)
	for _, q := range l.Quantiles {
		until := min(int64(math.Round(q.Q*float64(l.Samples))), l.Samples)
		if until > before {
			if err := h.RecordValues(max(1, int64(math.Round(q.NS))), until-before); err != nil {
				return fmt.Errorf("the latencies of %s at quantile %v: %w", l.Kind, q.Q, err)
			}
			before = until
		}
	}
	if _, err := h.PercentilesPrint(out, 5, 1); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "#[Made of %d quantiles of %d samples of %s, in ns; "+
		"the mean of the samples is %.1f]\n", len(l.Quantiles), l.Samples, l.Kind, l.Mean)
	return err
}
