// Package rewrite finds the timers of package time that can be those of a driver, says of each
// use why it cannot, and changes the sources.
//
// A timer moves where all that it goes through can be followed: variables, fields, parameters,
// results and elements of maps, slices and channels of one package. They get another type, all
// together or not at all. What is written is type-checked before.
package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/timerbench/timerbench/internal/atomicfile"
)

// DriverPath is the package whose timers take the place of those of package time.
const DriverPath = "github.com/timerbench/timerbench/driver"

// Config says what is rewritten.
type Config struct {
	Dir      string   // where patterns start; empty is the current folder
	Patterns []string // as those of go build
	Driver   string   // the name of a variable of type *driver.Driver, which each package has or gets
}

// Use is one use of a timer.
type Use struct {
	Pos     token.Position
	What    string
	Becomes string // empty where it stays; What where it moves and looks as before
	Why     string // it stays
}

func (u Use) String() string {
	switch {
	case u.Why != "":
		return fmt.Sprintf("%v: %s stays: %s", u.Pos, u.What, u.Why)
	case u.Becomes == u.What:
		return fmt.Sprintf("%v: %s moves as it is", u.Pos, u.What)
	}
	return fmt.Sprintf("%v: %s -> %s", u.Pos, u.What, u.Becomes)
}

// Plan is what can be done.
type Plan struct {
	Uses  []Use    // by position
	Notes []string // what to know besides

	cfg   Config
	files map[string][]byte // new contents, by absolute path
}

// Make loads packages and plans their move. Nothing is written.
func Make(ctx context.Context, cfg Config) (*Plan, error) {
	if name := cfg.Driver; !token.IsIdentifier(name) || name == "_" || name == "driver" || types.Universe.Lookup(name) != nil {
		return nil, fmt.Errorf("driver %q: want the name of a variable, and not that of the package", name)
	}
	for _, pattern := range cfg.Patterns {
		if strings.HasSuffix(pattern, ".go") {
			return nil, fmt.Errorf("%s: want packages, and no files", pattern)
		}
	}
	var err error
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return nil, err
	}
	list, bubbles, err := load(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	p := &Plan{cfg: cfg, files: make(map[string][]byte)}
	below, err := driverDependencies(ctx, cfg)
	if err != nil {
		p.Notes = append(p.Notes, "the module has no package "+DriverPath+" yet: get it before anything is written")
	}
	for _, pkg := range list {
		moves, err := p.add(find(pkg, cfg, below))
		if err != nil {
			return nil, err
		}
		if moves && bubbles[pkg.PkgPath] {
			p.Notes = append(p.Notes, pkg.PkgPath+" has tests in bubbles of testing/synctest: "+
				"a driver made outside panics there")
		}
	}
	for i := range p.Uses {
		p.Uses[i].Pos.Filename = cfg.relative(p.Uses[i].Pos.Filename)
	}
	slices.SortStableFunc(p.Uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Offset-b.Pos.Offset)
	})
	return p, nil
}

// Files returns the files that Write writes, sorted.
func (p *Plan) Files() (list []string) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		list = append(list, p.cfg.relative(path))
	}
	return list
}

// Write writes the files, each whole or not at all, if the packages compile with all of them.
func (p *Plan) Write(ctx context.Context) error {
	if len(p.files) == 0 {
		return nil
	}
	if _, err := driverDependencies(ctx, p.cfg); err != nil {
		return fmt.Errorf("nothing is written: the module needs %s:\n%w", DriverPath, err)
	}
	if _, _, err := load(ctx, p.cfg, p.files); err != nil {
		return fmt.Errorf("nothing is written, as the result would not compile: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		if err := atomicfile.WriteBytes(path, p.files[path]); err != nil {
			return err
		}
	}
	return nil
}

// load returns the packages, each with its tests, and those that have tests in bubbles; or all
// that keeps them from compiling.
func load(ctx context.Context, cfg Config, overlay map[string][]byte) (list []*packages.Package,
	bubbles map[string]bool, err error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
		packages.NeedModule | packages.NeedForTest
	all, err := packages.Load(&packages.Config{
		Mode: mode, Context: ctx, Dir: cfg.Dir, Tests: true, Overlay: overlay,
	}, cfg.Patterns...)
	if err != nil {
		return nil, nil, err
	}
	if err := broken(cfg.Dir, all); err != nil {
		return nil, nil, err
	}
	bubbles = make(map[string]bool)
	byPath := make(map[string]*packages.Package)
	for _, pkg := range all {
		if pkg.Imports["testing/synctest"] != nil {
			bubbles[cmp.Or(pkg.ForTest, pkg.PkgPath)] = true
		}
		// A package and its tests are one; tests in a package of their own are no matter.
		old := byPath[pkg.PkgPath]
		own := pkg.ForTest == "" || pkg.ForTest == pkg.PkgPath
		if own && !strings.HasSuffix(pkg.PkgPath, ".test") && (old == nil || len(pkg.Syntax) >= len(old.Syntax)) {
			byPath[pkg.PkgPath] = pkg
		}
	}
	if len(byPath) == 0 {
		return nil, nil, fmt.Errorf("no Go packages match %s", strings.Join(cfg.Patterns, " "))
	}
	for path, pkg := range byPath {
		if pkg.Module == nil || !pkg.Module.Main {
			return nil, nil, fmt.Errorf("%s is not a package of this module", path)
		}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b *packages.Package) int {
		return cmp.Compare(a.PkgPath, b.PkgPath)
	}), bubbles, nil
}

// broken returns what keeps packages from compiling: the first ten errors, each once, as tests have
// those of their package, too.
func broken(dir string, list []*packages.Package) error {
	const most = 10
	var texts []string
	for _, pkg := range list {
		for _, err := range pkg.Errors {
			text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "-: "), dir+string(filepath.Separator))
			if !strings.HasPrefix(err.Msg, "# ") && !slices.Contains(texts, text) { // the words of the compiler; ours are the same
				texts = append(texts, text)
			}
		}
	}
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("and %d more", more))
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "\n"))
}

// driverDependencies returns the paths of the driver's package and of all that it imports.
func driverDependencies(ctx context.Context, cfg Config) (map[string]bool, error) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps, Context: ctx, Dir: cfg.Dir,
	}, DriverPath)
	if err != nil {
		return nil, err
	}
	paths := make(map[string]bool)
	var all []*packages.Package
	packages.Visit(list, nil, func(pkg *packages.Package) {
		paths[pkg.PkgPath], all = true, append(all, pkg)
	})
	return paths, broken(cfg.Dir, all)
}

// relative returns a path as a user would type it.
func (cfg Config) relative(path string) string {
	if rel, err := filepath.Rel(cfg.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
