package trace_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that is recorded imports this package. With it come the contract of
// structures, the heap of Timers and a compressor, and nothing else.
func TestARecordedProgramImportsACompressorAtMost(t *testing.T) {
	const module, compressor = "github.com/timerbench/timerbench/", "github.com/klauspost/compress"
	heap := module + "structures/quadheap"
	needed := goList(t, heap)
	for _, dep := range goList(t, module+"trace") {
		switch {
		case dep == module+"trace", slices.Contains(needed, dep), dep == compressor, strings.HasPrefix(dep, compressor+"/"):
		default:
			t.Errorf("package trace imports %s", dep)
		}
	}
	for _, dep := range needed {
		if !strings.HasPrefix(dep, module+"structures") {
			t.Errorf("%s imports %s", heap, dep)
		}
	}
}

// goList returns what a package needs outside the standard library, and itself.
func goList(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
