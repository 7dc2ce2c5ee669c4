package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// live saves its results in a new folder or in the folder of a run, even if it cannot print them.
func TestLive(t *testing.T) {
	into, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	put(t, into, resultsOf(t, aRun(t)))
	t.Parallel()
	folder, r, err := (&liveFlags{out: own}).open()
	if err != nil || !r.Complete || r.Parameters.Profile != "live" {
		t.Fatalf("%v: %+v", err, r)
	}
	if err := folder.Close(); err != nil {
		t.Error(err)
	}
	var printed, errs bytes.Buffer
	code := execute([]string{"live", "--n", "1000", "--goroutines", "1", "--drivers", "tickless", "--shards", "2", "--for", "4s",
		"--into", into, "--markdown"}, io.MultiWriter(&printed, full{}), &errs)
	if code != exitError {
		t.Errorf("exit %d", code)
	}
	says(t, errs.String(), "no space left")
	says(t, printed.String(), "Throughput with 1 goroutine among 1,000 timers", "Lateness", "Idle", "| auto tickless, shards 2 |")
	if r := resultsOf(t, into); len(r.Live.Rows) != 3 || len(r.Cells) != 4 || r.Parameters.Profile != "smoke" {
		t.Errorf("%+v", r)
	}
	says(t, readText(t, filepath.Join(into, results.Benchmarks)), "op=schedule+stop")
}

// Results of live have no cells, so that they do not replace the latest run, which compare reads.
func TestLiveIsNotTheLatestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{tiny,
		{"live", "--n", "1000", "--goroutines", "1", "--drivers", "tickless", "--shards", "1", "--for", "4s"}} {
		cmd := command(args...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, latest)); err != nil || !strings.HasSuffix(to, "-smoke") {
		t.Errorf("the latest run is %q, error %v", to, err)
	}
}
