package driver_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
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
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name != "context_test" {
			continue
		}
		calls += rewrite(f, removed)
		var source bytes.Buffer
		if err := format.Node(&source, set, f); err != nil {
			t.Fatal(err)
		}
		add(filepath.Base(file), source.Bytes())
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
	// It fails, because there are differences.
	out, _ := exec.Command("go", "tool", "test2json", binary, "-test.v=test2json").Output()
	outcome, logs := make(map[string]string), make(map[string]string)
	for line := range strings.Lines(string(out)) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &event) != nil {
			t.Fatalf("go test: %s", out)
		}
		test, _, _ := strings.Cut(event.Test, "/")
		switch event.Action {
		case "pass", "fail":
			if outcome[test] != "fail" {
				outcome[test] = event.Action
			}
		case "output":
			logs[test] += event.Output
		}
	}
	passed := 0
	for test, action := range outcome {
		why, known := differences[test]
		switch {
		case test == "": // of the package
		case action == "pass" && known && !slices.Contains(sometimes, test):
			t.Errorf("%s passes, and is listed as a difference: %s", test, why)
		case action == "pass":
			passed++
		case !known:
			t.Errorf("%s fails, and is not listed as a difference:\n%s", test, logs[test])
		}
	}
	for test := range removed {
		if differences[test] == "" {
			t.Errorf("%s needs the fields of package context, and is not listed as a difference", test)
		}
	}
	for test, why := range differences {
		if outcome[test] == "" && !removed[test] {
			t.Errorf("%s was not run, and is listed as a difference: %s", test, why)
		}
	}
	if passed < 30 {
		t.Errorf("%d tests pass, want at least 30: %s", passed, logs[""])
	}
	t.Logf("%d tests of Go pass with %d calls of a driver", passed, calls)
}

// rewrite makes calls of package context those of a driver, and returns their number. It removes
// tests that call one of package context itself, which reads the fields of its types.
func rewrite(f *ast.File, removed map[string]bool) (calls int) {
	own := []string{"WithTimeout", "WithDeadline", "WithTimeoutCause"}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		inner := false
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				inner = inner || strings.HasPrefix(fun.Name, "XTest")
				if slices.Contains(own, fun.Name) {
					call.Fun = &ast.SelectorExpr{X: ast.NewIdent("underTest"), Sel: fun}
					calls++
				}
			case *ast.SelectorExpr:
				if x, ok := fun.X.(*ast.Ident); ok && x.Name == "context" && slices.Contains(own, fun.Sel.Name) {
					x.Name = "underTest"
					calls++
				}
			}
			return true
		})
		if inner {
			removed[d.(*ast.FuncDecl).Name.Name] = true
		}
		return inner
	})
	for _, d := range f.Decls {
		if imports, ok := d.(*ast.GenDecl); ok && imports.Tok == token.IMPORT {
			imports.Specs = slices.DeleteFunc(imports.Specs, func(s ast.Spec) bool {
				return strings.HasPrefix(s.(*ast.ImportSpec).Path.Value, `"internal/`)
			})
		}
	}
	return calls
}
