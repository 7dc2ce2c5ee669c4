package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplainDrawsAStructure(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := run("explain", "hwheel")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"hwheel\n", "Varghese & Lauck", "│ 103 │", "2. Cancel the timer of tick 210", "x210", "arrival buffer", "of 7"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("explain does not say %q: %s", want, stdout)
		}
	}
	if want := "results: the run that is part of this program"; !strings.HasPrefix(stderr, want) {
		t.Errorf("explain says %q, want %q", stderr, want)
	}
}

func TestExplainSaysWhereAStructureWins(t *testing.T) {
	t.Chdir(t.TempDir())
	out := filepath.Join(runsFolder, "mine")
	if code, _, stderr := run("run", "--profile", "smoke", "--structure", "^(hwheel|list)$", "--workload", "^hold$", "--n", "50", "--trials", "1", "--out", out); code != 0 {
		t.Fatalf("run: exit %d: %s", code, stderr)
	}
	for _, args := range [][]string{{"explain", "list", "--results", out}, {"explain", "list", "-r", filepath.Join(out, resultsFile)}} {
		code, stdout, stderr := run(args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "of 1 cells") {
			t.Errorf("%q: exit %d: %s%s", args, code, stdout, stderr)
		}
	}
}

func TestExplainWritesAPageAndADrawing(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := run("explain", "rbtree", "--html", "page.html", "--svg", "drawing.svg")
	if code != 0 || stdout != "" {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for file, want := range map[string]string{"page.html": "<title>rbtree</title>", "drawing.svg": "How rbtree works"} {
		if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s does not hold %q: %v", file, want, err)
		}
	}
}

func TestExplainRefusesWithAReason(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("not results"), 0o644); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(foreign, "below")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no structure":      {nil, []string{"explain: 0 arguments, want the name of a structure"}},
		"two structures":    {[]string{"hwheel", "list"}, []string{"explain: 2 arguments"}},
		"unknown structure": {[]string{"hweel"}, []string{`no structure matches "hweel"`, `did you mean "hwheel"?`, "there are: list, "}},
		"far from any name": {[]string{"zzz"}, []string{`no structure matches "zzz"; there are: list`}},
		"missing results":   {[]string{"hwheel", "-r", "none"}, []string{"--results: none: no such file or folder"}},
		"foreign results":   {[]string{"hwheel", "-r", foreign}, []string{foreign, "not JSON"}},
		"unwritable page":   {[]string{"hwheel", "--html", below}, []string{"--html " + below}},
		"unwritable svg":    {[]string{"hwheel", "--svg", below}, []string{"--svg " + below}},
	} {
		code, stdout, stderr := run(append([]string{"explain"}, c.args...)...)
		if code != exitError || stdout != "" {
			t.Errorf("%s: exit %d, want %d; printed %q", name, code, exitError, stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q does not say %q", name, stderr, want)
			}
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the refused calls left %v behind", left)
	}
}
