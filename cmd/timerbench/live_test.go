package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

var tinyLive = []string{"live", "--n", "1000", "--goroutines", "1", "--drivers", "tickless", "--shards", "2", "--for", "3s"}

// The results of live have a folder of their own, or go into that of a run.
func TestLive(t *testing.T) {
	// A run counts the allocations of the whole process, so it is made before the
	// parallel tests go on.
	other := t.TempDir()
	must(t, append(tiny, "-o", other)...)
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own")
	code, stdout, stderr := run(append(tinyLive, "--out", own)...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"Throughput with 1 goroutine among 1,000 timers", "Lateness", "Idle", "auto tickless, shards 2"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	r, err := results.Read(filepath.Join(own, resultsFile))
	if err != nil || !r.Complete || len(r.Live.Rows) != 3 || r.Parameters.Profile != "live" {
		t.Fatalf("%v, %+v", err, r)
	}
	if lines, err := os.ReadFile(filepath.Join(own, benchfmtFile)); err != nil || !bytes.Contains(lines, []byte("op=schedule+stop")) {
		t.Errorf("no benchmark lines: %v", err)
	}
	if code, _, stderr := run(append(tinyLive, "--out", own)...); code != exitError || !strings.Contains(stderr, "complete run") {
		t.Errorf("exit %d: %s", code, stderr)
	}

	// What is measured is kept where its output is lost.
	var printed, errs bytes.Buffer
	code = execute(append(tinyLive, "--into", other, "--markdown"), io.MultiWriter(&printed, full{}), &errs)
	if code != exitError || !strings.Contains(errs.String(), "no space left") || !strings.Contains(printed.String(), "| auto tickless, shards 2 |") {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), printed.String())
	}
	r, err = results.Read(filepath.Join(other, resultsFile))
	if err != nil || len(r.Live.Rows) != 3 || len(r.Cells) != 1 || r.Parameters.Profile != "smoke" {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestLiveSaysWhichFlagIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		`no structure matches "wheeel" (did you mean "wheel"?)`:          {"--structure", "wheeel"},
		`no kind of driver matches "tickles" (did you mean "tickless"?)`: {"--drivers", "tickles"},
		`--shards "0": want numbers from 1 to 4096, or default`:          {"--shards", "1,0"},
		"--goroutines 0: want numbers from 1 to 1024":                    {"--goroutines", "0"},
		"--n 2: want at least one timer for each of 8 goroutines":        {"--n", "2"},
		"--rate 1: want a number from 100 to 1e7":                        {"--rate", "1"},
		"1s is too short for 3 contenders":                               {"--for", "1s", "--drivers", "tickless", "--shards", "1"},
		"--into " + dir + ": want a folder that holds the results":       {"--into", dir},
		"if any flags in the group [out into] are set none of":           {"--into", dir, "--out", dir},
		"list tickless is made for 10000 timers at most":                 {"--structure", "^list$", "--drivers", "tickless", "--shards", "default", "--for", "1ms"},
	} {
		args = append([]string{"live"}, args...)
		if !slices.Contains(args, dir) {
			args = append(args, "--out", filepath.Join(dir, "new"))
		}
		if code, _, stderr := run(args...); code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
}
