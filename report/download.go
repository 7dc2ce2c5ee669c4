package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// TakeTitle is the title of the downloads.
func (*page) TakeTitle() string { return "What can I download?" }

// Takeable reports whether there are downloads.
func (p *page) Takeable() bool { return p.run != nil && len(p.run.Cells) > 0 }

type download struct {
	Name string
	What string
	Size string            // of the compressed file
	Link template.HTMLAttr // its address, with the data
}

// downloads packs the results. Only the first file has the latencies and the times by kind of operation,
// which are most of the trials and would multiply the size of the page.
func downloads(r *results.Run) ([]download, error) {
	whole := *r
	whole.Cells = slices.Clone(r.Cells)
	for i := range whole.Cells {
		c := &whole.Cells[i]
		c.Rows = slices.Clone(c.Rows)
		for j := range c.Rows {
			c.Rows[j].ByKind, c.Rows[j].Latency = nil, nil
		}
	}
	var out []download
	for _, f := range []struct {
		name, what string
		r          *results.Run
		write      func(io.Writer, *results.Run) error
	}{
		{"results.json.gz", "the results file of timerbench", r, results.EncodeCompact},
		{"trials.csv.gz", "one line per trial of whole blocks, memory and idle wake-ups, for data frames", &whole,
			results.WriteCSV},
	} {
		data, size, err := pack(func(w io.Writer) error { return f.write(w, f.r) })
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.name, err)
		}
		out = append(out, download{
			Name: f.name, What: f.what, Size: fmt.Sprintf("%.0f kB", float64(size)/1000),
			Link: template.HTMLAttr(`href="data:application/gzip;base64,` + data + `"`),
		})
	}
	return out, nil
}

// pack compresses the output of write. size is the number of compressed bytes before base64.
func pack(write func(io.Writer) error) (text string, size int, err error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		err = errors.Join(write(z), z.Close())
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), packed.Len(), err
}
