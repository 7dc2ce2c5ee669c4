package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
)

func TestTwoRunsInOneSecondGetTwoFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 21, 7, 30, 12, 0, time.UTC)
	var got []string
	for range 2 {
		f, err := store.OpenFolder("", "normal", now, false)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		got = append(got, filepath.ToSlash(f.Path))
	}
	if want := []string{"out/2026-11-21-073012-normal", "out/2026-11-21-073012-normal-2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLocateFindsTheLastCompleteRun(t *testing.T) {
	root := t.TempDir()
	write := func(folder string, day int, complete bool) {
		t.Helper()
		folder = filepath.Join(root, folder)
		r := &results.Run{Format: results.Format, Version: results.Version, Complete: complete, Created: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)}
		if err := errors.Join(os.MkdirAll(folder, 0o755), store.Save(folder, r)); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		got, err := store.Locate(root)
		if err != nil || got != filepath.Join(root, want, store.FileName) {
			t.Errorf("%s, %v, want that in %q", got, err, want)
		}
	}
	if _, err := store.Locate(root); err == nil || !strings.Contains(err.Error(), root+": no results.json") {
		t.Errorf("an empty folder: %v", err)
	}
	write("stopped", 9, false)
	expect("stopped")
	write(".", 1, true)
	expect(".")
	write("a", 3, true)
	write("b", 2, true)
	expect("a")
	damaged := filepath.Join(root, "b", store.FileName)
	if err := os.WriteFile(damaged, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect("a")
	if _, err := store.Locate(filepath.Join(root, "b")); err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("a damaged file: %v", err)
	}
	if got, err := store.Locate(damaged); err != nil || got != damaged {
		t.Errorf("a file: %s, %v", got, err)
	}
}
