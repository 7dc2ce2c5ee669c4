package doctest

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/machine"
	"github.com/timerbench/timerbench/structures/catalog"
)

const modulePath = "github.com/timerbench/timerbench"

// The changelog, the citation and the README name the version that the command prints.
func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	version := strings.TrimPrefix(machine.Version, "v")
	for file, want := range map[string]string{
		"CHANGELOG.md": `^## (\d+\.\d+\.\d+), \d+ \w+ \d{4}$`, "CITATION.cff": `^version: (.*)$`, readme: `go get ` + modulePath + `@v(\S+)$`,
	} {
		m := regexp.MustCompile("(?m)" + want).FindStringSubmatch(read(t, file))
		if m == nil || m[1] != version {
			t.Errorf("%s: %q, want version %s", file, m, version)
		}
	}
}

// proxy writes this module as a file GOPROXY, and returns a value of GOPROXY that adds the cache of modules. No network is used.
func proxy(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("no clone:", err)
	}
	files := strings.Fields(string(list))
	var nested []string // modules of their own are not part of this one
	for _, file := range files {
		if dir, name := filepath.Split(file); name == "go.mod" && dir != "" {
			nested = append(nested, dir)
		}
	}
	dir := t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("list", machine.Version)
	write(machine.Version+".info", `{"Version": "`+machine.Version+`"}`)
	write(machine.Version+".mod", read(t, "go.mod"))
	var packed strings.Builder
	z := zip.NewWriter(&packed)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(file, dir) }) {
			continue // removed from the work tree, or of another module
		}
		w, err := z.Create(modulePath + "@" + machine.Version + "/" + file)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(machine.Version+".zip", packed.String())
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + dir + ",file://" + filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
}

// The commands of the README make an outside module build: with go get of the version, from a proxy, and from a clone.
func TestAnOutsideModuleBuildsAsTheREADMESays(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	t.Parallel()
	text := read(t, readme)
	get := regexp.MustCompile("```sh\n(go get .*)\n```").FindStringSubmatch(text)
	more := regexp.MustCompile("`(go get " + modulePath + "/trace)`").FindStringSubmatch(text)
	clone := regexp.MustCompile("`(go mod edit -replace=" + modulePath + "=../timerbench)`").FindStringSubmatch(text)
	if get == nil || more == nil || clone == nil {
		t.Fatalf("the README has no commands for an outside module: %q, %q, %q", get, more, clone)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	proxy, modules := proxy(t), t.TempDir() // both ways compile the same third parties
	for name, first := range map[string]string{"proxy": "true", "clone": strings.ReplaceAll(clone[1], "../timerbench", here)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run := func(commands string) {
				t.Helper()
				cmd := exec.Command("sh", "-euc", commands)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOPROXY="+proxy, "GOSUMDB=off", "GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE="+modules)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", commands, err, out)
				}
			}
			program := func(text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			program(`package main

import (
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures/auto"
)

func main() {
	d, err := driver.New()
	if err != nil || auto.New[string]().Len() != 0 {
		panic(err)
	}
	d.Close()
}
`)
			run("go mod init example.com/mine && " + first + " && " + get[1] + " && go run .")
			program(`package main

import (
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/trace"
)

func main() {
	_, stop, err := trace.FromEnv(auto.New[string](), trace.Header{Name: "mine", Tick: 1})
	if err != nil || stop() != nil {
		panic("the program is not recorded")
	}
}
`)
			run(more[1] + " && go run .")
		})
	}
}

