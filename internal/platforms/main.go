// Command platforms type-checks the packages and tests of the module in the working directory for other platforms:
//
//	go run ./internal/platforms windows/386 darwin/arm64
//
// It reads sources alone. go vet would first compile the standard library and all modules for each platform, which takes a
// minute and more.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) == 1 {
		fmt.Fprintln(os.Stderr, "platforms: no platform; want some, as in platforms windows/386 darwin/arm64")
		os.Exit(2)
	}
	failed := false
	for _, platform := range os.Args[1:] {
		if err := check(platform); err != nil {
			fmt.Fprintf(os.Stderr, "%s:\n%v\n", platform, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // import paths of the source to those of packages that are vendored or compiled for a test
	Module          *struct {
		Main      bool
		GoVersion string
	}
}

// check returns the errors in the module's packages and tests.
func check(platform string) error {
	system, arch, ok := strings.Cut(platform, "/")
	sizes := types.SizesFor("gc", arch)
	if !ok || sizes == nil {
		return errors.New("want a system and a processor of Go, such as windows/386")
	}
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	var wrong []error
	done := packages{"unsafe": types.Unsafe}
	for in := json.NewDecoder(out); ; {
		var l listed
		if err := in.Decode(&l); errors.Is(err, io.EOF) {
			return errors.Join(append(wrong, list.Wait())...)
		} else if err != nil {
			return errors.Join(err, list.Wait())
		}
		if l.ImportPath != "unsafe" && !strings.HasSuffix(l.ImportPath, ".test") { // that is the generated main of a test
			wrong = append(wrong, done.add(l, sizes)...)
		}
	}
}

// packages are those checked so far, by path. go list names a package after all that it imports.
type packages map[string]*types.Package

// add checks a package. It returns the errors of one of the main module. Of others it needs only the declarations.
func (done packages) add(l listed, sizes types.Sizes) (errs []error) {
	ours := l.Module != nil && l.Module.Main
	config := types.Config{
		IgnoreFuncBodies: !ours,
		Sizes:            sizes,
		Error: func(err error) {
			if ours {
				errs = append(errs, err)
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			if to := l.ImportMap[path]; to != "" {
				path = to
			}
			if p := done[path]; p != nil {
				return p, nil
			}
			return nil, fmt.Errorf("package %s is missing", path)
		}),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return append(errs, err)
		}
		files = append(files, f)
	}
	path, _, _ := strings.Cut(l.ImportPath, " ") // a package compiled for a test has the test in brackets
	done[l.ImportPath], _ = config.Check(path, fset, files, nil)
	return errs
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
