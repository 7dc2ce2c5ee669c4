package schedtest_test

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// Whoever tests a structure of his own imports this package. It knows structures by the
// contract only, so it imports none and no part of one.
func TestImportsNoStructure(t *testing.T) {
	const module = "github.com/timerbench/timerbench/"
	p, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for _, path := range p.Imports {
		if path, ok := strings.CutPrefix(path, module); ok {
			ours = append(ours, path)
		}
	}
	want := []string{"internal/longtest", "structures", "structures/internal/checking", "structures/internal/rules", "structures/schedtest/model", "structures/shape"}
	if !slices.Equal(ours, want) {
		t.Errorf("imports %q, want %q", ours, want)
	}
}
