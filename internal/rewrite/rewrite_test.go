package rewrite

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what comes out into testdata")

// unpack writes the files of an archive into a folder, and a go.mod that leads to the driver.
func unpack(t *testing.T, files []txtar.File) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod") // go.mod may say less than what tidy would write
	dir = t.TempDir()
	for _, f := range files {
		if f.Name == "go.mod" {
			f.Data = fmt.Appendf(slices.Clip(f.Data), "\nrequire github.com/timerbench/timerbench v0.0.0\n"+
				"replace github.com/timerbench/timerbench => %q\n", root)
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each archive has packages, what is said of them, and the files as they are written. What
// is written compiles: else nothing would be.
func TestArchives(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	if len(archives) == 0 {
		t.Fatal("no archives")
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var before, after, got []txtar.File
			cfg := Config{Patterns: []string{"./..."}, Driver: "timers"}
			for _, f := range a.Files {
				if f.Name == "want" || strings.HasPrefix(f.Name, "after/") {
					after = append(after, f)
				} else {
					before = append(before, f)
				}
			}
			cfg.Dir = unpack(t, before)
			plan, err := Make(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			var want strings.Builder
			for _, u := range plan.Uses {
				fmt.Fprintln(&want, u)
			}
			for _, note := range plan.Notes {
				fmt.Fprintln(&want, "note:", note)
			}
			got = append(got, txtar.File{Name: "want", Data: []byte(want.String())})
			if err := plan.Write(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, path := range plan.Files() {
				data, err := os.ReadFile(filepath.Join(cfg.Dir, path))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, txtar.File{Name: "after/" + filepath.ToSlash(path), Data: data})
			}
			if *update {
				a.Files = append(before, got...)
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if g, w := string(txtar.Format(&txtar.Archive{Files: got})), string(txtar.Format(&txtar.Archive{Files: after})); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
			again, err := Make(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if len(again.Files()) > 0 {
				t.Errorf("a second time it would write %v", again.Files())
			}
		})
	}
}

func TestBadInputIsRefusedWithAReason(t *testing.T) {
	const sound = "package a\n\nimport \"time\"\n\nfunc f() { time.AfterFunc(1, f) }\n"
	dir := unpack(t, []txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/app\n\ngo 1.26\n")},
		{Name: "a/a.go", Data: []byte(sound)},
		{Name: "broken/b.go", Data: []byte("package b\n\nfunc f() { g() }\n")},
		{Name: "taken/a.go", Data: []byte(sound)},
		{Name: "taken/timers.go", Data: []byte("package a\n")},
	})
	bare := unpack(t, []txtar.File{
		{Name: "a.go", Data: []byte(sound)},
		{Name: "go.mod", Data: []byte("module example.com/bare\n\ngo 1.26\n")},
	})
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
