package rewrite

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what comes out into testdata")

// unpack writes files into a folder, and a go.mod that leads to the driver.
func unpack(t *testing.T, files []txtar.File) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod") // go.mod may say less than what tidy would write
	dir = t.TempDir()
	mod := "module example.com/app\n\ngo 1.26\n\nrequire github.com/timerbench/timerbench v0.0.0\n" +
		"replace github.com/timerbench/timerbench => " + root + "\n"
	for _, f := range append([]txtar.File{{Name: "go.mod", Data: []byte(mod)}}, files...) {
		path := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, f.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each archive has packages in a folder of its name, what is said of them, and the files as they are
// written. What is written compiles: else nothing would be. All of them are one module, since
// loading takes the time.
func TestArchives(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.txtar")
	if len(names) == 0 {
		t.Fatal("no archives")
	}
	var archives []*txtar.Archive
	var before []txtar.File
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, a)
		for _, f := range a.Files {
			if f.Name != "want" && !strings.HasPrefix(f.Name, "after/") {
				before = append(before, f)
			}
		}
	}
	cfg := Config{Dir: unpack(t, before), Patterns: []string{"./..."}, Driver: "timers"}
	plan, err := Make(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, u := range plan.Uses {
		lines = append(lines, u.String())
	}
	for _, note := range plan.Notes {
		lines = append(lines, "note: "+note)
	}
	if err := plan.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, a := range archives {
		folder := strings.TrimSuffix(filepath.Base(names[i]), ".txtar") + "/"
		isOf := func(text string) bool { return strings.Contains(text, folder) }
		var want strings.Builder
		for _, line := range lines {
			if isOf(line) {
				want.WriteString(line + "\n")
			}
		}
		got := &txtar.Archive{Comment: a.Comment}
		for _, f := range a.Files {
			if strings.HasPrefix(f.Name, folder) {
				got.Files = append(got.Files, f)
			}
		}
		got.Files = append(got.Files, txtar.File{Name: "want", Data: []byte(want.String())})
		for _, path := range slices.DeleteFunc(plan.Files(), func(path string) bool { return !isOf(path) }) {
			data, err := os.ReadFile(filepath.Join(cfg.Dir, path))
			if err != nil {
				t.Fatal(err)
			}
			got.Files = append(got.Files, txtar.File{Name: "after/" + filepath.ToSlash(path), Data: data})
		}
		text := txtar.Format(got)
		if *update {
			if err := os.WriteFile(names[i], text, 0o666); err != nil {
				t.Fatal(err)
			}
		} else if want := txtar.Format(a); !bytes.Equal(text, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", names[i], text, want)
		}
	}
	again, err := Make(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Files()) > 0 {
		t.Errorf("a second time it would write %v", again.Files())
	}
}

func TestBadInputIsRefusedWithAReason(t *testing.T) {
	const sound = "package a\n\nimport \"time\"\n\nfunc f() { time.AfterFunc(1, f) }\n"
	dir := unpack(t, []txtar.File{
		{Name: "a/a.go", Data: []byte(sound)},
		{Name: "broken/b.go", Data: []byte("package b\n\nfunc f() { g() }\n")},
		{Name: "taken/a.go", Data: []byte(sound)},
		{Name: "taken/timers.go", Data: []byte("package a\n")},
	})
	bare := unpack(t, []txtar.File{{Name: "a.go", Data: []byte(sound)}})
	if err := os.WriteFile(filepath.Join(bare, "go.mod"), []byte("module example.com/bare\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	for _, test := range []struct{ dir, driver, pattern, want string }{
		{dir, "timers", "./none", "none: directory not found"},
		{dir, "timers", "./a/none/...", "no such file or directory"},
		{dir, "timers", "a/a.go", "want packages, and no files"},
		{dir, "timers", "fmt", "fmt is not a package of this module"},
		{dir, "timers", "./broken", "broken/b.go:3:12: undefined: g"},
		{dir, "timers", "./taken", "timers.go is there, and does not declare timers"},
		{dir, "1x", "./a", `driver "1x": want the name of a variable`},
		{dir, "driver", "./a", `driver "driver": want`},
		{bare, "timers", ".", "nothing is written: the module needs " + DriverPath},
	} {
		plan, err := Make(t.Context(), Config{Dir: test.dir, Driver: test.driver, Patterns: []string{test.pattern}})
		if err == nil {
			err = plan.Write(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: error %v, want one with %q", test.driver, test.pattern, err, test.want)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a/a.go")); err != nil || string(data) != sound {
		t.Errorf("a.go is now %q, %v", data, err)
	}
}
