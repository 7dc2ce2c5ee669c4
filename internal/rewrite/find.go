package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// source is a file of a package.
type source struct {
	ast  *ast.File
	path string
	test bool
	why  string // why it is not changed
}

// pass is the work on one package.
type pass struct {
	pkg     *packages.Package
	info    *types.Info
	cfg     Config
	why     string // why nothing of the package moves
	slots   map[any]*slot
	methods map[string]bool // of interfaces
}

// find finds all uses of timers in a package. The driver imports what is below it.
func find(pkg *packages.Package, cfg Config, below map[string]bool) *pass {
	p := &pass{pkg: pkg, info: pkg.TypesInfo, cfg: cfg, slots: make(map[any]*slot), methods: make(map[string]bool)}
	if below[pkg.PkgPath] {
		p.why = "the driver's package imports this one"
	} else if v := p.variable(); v != nil && v.Type().String() != "*"+DriverPath+".Driver" {
		p.why = fmt.Sprintf("%s is of type %v here, and no *driver.Driver", v.Name(), v.Type())
	}
	all := inspector.New(pkg.Syntax)
	for cur := range all.Root().Preorder((*ast.InterfaceType)(nil)) {
		for m := range p.info.TypeOf(cur.Node().(ast.Expr)).(*types.Interface).Methods() {
			p.methods[m.Name()] = true
		}
	}
	for cur := range all.Root().Children() {
		file := cur.Node().(*ast.File)
		path := pkg.Fset.PositionFor(file.FileStart, false).Filename
		src := &source{ast: file, path: path, test: strings.HasSuffix(path, "_test.go")}
		if ast.IsGenerated(file) {
			src.why = "in a generated file"
		} else if !slices.Contains(pkg.GoFiles, path) {
			src.why = "in a file that uses cgo"
		}
		p.follow(cur)
		for id := range cur.Preorder((*ast.Ident)(nil)) {
			if obj := p.info.Uses[id.Node().(*ast.Ident)]; obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "time" {
				p.mention(obj, id, src)
			}
		}
	}
	return p
}

// variable returns what the package has under the name of the driver, or nil.
func (p *pass) variable() types.Object { return p.pkg.Types.Scope().Lookup(p.cfg.Driver) }

// mention looks at a name of package time.
func (p *pass) mention(obj types.Object, id inspector.Cursor, src *source) {
	expr := id // with the name of the package
	if sel, ok := id.Parent().Node().(*ast.SelectorExpr); ok && id.ParentEdgeKind() == edge.SelectorExpr_Sel {
		expr = id.Parent()
		if v, ok := p.info.Selections[sel]; ok {
			p.selection(v, sel, expr, src)
			return
		}
	}
	if isTimerType(obj) {
		p.mentionType(obj, expr, src)
		return
	}
	u := p.use("time."+obj.Name(), expr.Node(), src)
	u.to = func(kind) string { return obj.Name() }
	call := expr.Parent()
	if expr.ParentEdgeKind() != edge.CallExpr_Fun {
		call = expr
	}
	made := map[string]kind{"AfterFunc": afterFunc, "NewTimer": newTimer, "NewTicker": newTicker,
		"After": afterFunc, "Tick": afterFunc}[obj.Name()]
	if made == 0 {
		return
	}
	s := p.slotAt(call.Node()).root()
	s.kinds |= made
	s.product = s.product || !src.test
	switch {
	case obj.Name() == "Tick":
		s.stick("nothing can stop it: use NewTicker")
	case obj.Name() == "After":
		receive := call.Parent()
		if call == expr || call.ParentEdgeKind() != edge.UnaryExpr_X || receive.ParentEdgeKind() != edge.ExprStmt_X ||
			receive.Parent().ParentEdgeKind() == edge.CommClause_Comm {
			s.stick("what may not wait for it leaves a timer that is pending: use NewTimer, and Stop it")
		}
	case call == expr:
		s.stick("it is used as a value: the type of its result changes")
	case made == afterFunc && call.ParentEdgeKind() == edge.ExprStmt_X:
		u.to = func(kind) string { return "Schedule" } // nobody has the timer
	}
	p.bound(s, u, expr.Node())
}

// use returns a use of a file.
func (p *pass) use(what string, n ast.Node, src *source) use {
	return use{Use: Use{Pos: p.pkg.Fset.PositionFor(n.Pos(), false), What: what}, file: src, start: n.Pos(), end: n.End()}
}

