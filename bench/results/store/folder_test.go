package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/fail"
)

func TestTwoRunsInOneSecondGetTwoFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 21, 7, 30, 12, 0, time.UTC)
	var got []string
	for range 2 {
		f, err := store.OpenFolder("", "normal", now, false)
		fail.If(t, err)
		defer func() { _ = f.Close() }()
		got = append(got, filepath.ToSlash(f.Path))
	}
	fail.UnlessSame(t, "the folders", got, []string{"out/2026-11-21-073012-normal", "out/2026-11-21-073012-normal-2"})
}

// A run without results removes the folders that it made. Folders of other runs stay.
func TestARunWithoutResultsLeavesNothing(t *testing.T) {
	for _, path := range []string{"", filepath.Join("a", "b", "c")} {
		for _, there := range []string{"", store.Parent, "a"} {
			t.Chdir(t.TempDir())
			fail.If(t, os.MkdirAll(filepath.Join(".", there), 0o755))
			before := fail.Files(t, ".")
			f, err := store.OpenFolder(path, "normal", time.Now(), false)
			fail.If(t, err)
			fail.If(t, f.Close())
			fail.UnlessSame(t, "the folders after a run in "+path, fail.Files(t, "."), before)
		}
	}
}

func TestLocateFindsTheLastCompleteRun(t *testing.T) {
	root := t.TempDir()
	write := func(folder string, day int, complete bool) {
		t.Helper()
		folder = filepath.Join(root, folder)
		r := &results.Run{Format: results.Format, Version: results.Version, Complete: complete, Created: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)}
		fail.If(t, errors.Join(os.MkdirAll(folder, 0o755), store.Save(folder, r)))
	}
	expect := func(want string) {
		t.Helper()
		got, err := store.Locate(root)
		if err != nil || got != filepath.Join(root, want, store.FileName) {
			t.Errorf("%s, %v, want that in %q", got, err, want)
		}
	}
	_, err := store.Locate(root)
	fail.UnlessError(t, err, root+": no results.json")
	write("stopped", 9, false)
	expect("stopped")
	write(".", 1, true)
	expect(".")
	write("a", 3, true)
	write("b", 2, true)
	expect("a")
	damaged := filepath.Join(root, "b", store.FileName)
	fail.If(t, os.WriteFile(damaged, []byte("damaged"), 0o644))
	expect("a")
	_, err = store.Locate(filepath.Join(root, "b"))
	fail.UnlessError(t, err, "not JSON")
	if got, err := store.Locate(damaged); err != nil || got != damaged {
		t.Errorf("a file: %s, %v", got, err)
	}
}
