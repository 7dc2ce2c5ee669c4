package main

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
)

func TestExplain(t *testing.T) {
	done := aRun(t)
	t.Chdir(t.TempDir())
	stdout, stderr := must(t, "explain", "hwheel")
	says(t, stdout, "hwheel\n", "Varghese & Lauck", "│ 103 │", "2. Cancel the timer of tick 210", "x210", "arrival buffer", " cells")
	if want := "results: the run that is part of this program"; !strings.HasPrefix(stderr, want) {
		t.Errorf("explain says %q, want %q", stderr, want)
	}
	for _, from := range []string{done, filepath.Join(done, runs.Results)} {
		stdout, stderr := must(t, "explain", "rbtree", "-r", from)
		if says(t, stdout, "of 4 cells"); stderr != "" {
			t.Errorf("with results it says %q", stderr)
		}
	}
	if stdout, _ := must(t, "explain", "rbtree", "-r", done, "--html", "page.html"); stdout != "" {
		t.Errorf("it prints %q", stdout)
	}
	says(t, readText(t, "page.html"), "<title>rbtree</title>", "How rbtree works")
}

// The CSV of the page has each trial.
func TestCSV(t *testing.T) {
	r := resultsOf(t, aRun(t))
	var text strings.Builder
	if err := results.WriteCSV(&text, r); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(lines) < 50 {
		t.Fatalf("%v: %d lines", err, len(lines))
	}
	lineCount := make(map[string]int)
	for _, line := range lines[1:] {
		field := make(map[string]string)
		for i, column := range lines[0] {
			field[column] = line[i]
		}
		if count := field["count"]; field["ns"] != "" {
			ns, err1 := strconv.ParseFloat(field["ns"], 64)
			n, err2 := strconv.ParseFloat(count, 64)
			per, err3 := strconv.ParseFloat(field["ns_per_op"], 64)
			if err1 != nil || err2 != nil || err3 != nil || per != ns/n {
				t.Errorf("%q", line)
			}
		}
		if e := r.Environment; field["cpu"] != e.CPU || field["kernel"] != e.Kernel || field["arch_level"] != e.ArchLevel ||
			field["seed"] != "9" || field["memory_bytes"] != fmt.Sprint(e.Memory) {
			t.Fatalf("%q is not of %+v", line, e)
		}
		lineCount[strings.Join([]string{field["table"], field["workload"], field["n"], field["structure"], field["role"], field["op"]}, " ")]++
	}
	for line, want := range map[string]int{
		"cost hold 50 hwheel structure lifecycle": 2, "kind hold 50 hwheel structure schedule": 2,
		"latency hold 50 hwheel structure schedule": 1, "memory  50 hwheel  ": 1,
	} {
		if lineCount[line] != want {
			t.Errorf("%d lines of %s, want %d", lineCount[line], line, want)
		}
	}
}
