package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/timerbench/timerbench/bench/lines"
)

func TestGoalsAreJudged(t *testing.T) {
	m := &measured{
		scale:  1,
		floors: map[int]lines.Floor{million: {Touch: 5}, 10 * million: {Touch: 8}},
		figures: []lines.Figure{
			{Line: lines.Hold, N: million, Structure: "hwheel", NS: 40},
			{Line: lines.Hold, N: million, Structure: "minheap", NS: 400},
			{Line: lines.Hold, N: million, Structure: "minheap-std", NS: 1000},
			{Line: lines.Churn, N: million, Structure: "hwheel", NS: 61},
			{Line: lines.Churn, N: million, Structure: "time", NS: 610},
		},
		memory: map[string]lines.Memory{"hwheel": {GC: 3 * time.Millisecond}},
		perN:   lines.Memory{PerTimer: 32},
		tail:   lines.Tail{P999: 1999, Max: 1e6 + 1, Calls: 7},
		idle: map[string]lines.Idle{
			"hwheel": {PerTick: 3, Took: 81 * time.Microsecond, Steps: 5, Firing: 3},
			"rbtree": {PerTick: 4, Took: 80 * time.Microsecond, Steps: 3, Firing: 3},
		},
	}
	got := m.tables(func(t table.Writer) string { return t.RenderMarkdown() })
	for _, want := range []string{
		"| hold | 1000000 | 40 | 40.0 | hwheel | 8.0x | – | – | met |",
		"| churn | 1000000 | 60 | 61.0 | hwheel | 12.2x | 610 | 10.0x | missed |",
		"| minheap | minheap-std | hold | 2x | 2.50x | hold | met |",
		"| bytes a timer beyond the value, 1000000 | 32 | 32.0 | hwheel | time 0, minheap-std 0 | met |",
		"| full collection, 10000000, ms | 2 | 3.0 | hwheel | time 0, minheap-std 0 | missed |",
		"| longest of 7 calls, 10000000, ms | 1 | 1.00 | hwheel |  | missed |",
		"| p99.9 of them, 10000000, us | 2 | 2.00 | hwheel |  | met |",
		"| 3.6 million ticks, 1000 timers, ns a tick | 3 | 3.0 | hwheel | hwheel 3.0, rbtree 4.0 | met |",
		"| the same by Next, us in all; 3 ticks fire | 80 | 80.0 | rbtree | hwheel 81 (5 steps), rbtree 80 (3 steps) | met |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

func TestGoalsRunInSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	out := t.TempDir()
	code, stdout, stderr := run("goals", "--scale", "1000", "--trials", "1", "--out", out)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	kept, err := os.ReadFile(filepath.Join(out, goalsFile))
	if err != nil || !strings.Contains(string(kept), "| fill-drain |") {
		t.Errorf("%s: %v\n%s", goalsFile, err, kept)
	}
	if strings.Contains(stdout, "met") || strings.Contains(stdout, "missed") {
		t.Errorf("goals for a million timers are judged by a thousand:\n%s", stdout)
	}
}

func TestGoalsRefuseWrongFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--trials 0: want at least 1":                 {"goals", "--trials", "0"},
		"--scale 0: want a number from 1 to 1000":     {"goals", "--scale", "0"},
		"--scale 10000: want a number from 1 to 1000": {"goals", "--scale", "10000"},
	} {
		if code, _, stderr := run(args...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
