package trace_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that is recorded imports this package: the contract of structures, a
// compressor, and nothing else.
func TestARecordedProgramImportsACompressorAtMost(t *testing.T) {
	const module, compressor = "github.com/timerbench/timerbench/", "github.com/klauspost/compress"
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+"trace").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		switch dep {
		case module + "trace", module + "structures":
			continue
		}
		if dep != compressor && !strings.HasPrefix(dep, compressor+"/") {
			t.Errorf("package trace imports %s", dep)
		}
	}
}
