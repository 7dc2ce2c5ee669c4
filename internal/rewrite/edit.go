package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/imports"
)

// change is the new text of a file, in parts.
type change struct {
	edits   []edit
	imports map[string]string // what the edits need, path to name
}

type edit struct {
	start, end token.Pos
	text       string
}

// add takes over what was found in a package, and makes the new contents of its files. It
// reports whether anything moves.
func (p *Plan) add(found *pass) (moves bool, err error) {
	changes := make(map[*source]*change)
	apply := func(u use, k kind) {
		if u.Becomes = u.What; u.to != nil {
			if changes[u.file] == nil {
				changes[u.file] = &change{imports: make(map[string]string)}
			}
			text := found.text(u, k, changes[u.file])
			u.Becomes = strings.TrimSuffix(u.What, strings.TrimLeft(u.What, "*")) + text
		}
		p.Uses = append(p.Uses, u.Use)
	}
	for _, u := range found.loose {
		switch {
		case u.file.test:
		case u.Why == "":
			apply(u, 0)
		default:
			p.Uses = append(p.Uses, u.Use)
		}
	}
	for _, s := range found.slots {
		if s.parent != nil || s.kinds != 0 && !s.product {
			continue // those of tests alone are left alone
		}
		why := s.reason()
		for _, u := range s.uses {
			if why == "" {
				apply(u, s.kinds)
			} else if u.Why = why; !u.isType && !u.file.test {
				p.Uses = append(p.Uses, u.Use)
			}
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
	if found.at.path == "" && found.variable() == nil {
		err = p.declare(found)
	}
	for _, path := range found.pkg.IgnoredFiles {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err == nil && slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"time"` }) {
			p.Notes = append(p.Notes, relative(p.cfg.Dir, path)+" is not built here, and is left as it is")
		}
	}
	return true, err
}

// text returns what takes the place of a use, and notes the edit.
func (p *pass) text(u use, k kind, c *change) string {
	scope, text := p.at.path, p.at.name
	if u.isType {
		scope, text = DriverPath, ""
	}
	if scope != "" && scope != p.pkg.PkgPath {
		name := c.imports[scope]
		if name == "" {
			name = p.importName(u.file, scope)
			c.imports[scope] = name
		}
		text = strings.TrimPrefix(name+"."+text, ".")
	}
	text = strings.TrimSuffix(text, ".") + "." + u.to(k)
	c.edits = append(c.edits, edit{u.start, u.end, text})
	return text
}

// importName returns the name of a package in a file: that under which it is imported, or one
// that means nothing else there.
func (p *pass) importName(src *source, of string) string {
	taken := func(name string) bool {
		found := p.pkg.Types.Scope().Lookup(name) != nil
		for n := range ast.Preorder(src.ast) {
			if id, ok := n.(*ast.Ident); ok && id.Name == name {
				v, isVar := p.info.ObjectOf(id).(*types.Var)
				_, isFunc := p.info.ObjectOf(id).(*types.Func)
				found = found || !isFunc && !(isVar && v.IsField())
			}
		}
		return found
	}
	for _, spec := range src.ast.Imports {
		if name := p.info.PkgNameOf(spec); name != nil && name.Imported().Path() == of && name.Name() != "_" &&
			name.Name() != "." {
			return name.Name()
		}
	}
	base := strings.ReplaceAll(path.Base(of), "-", "")
	if !token.IsIdentifier(base) {
		base = "timerdriver"
	}
	name := base
	for i := 2; taken(name); i++ {
		name = base + strconv.Itoa(i)
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
	for of, name := range c.imports {
		if name == path.Base(of) {
			name = ""
		}
		astutil.AddNamedImport(fset, f, name, of)
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
	base := strings.ToLower(strings.ReplaceAll(found.at.name, "_", ""))
	for _, name := range []string{base + ".go", base + "driver.go"} {
		path := filepath.Join(found.pkg.Dir, name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			p.files[path] = fmt.Appendf(nil, declaration, found.pkg.Name, DriverPath, found.at.name)
			p.Notes = append(p.Notes, relative(p.cfg.Dir, path)+" is to declare "+found.at.name)
			return nil
		}
	}
	return fmt.Errorf("%s: there are %s.go and %[2]sdriver.go, neither of which declares %s", found.pkg.Dir, base,
		found.at.name)
}
