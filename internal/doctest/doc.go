// Package doctest tests the documents against the program: links, commands, tables and figures; imports between packages;
// and the size of the code. It has tests, and what tests of other packages need to check a document.
package doctest

import (
	"os"
	"strings"
	"testing"
)

// Generated checks what a document has between two marks, or rewrites it.
func Generated(t *testing.T, update bool, path, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if err != nil || !ok || !ok2 {
		t.Fatalf("%s has nothing between %q and %q: %v", path, begin, end, err)
	}
	if got != want && update {
		err = os.WriteFile(path, []byte(before+begin+want+end+after), 0o644)
	}
	if err != nil || got != want && !update {
		t.Errorf("%s says (run with -update, %v):\n%s\nwant:\n%s", path, err, got, want)
	}
}
