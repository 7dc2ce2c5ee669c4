package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// download is a file that is part of the HTML page, compressed with gzip.
type download struct {
	Name string
	What string
	Size string            // of the compressed file
	Link template.HTMLAttr // its address, with the data
}

// downloads adds what other programs can read to a page.
func (v *view) downloads(p *page) {
	if len(v.r.Cells) == 0 {
		return
	}
	p.chapters = append(p.chapters, chapter{title: "What can I take with me?", screen: true})
	p.add(block{text: "`timerbench export` writes the trials of results as CSV (`--csv`) or as lines of Go's benchmarks, for benchstat (`--benchfmt`); " +
		"the results themselves are JSON. The HTML page holds all three.", markdownOnly: true})
	p.add(block{text: "Everything that this page is made from, and trials for other programs; `timerbench export` writes those by kind of operation and latencies, too. `gunzip` unpacks the files; `timerbench report` and " +
		"`timerbench recommend` read the first one as it is.", htmlOnly: true})
	p.add(block{downloads: func() ([]download, error) { return downloadsOf(v.r) }, htmlOnly: true})
}

// downloadsOf packs results. Only the first file has the times by kind of operation, which are most of
// the trials, and the latencies: they would make the page several times as large.
func downloadsOf(r *results.Run) ([]download, error) {
	var out []download
	whole := withoutParts(r)
	for _, f := range []struct {
		name, what string
		r          *results.Run
		write      func(io.Writer, *results.Run) error
	}{
		{"results.json.gz", "the results, as timerbench reads them", r, results.EncodeCompact},
		{"trials.csv.gz", "a line for each trial of whole blocks, for spreadsheets and data frames", whole, results.WriteCSV},
		{"bench.txt.gz", "the same and wake-ups in the format of Go's benchmarks, for benchstat", whole, results.WriteBenchfmt},
	} {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err == nil {
			if err = f.write(z, f.r); err == nil {
				err = z.Close()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("report: packing %s: %w", f.name, err)
		}
		out = append(out, download{
			Name: f.name, What: f.what, Size: fmt.Sprintf("%.0f kB", float64(packed.Len())/1000),
			Link: template.HTMLAttr(`href="data:application/gzip;base64,` + base64.StdEncoding.EncodeToString(packed.Bytes()) + `"`),
		})
	}
	return out, nil
}

// withoutParts is a copy of results without the trials by kind of operation and the latencies.
func withoutParts(r *results.Run) *results.Run {
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i := range out.Cells {
		c := &out.Cells[i]
		c.Rows = slices.Clone(c.Rows)
		for j := range c.Rows {
			c.Rows[j].ByKind, c.Rows[j].Latency = nil, nil
		}
	}
	return &out
}
