// Package fail ends tests, or marks them as failed, with the reason. It is for the tests of all packages.
package fail

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// If ends the test if there is an error. what names the case.
func If(t testing.TB, err error, what ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(what, err)...)
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

// UnlessLacks marks the test as failed if a text contains any of the parts.
func UnlessLacks(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("it says %q:\n%.4000s", part, text)
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

// UnlessSame marks the test as failed unless got is equal to want, as by reflect.DeepEqual. what names the case.
func UnlessSame[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
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

// Compiled compiles a program in C that includes files of a folder, and returns its path. It skips the test without a compiler.
func Compiled(t testing.TB, source, includes string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler (cc), so no program of another language to test with")
	}
	path := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command(cc, "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-I"+includes, "-o", path, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
