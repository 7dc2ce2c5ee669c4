package doctest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
)

// CONTRIBUTING says that a structure is one folder and one entry, and a workload or a chart one
// file and one line. They are added here, to a copy that exists for the compiler only:
// the structure passes the suite, the tests that go through the catalog pass with it, and
// the command measures it on the workload and draws the chart.
func TestStructuresWorkloadsAndChartsAreAddedAsContributingSays(t *testing.T) {
	if longtest.Scale(t, 0, 0, 1) == 0 {
		t.Skip("it compiles most packages once more: with " + longtest.Env + "=1")
	}
	t.Parallel()
	dir := t.TempDir()
	files := make(map[string]string)
	add := func(path, content string) {
		t.Helper()
		to := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(to, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		files[full] = to
	}
	// oneLine adds one line to a list, and the import that an editor adds for it.
	oneLine := func(path, before, line, imported string) {
		t.Helper()
		old := read(t, path)
		with := strings.Replace(old, before, line+"\n"+before, 1)
		if with == old {
			t.Fatalf("%s has no line %q", path, before)
		}
		if imported != "" {
			with = strings.Replace(with, "import (", "import (\n\t\""+imported+"\"", 1)
		}
		add(path, with)
	}
	const module = "github.com/timerbench/timerbench/"
	add("structures/mything/mything.go", read(t, "internal/doctest/testdata/structure.go.txt"))
	add("structures/mything/mything_test.go", read(t, "internal/doctest/testdata/structure_test.go.txt"))
	oneLine("structures/catalog/catalog.go", "\t\tof(minheap.New[T], ", read(t, "internal/doctest/testdata/entry.go.txt"), module+"structures/mything")
	add("bench/workload/mything.go", read(t, "internal/doctest/testdata/workload.go.txt"))
	oneLine("bench/workload/model.go", "\t\t{Name: \"hold\"", "\t\t{Name: \"mything\", Defaults: &MyThing{}},", "")
	oneLine("bench/workload/programs.toml", "[[workload]]\nname = 'periodic'", read(t, "internal/doctest/testdata/workload.toml.txt"), "")
	add("report/section/mything.go", read(t, "internal/doctest/testdata/chart.go.txt"))
	oneLine("report/section/section.go", "\tquestions,", "\tmything,", "")

	overlay := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	suite, command := filepath.Join(dir, "mything.test"), filepath.Join(dir, "timerbench")
	for _, args := range [][]string{
		{"go", "test", "-overlay", overlay, "-vet", "off", "-c", "-o", suite, module + "structures/mything"},
		{suite, "-test.short"},
		{"go", "build", "-overlay", overlay, "-ldflags", "-s -w", "-o", command, "./cmd/timerbench"}, // quick to link
		{command, "run", "--structure", "^mything$", "--workload", "^mything$", "--n", "50", "--trials", "1", "--out", out},
		{command, "report", out},
		{command, "explain", "mything", "--results", out},
	} {
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}
	page := read(t, filepath.Join(out, "report.md"))
	for _, want := range []string{"| mything |", "## How many timers are there?", "(report-charts/mything.svg)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	read(t, filepath.Join(out, "report-charts", "mything.svg"))
}
