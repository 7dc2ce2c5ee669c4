package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestAFileAppearsWholeOrNotAtAll(t *testing.T) {
	// A temporary file elsewhere may be on another disk.
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteBytes(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("the disk is full")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the sec")
		if got := names(t, dir); len(got) != 2 {
			t.Errorf("while it is written there are %q, want the file and another one beside it", got)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "first" {
		t.Errorf("%q, %v: want the file as it was", data, err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left %q", got)
	}
	if err := WriteBytes(path, []byte("second")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "second" {
		t.Errorf("%q, %v", data, err)
	}
}
