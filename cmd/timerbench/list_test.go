package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

func TestListNamesEverything(t *testing.T) {
	short, _ := must(t, "list")
	long, _ := must(t, "list", "--long")
	for _, e := range catalog.All() {
		says(t, short, "\n "+e.Name+" ")
		says(t, long, e.Source)
	}
	for _, w := range workload.All() {
		says(t, short, "\n "+w.Name+" ")
		says(t, long, w.Summary)
	}
	for _, m := range workload.Models() {
		says(t, short, "\n "+m.Kind().Name+" ")
	}
	says(t, long, "any: 1,000", "658,000") // with how many timers it has measured
	if only, _ := must(t, "list", "workloads"); strings.Contains(only, "red-black") || !strings.Contains(only, "cache-ttl") {
		t.Errorf("list workloads prints %q", only)
	}
}

// The bound of hwheel-linux is a share of the delay, reached where a level begins.
func TestTheDeclaredBoundIsSaidRightly(t *testing.T) {
	for name, want := range map[string]string{"hwheel-linux": "less than 8/63 (12.7 %) of the delay", "hwheel": "never"} {
		if e, _ := catalog.Find(name); lateBy(e) != want {
			t.Errorf("%s: %q, want %q", name, lateBy(e), want)
		}
	}
}

// The scenario files that come with the project run, with proof and charts, and
// the results say what they were.
func TestTheShippedScenariosRun(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("scenario files %q, %v", files, err)
	}
	out := t.TempDir()
	args := []string{"run", "--profile", "smoke", "--structure", "^hwheel$", "--trials", "1", "--out", out}
	for _, f := range files {
		args = append(args, "--scenario", f)
	}
	must(t, args...)
	r := resultsOf(t, out)
	if len(r.Cells) != len(files) {
		t.Errorf("%d cells, want one for each of %d files and no built-in", len(r.Cells), len(files))
	}
	for i, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".toml")
		if r.Cells[i].Workload != name || r.Parameters.Scenarios[name] != readText(t, f) {
			t.Errorf("cell %d is of %q, and of %s the results keep %q", i, r.Cells[i].Workload, name, r.Parameters.Scenarios[name])
		}
		if p := r.Cells[i].Rows[1].Proof; p.Fired == 0 || p.Cancelled == 0 {
			t.Errorf("%s: proof %+v, want timers that fire and timers that are cancelled", name, p)
		}
	}
	must(t, "report", "--out", out)
	says(t, readText(t, filepath.Join(out, "report.md")), "| api-gateway | 6,000 requests a second", "The scenario file of chat-heartbeats", "[[parameters.class]]")
}

// The commands that the documents show exist, and so do their flags.
func TestTheCommandsOfTheDocumentsExist(t *testing.T) {
	lines := 0
	for _, file := range []string{"../../docs/measuring.md", "../../docs/scenarios.md", "../../README.md"} {
		for _, m := range regexp.MustCompile(`(?m)^bin/timerbench ([^#\n>|]*)`).FindAllStringSubmatch(readText(t, file), -1) {
			line, _, _ := strings.Cut(m[1], " && ")
			line, _, _ = strings.Cut(line, " -- ")
			cmd, rest, err := newRoot().Find(strings.Fields(strings.ReplaceAll(line, "'", "")))
			if err == nil && cmd.Name() != "timerbench" {
				err = cmd.ParseFlags(rest)
			}
			if err != nil || cmd.Name() == "timerbench" {
				t.Errorf("%s: %q: %v", file, line, err)
			}
			lines++
		}
	}
	if lines < 15 {
		t.Errorf("%d commands are shown, want at least 15", lines)
	}
}