// Who changes a package need not know these others. Importing one structure, or the driver, brings in nothing of another's third party, of the
// suite or of the report: what a program needs for its timers does not measure them.
func TestPackagesKeepApart(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}; {{join .Deps " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps, users := make(map[string][]string), []string{}
	for line := range strings.Lines(string(out)) {
		direct, all, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), modulePath, "."), ";")
		imports := strings.Fields(direct)
		pkg := strings.TrimPrefix(imports[0], "./")
		deps[pkg] = []string{}
		for dep := range strings.FieldsSeq(all) {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") { // not of the standard library
				deps[pkg] = append(deps[pkg], strings.TrimPrefix(dep, "./"))
			}
		}
		if strings.HasPrefix(pkg, "bench") && slices.Contains(imports, "./driver") {
			users = append(users, pkg)
		}
	}
	if want := []string{"bench/advise", "bench/live"}; !slices.Equal(users, want) {
		t.Errorf("%q import driver, want %q", users, want)
	}
	check := func(pkg, rule string, may bool) {
		if deps[pkg] == nil {
			t.Errorf("there is no package %s", pkg)
		}
		pattern := regexp.MustCompile("^(" + rule + ")$")
		for _, dep := range deps[pkg] {
			if pattern.MatchString(dep) != may {
				t.Errorf("package %s imports %s", pkg, dep)
			}
		}
	}
	check("bench", "structures/(catalog|auto|intrusive/.*)|driver|bench/(advise|live|loops)", false)
	check("report", "structures/catalog|driver|bench/live|trace|trace/.*", false)
	check("bench/results", `bench/stats|gonum.org/.*`, false)
	check("trace", "structures|github.com/klauspost/compress(/.*)?", true) // a program that records has no more
	check("driver", "(structures|driver)(/.*)?", true)
	for _, e := range catalog.All() {
		if e.ThirdParty == "" {
			check(strings.TrimPrefix(e.Package, modulePath+"/"), "structures(/.*)?", true)
		}
	}
}

// The page has a row for each peer, with the measured and the current version and their dates.
func TestEachPeerHasAMeasuredAndACurrentVersion(t *testing.T) {
	type release struct{ Version, Date string }
	var file struct {
		Checked string
		Peers   []struct {
			Programs          []string
			Library, Source   string
			Measured, Current release
		}
	}
	if err := json.Unmarshal([]byte(read(t, "peers/versions.json")), &file); err != nil {
		t.Fatal(err)
	}
	table := "| program | library | measured | current on " + file.Checked + " |\n|---|---|---|---|\n"
	complete := regexp.MustCompile(`\) \| [\w. ]*\d[\w. ]*, 20\d\d-\d\d(-\d\d)? \| [\w.]*\d[\w.]*, 20\d\d-\d\d(-\d\d)? \|\n$`)
	have, versions := " ", make(map[string]string)
	for _, p := range file.Peers {
		have += strings.Join(p.Programs, " ") + " "
		project, _, _ := strings.Cut(strings.TrimPrefix(p.Source, "https://github.com/"), "/blob/")
		versions[project] = p.Measured.Version
		row := fmt.Sprintf("| `%s` | [%s](%s) | %s, %s | %s, %s |\n", strings.Join(p.Programs, "`, `"), strings.ReplaceAll(p.Library, "_", `\_`),
			p.Source, p.Measured.Version, p.Measured.Date, p.Current.Version, p.Current.Date)
		if table += row; !complete.MatchString(row) {
			t.Errorf("no versions with dates: %s", row)
		}
	}
	Generated(t, *update, "docs/field.md", "<!-- versions: written by make docs -->\n", "<!-- end of versions -->\n", table)

	for _, c := range []struct {
		file, rule, what string
		least            int
	}{
		{"peers/build.sh", `(?m)^(?:c|java_) (\S+) \S+ ([^"\s]+)`, "an adapter with a library", 5},
		{"peers/go.mod", `(?m)^\s+github\.com/(\w\S+?)(?:/v\d+)? v(\S+)$`, "a project", 2},
	} {
		found := 0
		for _, m := range regexp.MustCompile(c.rule).FindAllStringSubmatch(read(t, c.file), -1) {
			if version, ok := versions[m[1]]; ok && version == m[2] || strings.Contains(have, " "+m[1]+" ") {
				found++
			} else if ok || c.file == "peers/build.sh" {
				t.Errorf("%s has %s, %s %s, peers/versions.json has %q", c.file, c.what, m[1], m[2], version)
			}
		}
		if found < c.least {
			t.Errorf("%d rows for %s, want at least %d", found, c.file, c.least)
		}
	}
}

// The repository holds no input that crashes or hangs the software of others, see "Versions" of docs/rules.md.
func TestNoInputCrashesAPeer(t *testing.T) {
	holds := regexp.MustCompile(`func Test\w*(Hang|Crash|Panic|Deadlock|Forever)\w*|(Pop|Schedule)\(\d{6,}[^)]*\)`)
	for _, pattern := range []string{"peers/*_test.go", "docs/peers.md", "docs/field.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || files == nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if found := holds.FindString(read(t, file)); found != "" {
				t.Errorf("%s: %s", file, found)
			}
		}
	}
}
