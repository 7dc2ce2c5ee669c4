package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func TestExport(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := run("run", "--profile", "smoke", "-s", "^hwheel$", "-w", "^(hold|cron-aligned)$", "--n", "50", "--trials", "2", "--out", dir); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r, err := results.Read(filepath.Join(dir, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	code, text, stderr := run("export", "--csv", dir)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines[0]) != 13 {
		t.Fatalf("%v: %v", err, lines[0])
	}
	trials := make(map[string]int)
	for _, line := range lines[1:] {
		ns, err1 := strconv.ParseFloat(line[8], 64)
		count, err2 := strconv.ParseFloat(line[9], 64)
		per, err3 := strconv.ParseFloat(line[10], 64)
		if err1 != nil || err2 != nil || err3 != nil || per != ns/count {
			t.Errorf("%q", line)
		}
		trials[strings.Join(line[:5], " ")]++
	}
	if trials["hold 50 hwheel structure lifecycle"] != 2 || trials["hold 50 hwheel structure schedule"] != 2 {
		t.Errorf("%v", trials)
	}

	file := filepath.Join(t.TempDir(), "new.txt")
	if code, _, stderr := run("export", "--benchfmt", "-o", file, dir); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	exported, err1 := os.ReadFile(file)
	written, err2 := os.ReadFile(filepath.Join(dir, benchfmtFile))
	if err1 != nil || err2 != nil || string(exported) != string(written) {
		t.Errorf("%v, %v: the benchmark lines are not those of the run", err1, err2)
	}

	folder := filepath.Join(t.TempDir(), "h")
	if code, _, stderr := run("export", "--hgrm", "-o", folder, dir); code != 0 || !strings.Contains(stderr, "files are in") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	hgrm, err := os.ReadFile(filepath.Join(folder, "hold-50-hwheel-schedule.hgrm"))
	if err != nil {
		t.Fatal(err)
	}
	var latency results.Latency
	for _, row := range r.Cells[0].Rows {
		for _, l := range row.Latency {
			if row.Structure == "hwheel" && l.Kind.String() == "schedule" {
				latency = l
			}
		}
	}
	for _, want := range []string{"Total count    = " + pad(latency.Samples), "Made of " + strconv.Itoa(len(latency.Quantiles)) + " quantiles of " + strconv.FormatInt(latency.Samples, 10) + " samples"} {
		if !strings.Contains(string(hgrm), want) {
			t.Errorf("it does not say %q:\n%s", want, hgrm)
		}
	}
}

// pad is a number as percentile files have it.
func pad(n int64) string {
	s := strconv.FormatInt(n, 10)
	return strings.Repeat(" ", max(0, 12-len(s))) + s
}

func TestExportRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	bare := filepath.Join(dir, "bare")
	if err := os.Mkdir(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := save(bare, &results.Run{Format: results.Format, Version: results.Version, Complete: true}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no format":    {[]string{bare}, "at least one of the flags"},
		"two formats":  {[]string{"--csv", "--hgrm", bare}, "none of the others can be"},
		"no file":      {[]string{"--csv", filepath.Join(dir, "none")}, "no such file or folder"},
		"two files":    {[]string{"--csv", bare, bare}, "accepts at most 1"},
		"no folder":    {[]string{"--hgrm", bare}, "want a folder for them in --out"},
		"no latencies": {[]string{"--hgrm", "-o", filepath.Join(dir, "h"), bare}, "hold no latencies"},
		"unwritable":   {[]string{"--csv", "-o", filepath.Join(dir, "none", "x"), bare}, "--out "},
	} {
		code, _, stderr := run(append([]string{"export"}, c.args...)...)
		if code != exitError || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d: %s, want %q", name, code, stderr, c.want)
		}
	}
}
