// Package fail ends tests, or marks them as failed, with the reason. It is for the tests of all packages.
package fail

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If ends the test if there is an error.
func If(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Unless marks the test as failed unless a text contains each part.
func Unless(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("it does not say %q:\n%.4000s", part, text)
		}
	}
}

// Read returns the content of a file, or ends the test.
func Read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	If(t, err)
	return string(data)
}

// Write writes a file and creates its folder, or ends the test.
func Write(t testing.TB, path, text string) {
	t.Helper()
	If(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

// Files returns the names in a folder, sorted and separated by spaces, or ends the test.
func Files(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	If(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// UnlessError marks the test as failed unless there is an error that contains each part.
func UnlessError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", parts)
	} else {
		Unless(t, err.Error(), parts...)
	}
}