// bound adds a use to its slot, which is stuck where the use cannot be changed.
func (p *pass) bound(s *slot, u use, n ast.Node) {
	if why := cmp.Or(p.why, u.file.why, p.hidden(n)); why != "" {
		if why == u.file.why {
			why = "it is " + why + ", at " + p.line(n)
		}
		s.stick(why)
	}
	s = s.root()
	s.uses = append(s.uses, u)
}

// hidden says what the name of the driver is there, if it is not the driver.
func (p *pass) hidden(n ast.Node) string {
	scope := p.pkg.Types.Scope().Innermost(n.Pos())
	if _, obj := scope.LookupParent(p.cfg.Driver, n.Pos()); obj != nil && obj != p.variable() {
		return p.cfg.Driver + " is another thing at " + p.line(n)
	}
	return ""
}

// selection looks at a use of Stop, Reset or C.
func (p *pass) selection(v *types.Selection, sel *ast.SelectorExpr, expr inspector.Cursor, src *source) {
	if !isTimer(v.Recv()) {
		if v.Obj().Name() == "Reset" {
			s := p.slotAt(sel)
			s.stick("the timer is part of " + types.TypeString(v.Recv(), types.RelativeTo(p.pkg.Types)) +
				", and no variable of type *time.Timer")
			s.uses = append(s.uses, p.use(types.ExprString(sel), sel, src))
		}
		return
	}
	s := p.slotOf(sel.X).root()
	switch sel.Sel.Name {
	case "C":
		s.channel = true
		if call, ok := expr.Parent().Node().(*ast.CallExpr); ok && expr.ParentEdgeKind() == edge.CallExpr_Args {
			if name := types.ExprString(call.Fun); name == "len" || name == "cap" {
				s.stick("the " + name + " of its channel is another one with a driver, at " + p.line(sel))
			}
		}
		return
	case "Stop":
		s.stopped = true
	}
	u := p.use(types.ExprString(sel), sel, src)
	s.uses = append(s.uses, u)
}

// mentionType looks at a type in the sources. It belongs to the slots of what it declares; where
// it declares nothing that can be followed it stays.
func (p *pass) mentionType(obj types.Object, expr inspector.Cursor, src *source) {
	if expr.ParentEdgeKind() != edge.StarExpr_X {
		return
	}
	t := expr.Parent()
climb:
	for {
		switch t.ParentEdgeKind() {
		case edge.StarExpr_X, edge.ArrayType_Elt, edge.MapType_Value, edge.ChanType_Value, edge.ParenExpr_X, edge.Ellipsis_Elt:
			t = t.Parent()
		default:
			break climb
		}
	}
	var owners []*slot
	switch n := t.Parent().Node().(type) {
	case *ast.Field:
		owners = p.declared(n, t.Parent())
	case *ast.ValueSpec:
		for _, name := range n.Names {
			owners = append(owners, p.slotOf(name))
		}
	case *ast.CompositeLit:
		owners = append(owners, p.slotAt(n))
	case *ast.TypeSpec:
		owners = append(owners, p.slotAt(p.info.Defs[n.Name]))
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && p.info.Uses[id] == types.Universe.Lookup("make") {
			owners = append(owners, p.slotAt(n))
		}
	}
	if len(owners) == 0 {
		return
	}
	for _, s := range owners[1:] {
		owners[0].join(s)
	}
	u := p.use("*time."+obj.Name(), expr.Node(), src)
	u.to, u.isType = func(k kind) string { return moved[k] }, true
	p.bound(owners[0], u, expr.Node())
}

// declared returns the slots of what a field of a list declares: fields of a struct,
// parameters and results.
func (p *pass) declared(f *ast.Field, cur inspector.Cursor) (slots []*slot) {
	list := cur.Parent()
	owner := list.Parent()
	var named bool
	for _, name := range f.Names {
		if v, ok := p.info.Defs[name].(*types.Var); ok {
			slots, named = append(slots, p.slotOfVar(v)), true
		}
	}
	decl, ok := owner.Parent().Node().(*ast.FuncDecl)
	if named || !ok || owner.ParentEdgeKind() != edge.FuncDecl_Type {
		return slots
	}
	sig := p.info.Defs[decl.Name].(*types.Func).Signature() // its parameters have no names
	vars := sig.Params()
	if list.ParentEdgeKind() == edge.FuncType_Results {
		vars = sig.Results()
	}
	return append(slots, p.slotOfVar(vars.At(cur.ParentEdgeIndex())))
}

// line says where something is, for a sentence.
func (p *pass) line(n ast.Node) string {
	pos := p.pkg.Fset.PositionFor(n.Pos(), false)
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}
