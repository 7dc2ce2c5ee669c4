package driver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// differences are Go's tests of package context that contexts of a driver do not pass, and why.
var differences = map[string]string{
	// They need the fields of the standard's types. TestChildrenOfAContext, TestContextsAreNotKept and
	// TestAContextEndsWithItsParent check the same of a driver's contexts.
	"TestParentFinishesChild":     "reads cancelCtx.children and parentCancelCtx",
	"TestChildFinishesFirst":      "reads cancelCtx.children and parentCancelCtx",
	"TestCancelRemoves":           "reads cancelCtx.children",
	"TestCustomContextGoroutines": "reads the number of goroutines that package context has started",

	"TestCustomContextAfterFuncUnregisterTimeout": "a context registers with its parent when it is first asked for Done",
	// These build a random tree of 30 layers.
	"TestLayersCancel":  "the end of a standard context may reach a context of a driver by a goroutine",
	"TestLayersTimeout": "the name of a standard child of a driver's context has no parents: context.stopCtx.WithCancel",
}

// sometimes are the differences that depend on chance.
var sometimes = []string{"TestLayersCancel", "TestLayersTimeout"}

// glue replaces the internal packages of the standard library that the tests import, and holds the driver.
const glue = `package context_test

import "github.com/timerbench/timerbench/driver"

var asan struct{ Enabled bool }

var underTest = func() *driver.Driver {
	d, err := driver.New()
	if err != nil {
		panic(err)
	}
	return d
}()
`

var (
	function = regexp.MustCompile(`(?ms)^func (\w+)\(.*?^}\n`)
	call     = regexp.MustCompile(`([^.\w"])(?:context\.)?(WithTimeout|WithDeadline|WithTimeoutCause)\(`)
	internal = regexp.MustCompile(`(?m)^\s*"internal/.*$`) // an import
)

// Go's own tests of package context hold for contexts of a driver, with the differences above. The tests are read from
// the standard library, and calls of WithTimeout, WithDeadline and WithTimeoutCause become those of a driver.
func TestContextsPassTheTestsOfGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a test")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("there is no command go: %v", err)
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "src", "context")
	files, _ := filepath.Glob(filepath.Join(from, "*_test.go"))
	if len(files) == 0 {
		t.Skipf("%s has no tests: this Go was installed without them", from)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The files seem to be in a package of this module, because they import the driver.
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	dir := t.TempDir()
	add := func(name string, source []byte) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, source, 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, "internal", "gocontext", name)] = file
	}
	add("glue_test.go", []byte(glue))
	calls, removed := 0, make(map[string]bool)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(source, []byte("\npackage context_test\n")) {
			continue
		}
		for _, f := range function.FindAllSubmatch(source, -1) {
			if bytes.Contains(f[0], []byte("XTest")) { // a test of package context itself, which reads the fields of its types
				removed[string(f[1])] = true
				source = bytes.Replace(source, f[0], nil, 1)
			}
		}
		calls += len(call.FindAll(source, -1))
		source = call.ReplaceAll(source, []byte("${1}underTest.$2("))
		add(filepath.Base(file), internal.ReplaceAll(source, nil))
	}
	if calls < 20 {
		t.Errorf("%d calls became those of a driver, want at least 20", calls)
	}
	list := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, text, 0o644); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "gocontext.test")
	build := exec.Command("go", "test", "-vet=off", "-c", "-o", binary, "-overlay", list, "./internal/gocontext")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, _ := exec.Command(binary, "-test.v").CombinedOutput() // it fails, because there are differences
	outcome, passed := make(map[string]bool), 0
	for _, line := range regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\w+)`).FindAllSubmatch(out, -1) {
		test, pass := string(line[2]), string(line[1]) == "PASS"
		why, known := differences[test]
		outcome[test] = true
		switch {
		case pass && known && !slices.Contains(sometimes, test):
			t.Errorf("%s passes, and is listed as a difference: %s", test, why)
		case pass:
			passed++
		case !known:
			t.Errorf("%s fails, and is not listed as a difference:\n%s", test, out)
		}
	}
	for test := range removed {
		if differences[test] == "" {
			t.Errorf("%s needs the fields of package context, and is not listed as a difference", test)
		}
	}
	for test, why := range differences {
		if !outcome[test] && !removed[test] {
			t.Errorf("%s was not run, and is listed as a difference: %s", test, why)
		}
	}
	if passed < 30 {
		t.Errorf("%d tests pass, want at least 30: %s", passed, out)
	}
	t.Logf("%d tests of Go pass with %d calls of a driver", passed, calls)
}
