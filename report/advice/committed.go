package advice

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the results

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/atomicfile"
)

// committed is a run, packed by [Pack]: that of docs/results.
//
//go:embed committed.json.gz
var committed []byte

// Committed returns the run that docs/results shows, with what an adviser needs of it.
func Committed() (*results.Run, error) { return results.Decode(committed) }

// Pack writes what an adviser needs of a run to a compressed file. Answers are the same as from the run.
func Pack(path string, r *results.Run) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := results.EncodeCompact(z, reduced(r)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, b.Bytes())
}

// reduced is a run without what only charts show.
func reduced(r *results.Run) *results.Run {
	out := *r
	out.Live, out.Idle, out.Cells = nil, nil, nil
	for _, i := range r.Idle {
		if i.Driver == results.Tickless {
			out.Idle = append(out.Idle, i)
		}
	}
	for _, c := range r.Cells {
		rows := c.Rows
		c.Rows, c.Parts, c.OtherSeeds = nil, nil, nil
		kinds := false
		for _, row := range rows {
			if kinds {
				row.ByKind = nil // all rows have the same calls
			}
			kinds = kinds || len(row.ByKind) > 0
			row.WithGC = nil
			row.Cost = withoutAllocations(row.Cost)
			latency := row.Latency
			row.Latency = nil
			for _, l := range latency {
				l.Quantiles = nil
				row.Latency = append(row.Latency, l)
			}
			c.Rows = append(c.Rows, row)
		}
		out.Cells = append(out.Cells, c)
	}
	return &out
}

func withoutAllocations(trials []results.Trial) []results.Trial {
	var out []results.Trial
	for _, t := range trials {
		t.Allocs, t.AllocBytes = 0, 0
		out = append(out, t)
	}
	return out
}
