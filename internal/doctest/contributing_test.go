package doctest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// CONTRIBUTING says that a structure is one folder and one entry, and a workload or a chart one
// file and one line. They are added here, to a copy that exists for the compiler only:
// the structure passes the suite, the tests that go through the catalog pass with it, and
// the command measures it on the workload and draws the chart.
func TestStructuresWorkloadsAndChartsAreAddedAsContributingSays(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
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
	read := func(path string) string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	// oneLine adds one line to a list, and the import that an editor adds for it.
	oneLine := func(path, before, line, imported string) {
		t.Helper()
		old := read(path)
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
	add("structures/mything/mything.go", read("internal/doctest/testdata/structure.go.txt"))
	add("structures/mything/mything_test.go", read("internal/doctest/testdata/structure_test.go.txt"))
	oneLine("structures/catalog/catalog.go", "\t\tof(minheap.New[T], ", read("internal/doctest/testdata/entry.go.txt"), module+"structures/mything")
	add("bench/workload/mything.go", read("internal/doctest/testdata/workload.go.txt"))
	oneLine("bench/workload/model.go", "\t\t{Name: \"hold\"", "\t\t{Name: \"mything\", Defaults: &MyThing{}},", "")
	oneLine("bench/workload/programs.toml", "[[workload]]\nname = 'periodic'", read("internal/doctest/testdata/workload.toml.txt"), "")
	add("report/section/mything.go", read("internal/doctest/testdata/chart.go.txt"))
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
	page := read(filepath.Join(out, "report.md"))
	for _, want := range []string{"| mything |", "## How many timers are there?", "(report-charts/mything.svg)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	read(filepath.Join(out, "report-charts", "mything.svg"))
}
