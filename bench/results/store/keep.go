package store

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// MostKept is the largest size of a kept run in bytes. Kept runs are part of each clone and of the program.
const MostKept = 900_000

// Keep writes a compressed results file without the data that no answer needs, and returns its size.
// The answers of the file are the answers of r.
func Keep(path string, r *results.Run) (size int, err error) {
	data, err := sealed(reduced(r))
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if size = packed.Len(); err == nil && size > MostKept {
		err = fmt.Errorf("%s: it would take %d bytes: want at most %d", path, size, MostKept)
	}
	if err != nil {
		return 0, err
	}
	return size, files.WriteBytes(path, packed.Bytes())
}

// Slug returns a name of the machine for file names, from the processor and the number of cores.
func Slug(e results.Environment) string {
	words := strings.FieldsFunc(strings.ToLower(e.CPU), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"r", "tm", "cpu", "processor", "core", "with"}, word)
	})
	if len(words) == 0 {
		words = []string{"unknown", e.Arch}
	}
	return strings.Join(append(words, fmt.Sprint(e.Cores), "cores"), "-")
}

// reducedLive returns the throughput of the number of goroutines that was measured among all numbers of resident timers: what Go's
// own timers cost, and the driver.
func reducedLive(l *results.Live) *results.Live {
	if l == nil {
		return nil
	}
	out := *l
	out.Rows, out.Goroutines = nil, l.Goroutines[:1]
	for _, row := range l.Rows {
		row.Lateness, row.Memory = nil, nil
		row.Throughput = slices.DeleteFunc(slices.Clone(row.Throughput), func(t results.LiveThroughput) bool { return t.Goroutines != l.Goroutines[0] })
		out.Rows = append(out.Rows, row)
	}
	return &out
}

// reduced returns a run without the data that no answer and no picture of latency and idle ticks needs.
func reduced(r *results.Run) *results.Run {
	out := *r
	out.Live, out.Cells = reducedLive(r.Live), nil
	for _, c := range r.Cells {
		rows := c.Rows
		c.Rows = nil
		kinds := false
		for _, row := range rows {
			if kinds {
				row.ByKind = nil // the calls are the same in all rows
			}
			kinds = kinds || len(row.ByKind) > 0
			row.Cost, row.Latency = slices.Clone(row.Cost), slices.Clone(row.Latency)
			for i := range row.Cost {
				row.Cost[i].Allocs, row.Cost[i].AllocBytes = 0, 0
			}
			for i, l := range row.Latency {
				row.Latency[i].Mean = math.Round(l.Mean)
			}
			c.Rows = append(c.Rows, row)
		}
		out.Cells = append(out.Cells, c)
	}
	return &out
}
