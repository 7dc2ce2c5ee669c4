package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// tiny is the quickest run that there is. Runs count allocations of the whole
// process, so that tests with a run in them are not parallel.
var tiny = []string{"run", "-p", "smoke", "-s", "^hwheel$", "-w", "^churn$", "-n", "10", "--trials", "6"}

// must runs a command line that has to succeed.
func must(t *testing.T, args ...string) (stderr string) {
	t.Helper()
	code, _, stderr := run(args...)
	if code != 0 {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return stderr
}

// contents returns the files below a folder, links left out.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What README says to type, one after the other: no run touches what another one
// has left, and the report is that of the last run.
func TestRunsLeaveOneAnotherAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	kept := make(map[string]string)
	pages := make(map[string]bool)
	check := func(step string) {
		t.Helper()
		must(t, "report")
		now := contents(t, runsFolder)
		for path, before := range kept {
			if now[path] != before {
				t.Errorf("%s changed or removed %s", step, path)
			}
		}
		kept = now
		page, err := filepath.EvalSymlinks(filepath.Join(runsFolder, latestLink, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if pages[page] {
			t.Errorf("after %s the latest page is %s, that of another run", step, page)
		}
		pages[page] = true
	}
	must(t, append(tiny, "-w", "churn|idle")...)
	check("a run")
	must(t, tiny...)
	check("the same run again")
	must(t, "trace", "make", "-w", "churn", "-n", "10", "--ops", "1e4", "-o", "my.trace")
	must(t, "trace", "replay", "my.trace", "-s", "^hwheel$", "--trials", "6")
	check("a replay")
	latest, err := results.Read(filepath.Join(runsFolder, latestLink, resultsFile))
	if err != nil || latest.Cells[0].Workload != "trace-churn" {
		t.Errorf("the latest run is %+v, %v", latest, err)
	}
}

func TestACompleteRunIsNotReplaced(t *testing.T) {
	out := t.TempDir()
	must(t, append(tiny, "-o", out)...)
	before := contents(t, out)
	code, _, stderr := run(append(tiny, "-o", out)...)
	if code != exitError {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"--out " + out, filepath.Join(out, resultsFile) + " is a complete run of 2", "choose another folder"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q does not say %q", stderr, want)
		}
	}
	if after := contents(t, out); len(after) != len(before) || after[filepath.Join(out, resultsFile)] != before[filepath.Join(out, resultsFile)] {
		t.Error("the refused run changed the folder")
	}

	// What is no run of ours is not replaced either.
	foreign := filepath.Join(t.TempDir(), resultsFile)
	if err := os.WriteFile(foreign, []byte(`{"mine": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(append(tiny, "-o", filepath.Dir(foreign))...); code != exitError || !strings.Contains(stderr, foreign+": not a results file") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Neither what an interrupted run has finished nor the layouts of one that was interrupted
// before its first layout was done are replaced.
func TestAnInterruptedRunIsNotReplaced(t *testing.T) {
	partial := results.Run{Format: results.Format, Version: results.Version, Created: time.Now()}
	for _, below := range []string{resultsFile, filepath.Join(layoutsFolder, "1", resultsFile)} {
		out := t.TempDir()
		path := filepath.Join(out, below)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), results.Write(path, &partial)); err != nil {
			t.Fatal(err)
		}
		before := contents(t, out)
		code, _, stderr := run(append(tiny, "-o", out)...)
		if want := "--out " + out + ": it holds an interrupted run, which is not replaced: go on with it by run --resume"; code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("exit %d: %s, want %q", code, stderr, want)
		}
		if !maps.Equal(contents(t, out), before) {
			t.Error("the refused run changed the folder")
		}
	}
}

func TestAFileInThePlaceOfTheLinkIsNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	link := filepath.Join(runsFolder, latestLink)
	if err := errors.Join(os.Mkdir(runsFolder, 0o755), writeText(link, "mine")); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := run(tiny...)
	if code != exitError || !strings.Contains(stderr, link+" is no link to a run and is not replaced") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if got := contents(t, runsFolder); len(got) != 1 || got[link] != "mine" {
		t.Errorf("the refused run left %v", got)
	}
}

func TestTwoRunsIntoOneFolderAreRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	first, err := openRunFolder(out, "smoke", time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := run(append(tiny, "-o", out)...)
	if code != exitError || !strings.Contains(stderr, "--out "+out+": another run is writing into this folder") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run without results left its folder behind")
	}
	must(t, append(tiny, "-o", out)...)
	if _, err := os.Stat(filepath.Join(out, lockFile)); err == nil {
		t.Error("the lock was left behind")
	}
}

func TestTwoRunsInOneSecondGetTwoFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 21, 7, 30, 12, 0, time.UTC)
	var got []string
	for range 2 {
		f, err := openRunFolder("", "normal", now, false)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.close() }()
		got = append(got, filepath.ToSlash(f.path))
	}
	if want := []string{"out/2026-11-21-073012-normal", "out/2026-11-21-073012-normal-2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLocateFindsTheLastCompleteRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(folder string, day int, complete bool) {
		t.Helper()
		dir := filepath.Join(root, folder)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r := results.Run{Format: results.Format, Version: results.Version, Complete: complete,
			Created: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)}
		if err := results.Write(filepath.Join(dir, resultsFile), &r); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		got, err := locate(root)
		if err != nil || got != filepath.Join(root, want, resultsFile) {
			t.Errorf("%s, %v, want that in %q", got, err, want)
		}
	}
	if _, err := locate(root); err == nil || !strings.Contains(err.Error(), root+": no results.json") {
		t.Errorf("an empty folder: %v", err)
	}
	write("stopped", 9, false)
	expect("stopped")
	write(".", 1, true) // as older versions wrote it
	expect(".")
	write("a", 3, true)
	write("b", 2, true)
	expect("a")
	if err := os.WriteFile(filepath.Join(root, "b", resultsFile), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect("a")
	if _, err := locate(filepath.Join(root, "b")); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, err := locate(filepath.Join(root, "c")); err == nil || !strings.Contains(err.Error(), "no such file or folder") {
		t.Errorf("a missing folder: %v", err)
	}
	if got, err := locate(filepath.Join(root, "b", resultsFile)); err != nil || got != filepath.Join(root, "b", resultsFile) {
		t.Errorf("a file: %s, %v", got, err)
	}
}
