package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/timerbench/timerbench/bench/results"
)

// Takeable reports whether there are results to download.
func (p *page) Takeable() bool { return p.run != nil && len(p.run.Cells) > 0 }

// results returns the results file without the data that no answer needs, packed as an address with the data, and its size.
func (p *page) results() (link template.HTMLAttr, size string, err error) {
	data, n, err := pack(func(w io.Writer) error { return results.EncodeKept(w, p.run.Run) })
	return template.HTMLAttr(`href="data:application/gzip;base64,` + data + `"`), fmt.Sprintf("%.0f kB", float64(n)/1000), err
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
