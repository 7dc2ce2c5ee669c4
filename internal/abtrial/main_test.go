package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The slowdown is planted into a copy of the structure, which must still build.
func TestTheSlowdownFitsTheStructure(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join("structures", planted)
	copied := t.TempDir()
	if err := os.CopyFS(filepath.Join(copied, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := plant(copied); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(copied, folder, "core.go"))
	if err != nil || bytes.Count(text, []byte("\tspin()\n")) != 1 {
		t.Fatalf("%v: the loop is called %d times, want once", err, bytes.Count(text, []byte("\tspin()\n")))
	}
	overlay := filepath.Join(copied, "overlay.json")
	var files []string
	for _, name := range []string{"core.go", "spin.go"} {
		files = append(files, `"`+filepath.Join(root, folder, name)+`": "`+filepath.Join(copied, folder, name)+`"`)
	}
	if err := os.WriteFile(overlay, []byte(`{"Replace": {`+strings.Join(files, ", ")+`}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", "-overlay", overlay, "../../"+folder).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(copied, folder, "core.go"), []byte("package "+planted+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := plant(copied); err == nil || !strings.Contains(err.Error(), "want one line") {
		t.Errorf("another structure: %v", err)
	}
}

func TestBadFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-percent", "0"}, {"-same", "-1"}, {"-layouts", "0"}, {"-pairs", "1"}, {"now"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "want counts") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
