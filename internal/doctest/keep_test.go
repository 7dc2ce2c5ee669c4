package doctest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
)

// TestMakeKeepsARun keeps the run in the folder TIMERBENCH_KEEP in docs, by its profile. The tables of the documents follow by make docs.
// A run of a build with changes is refused, because nobody can build it again.
func TestMakeKeepsARun(t *testing.T) {
	run := os.Getenv("TIMERBENCH_KEEP")
	if run == "" {
		t.Skip("make keep does it")
	}
	data, err := os.ReadFile(filepath.Join(run, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var durable struct{ Format, Results json.RawMessage }
	if err := json.Unmarshal(data, &durable); err == nil && durable.Format == nil && durable.Results != nil {
		keep(t, "docs/durable/results.json", data) // a run of the nested module durable has a format of its own
		return
	}
	r, _, err := store.Read(run)
	if err != nil {
		t.Fatal(err)
	}
	if build := r.Environment.Build(); !strings.Contains(build, "revision") || strings.HasSuffix(build, "with changes") {
		t.Fatalf("%s is a run of %q: commit the changes, build with make, and measure again", run, build)
	}
	switch profile := r.Parameters.Profile; profile {
	case "field":
		keepCharts(t, run, "other-languages-*.svg", "docs/field/")
		keep(t, "docs/field/results.json.gz", zipped(t, data))
	case "ttl":
		keep(t, "docs/ttl.json.gz", zipped(t, data))
		keepCharts(t, run, "longest-calls.svg", "docs/")
	case "peers":
		keepLive(t, r, "docs/live/peers/")
	case "live":
		keepLive(t, r, "docs/live/")
	default:
		t.Fatalf("%s is a run of the profile %q: make submit OUT=%s keeps it", run, profile, run)
	}
}

func keep(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log("kept", path)
}

// keepCharts replaces the charts of a folder with those of a run.
func keepCharts(t *testing.T, run, pattern, dir string) {
	t.Helper()
	charts, err := filepath.Glob(filepath.Join(run, "report-charts", pattern))
	old, err2 := filepath.Glob(dir + pattern)
	if err := cmp.Or(err, err2); err != nil || charts == nil {
		t.Fatalf("%s has no chart %s: draw it with timerbench report (%v)", run, pattern, err)
	}
	for _, chart := range old {
		if err := os.Remove(chart); err != nil {
			t.Fatal(err)
		}
	}
	for _, chart := range charts {
		data, err := os.ReadFile(chart)
		if err != nil {
			t.Fatal(err)
		}
		keep(t, dir+filepath.Base(chart), data)
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); cmp.Or(err, z.Close()) != nil || b.Len() > store.MostKept {
		t.Fatalf("%d bytes, %v", b.Len(), err)
	}
	return b.Bytes()
}

// keepLive writes a run of make bench-live or make bench-peers, with some 40 turns of each operation and all of the loops.
func keepLive(t *testing.T, r *results.Run, dir string) {
	t.Helper()
	for i := range r.Live.Rows {
		row := &r.Live.Rows[i]
		step, n := 1, make(map[string]int)
		for _, s := range row.Throughput {
			what := fmt.Sprint(s.Op, s.Goroutines)
			n[what]++
			step = max(step, n[what]/40)
		}
		row.Throughput = slices.DeleteFunc(row.Throughput, func(s results.LiveThroughput) bool { return !s.Op.Loop() && s.Turn%step > 0 })
	}
	var b bytes.Buffer
	if err := store.Encode(&b, r); err != nil {
		t.Fatal(err)
	}
	keep(t, dir+store.Slug(r.Environment)+".json.gz", zipped(t, b.Bytes()))
}
