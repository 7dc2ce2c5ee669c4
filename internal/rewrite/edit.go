package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/imports"
)

// change is the new text of a file, in parts.
type change struct {
	edits  []edit
	driver string // the name of the driver's package, if the edits need it
}

type edit struct {
	start, end token.Pos
	text       string
}

// add takes over what was found in a package, and makes the new contents of its files. It
// reports whether anything moves.
func (p *Plan) add(found *pass) (moves bool, err error) {
	changes := make(map[*source]*change)
	for _, s := range found.slots {
		if s.parent != nil || s.kinds != 0 && !s.product {
			continue // those of tests alone are left alone
		}
		why := s.reason()
		for _, u := range s.uses {
			switch {
			case why != "" && (u.isType || u.file.test):
				continue
			case why != "":
				u.Why = why
			case u.to == nil:
				u.Becomes = u.What
			default:
				if changes[u.file] == nil {
					changes[u.file] = new(change)
				}
				u.Becomes = found.edit(u, s.kinds, changes[u.file])
			}
			p.Uses = append(p.Uses, u.Use)
		}
	}
	for src, c := range changes {
		if p.files[src.path], err = found.rewrite(src, c); err != nil {
			return false, err
		}
	}
	if len(changes) == 0 {
		return false, nil
	}
	if found.variable() == nil {
		err = p.declare(found)
	}
	for _, path := range found.pkg.IgnoredFiles {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err == nil && slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"time"` }) {
			p.Notes = append(p.Notes, p.cfg.relative(path)+" is not built here, and is left as it is")
		}
	}
	return true, err
}

// edit notes what takes the place of a use, and returns it.
func (p *pass) edit(u use, k kind, c *change) string {
	text, star := p.cfg.Driver, ""
	if u.isType {
		if c.driver == "" {
			c.driver = p.driverName(u.file)
		}
		text, star = c.driver, "*"
	}
	text += "." + u.to(k)
	c.edits = append(c.edits, edit{u.start, u.end, text})
	return star + text
}

// driverName returns the name of the driver's package in a file: that under which it is imported,
// or one that means nothing else there.
func (p *pass) driverName(src *source) string {
	for _, spec := range src.ast.Imports {
		if name := p.info.PkgNameOf(spec); name.Imported().Path() == DriverPath && name.Name() != "_" && name.Name() != "." {
			return name.Name()
		}
	}
	taken := make(map[string]bool)
	for n := range ast.Preorder(src.ast) {
		if id, ok := n.(*ast.Ident); ok {
			taken[id.Name] = true
		}
	}
	name := "driver"
	for i := 2; taken[name] || p.pkg.Types.Scope().Lookup(name) != nil; i++ {
		name = "driver" + strconv.Itoa(i)
	}
	return name
}

// rewrite returns the new contents of a file.
func (p *pass) rewrite(src *source, c *change) ([]byte, error) {
	old, err := os.ReadFile(src.path)
	if err != nil {
		return nil, err
	}
	file := p.pkg.Fset.File(src.ast.FileStart)
	slices.SortFunc(c.edits, func(a, b edit) int { return int(a.start - b.start) })
	var text bytes.Buffer
	done := 0
	for _, e := range c.edits {
		text.Write(old[done:file.Offset(e.start)])
		text.WriteString(e.text)
		done = file.Offset(e.end)
	}
	text.Write(old[done:])
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, src.path, text.Bytes(), parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if c.driver == "driver" {
		astutil.AddImport(fset, f, DriverPath)
	} else if c.driver != "" {
		astutil.AddNamedImport(fset, f, c.driver, DriverPath)
	}
	if !astutil.UsesImport(f, "time") {
		for _, spec := range slices.Clone(f.Imports) {
			if spec.Path.Value == `"time"` && spec.Name == nil {
				astutil.DeleteImport(fset, f, "time")
			} else if spec.Path.Value == `"time"` {
				astutil.DeleteNamedImport(fset, f, spec.Name.Name, "time")
			}
		}
	}
	text.Reset()
	if err := format.Node(&text, fset, f); err != nil {
		return nil, err
	}
	// It only puts the imports into groups.
	return imports.Process(src.path, text.Bytes(), &imports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
}

const declaration = `package %[1]s

import "%[2]s"

// %[3]s runs the timers of this package. It is never closed: it has no goroutine and does not
// wake up while no timer is pending.
var %[3]s = func() *driver.Driver {
	d, err := driver.New()
	if err != nil {
		panic(err)
	}
	return d
}()
`

// declare adds a file that declares the driver of a package.
func (p *Plan) declare(found *pass) error {
	path := filepath.Join(found.pkg.Dir, strings.ToLower(strings.ReplaceAll(p.cfg.Driver, "_", ""))+".go")
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there, and does not declare %s", p.cfg.relative(path), p.cfg.Driver)
	}
	p.files[path] = fmt.Appendf(nil, declaration, found.pkg.Name, DriverPath, p.cfg.Driver)
	p.Notes = append(p.Notes, p.cfg.relative(path)+" is to declare "+p.cfg.Driver)
	return nil
}
