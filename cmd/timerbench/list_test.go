package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

func TestListNamesEverything(t *testing.T) {
	short, _ := must(t, "list")
	long, _ := must(t, "list", "structures", "--long")
	for _, e := range catalog.All() {
		fail.Unless(t, short, "\n "+e.Name+" ")
		fail.Unless(t, long, e.Source)
	}
	for _, w := range workload.All() {
		fail.Unless(t, short, "\n "+w.Name+" ", w.Summary[:20])
	}
	for _, k := range workload.Kinds() {
		fail.Unless(t, short, "\n "+k.Name+" ")
	}
	only, _ := must(t, "list", "workloads")
	fail.Unless(t, only, "cache-ttl")
	fail.UnlessLacks(t, only, "red-black")
}

// The scenario files of the project run and are proved.
func TestTheShippedScenariosRun(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("scenario files %q, %v", files, err)
	}
	args := []string{"verify", "--structure", "^hwheel$", "--seeds", "1"}
	for _, f := range files {
		args = append(args, "--scenario", f)
	}
	stdout, _ := must(t, args...)
	checked, _ := must(t, append([]string{"scenario", "check"}, files...)...)
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".toml")
		fail.Unless(t, stdout, name+", n ")
		fail.Unless(t, checked, "\n "+name+" ")
	}
	fail.Unless(t, checked, "DELAYS")
	fail.Unless(t, stdout, fmt.Sprintf("in %d cells", len(files))) // and in no built-in one
}

// "make bench" replays each recording of traces, so each is long enough.
func TestTheKeptRecordingsCanBeMeasured(t *testing.T) {
	stdout, _ := must(t, "run", "--dry-run", "--traces", "../../traces", "-w", "^trace-")
	files, err := filepath.Glob("../../traces/*.trace")
	if err != nil || len(files) < 2 {
		t.Fatalf("recordings %q, %v", files, err)
	}
	for _, f := range files {
		fail.Unless(t, stdout, "trace-"+strings.TrimSuffix(filepath.Base(f), ".trace"))
	}
}

// The commands and flags in the documents exist.
func TestTheCommandsOfTheDocumentsExist(t *testing.T) {
	lines := 0
	for _, file := range []string{"../../docs/measuring.md", "../../docs/scenarios.md", "../../README.md"} {
		for _, m := range regexp.MustCompile(`(?m)^bin/timerbench ([^#\n>|]*)`).FindAllStringSubmatch(fail.Read(t, file), -1) {
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
