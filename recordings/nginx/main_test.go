package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/trace/tracestat"
)

func TestALogBecomesATrace(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ng.trace")
	if err := write(out, "a try", []string{"testdata/nginx.txt"}); err != nil {
		t.Fatal(err)
	}
	s, err := tracestat.Read(out)
	if err != nil || s.Header.Name != "ng" || s.Header.Description != "a try" || s.Totals.Count() == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
}

// A log that is refused leaves no file.
func TestAForeignLogIsRefused(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "new.trace")
	for log, want := range map[string]string{"main.go": "main.go:1: ", "none": "open none"} {
		if err := write(out, "", []string{log}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", log, err, want)
		}
	}
	if err := write("", "", nil); err == nil {
		t.Error("neither file is refused")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
