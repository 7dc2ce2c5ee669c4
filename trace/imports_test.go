package trace_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that records imports this package, which may import only the contract of structures and a compressor.
func TestARecordedProgramImportsACompressorAtMost(t *testing.T) {
	const module, compressor = "github.com/timerbench/timerbench/", "github.com/klauspost/compress"
	list := func(path string) []string {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	for _, dep := range list(module + "trace") {
		own := dep == module+"trace" || dep == module+"structures"
		if !own && !strings.HasPrefix(dep+"/", compressor+"/") {
			t.Errorf("package trace imports %s", dep)
		}
	}
}
