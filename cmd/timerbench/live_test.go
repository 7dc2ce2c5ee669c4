package main

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/timerbench/timerbench/bench/runs"
)

var tinyLive = []string{"live", "--n", "1000", "--goroutines", "1", "--drivers", "tickless", "--shards", "2", "--for", "2200ms"}

// The results of live have a folder of their own, or go into that of a run.
func TestLive(t *testing.T) {
	other := t.TempDir()
	put(t, other, resultsOf(t, aRun(t)))
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own")
	stdout, _ := must(t, append(tinyLive, "--out", own)...)
	says(t, stdout, "Throughput with 1 goroutine among 1,000 timers", "Lateness", "Idle", "auto tickless, shards 2")
	if r := resultsOf(t, own); !r.Complete || len(r.Live.Rows) != 3 || r.Parameters.Profile != "live" {
		t.Fatalf("%+v", r)
	}
	says(t, readText(t, filepath.Join(own, runs.Benchmarks)), "op=schedule+stop")
	refused(t, append(tinyLive, "--out", own), "complete run")

	// What is measured is kept where its output is lost.
	var printed, errs bytes.Buffer
	code := execute(append(tinyLive, "--into", other, "--markdown"), io.MultiWriter(&printed, full{}), &errs)
	if code != exitError {
		t.Errorf("exit %d", code)
	}
	says(t, errs.String(), "no space left")
	says(t, printed.String(), "| auto tickless, shards 2 |")
	if r := resultsOf(t, other); len(r.Live.Rows) != 3 || len(r.Cells) != 4 || r.Parameters.Profile != "smoke" {
		t.Errorf("%+v", r)
	}
}

const timeApp = "package app\n\nimport \"time\"\n\nfunc f() { time.AfterFunc(time.Second, f) }\n"

// What can move is listed; nothing is written into a module that has no driver.
func TestDriverRewrite(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOPROXY", "off")
	writeText(t, "go.mod", "module example.com/app\n")
	writeText(t, "app.go", timeApp)
	stdout, stderr := must(t, "driver", "rewrite")
	says(t, stdout, "app.go:5:12: time.AfterFunc -> timers.Schedule\n")
	says(t, stderr, "timers.go is to declare timers", "1 of 1 uses can move")
	code, _, stderr := run("driver", "rewrite", "-w", "./...")
	if got := readText(t, "app.go"); code != exitError || got != timeApp {
		t.Errorf("exit %d, app.go is %q", code, got)
	}
	says(t, stderr, "nothing is written: the module needs github.com/timerbench/timerbench/driver")
	refused(t, []string{"driver", "rewrite", "./none"}, "none: directory not found")
}
