package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// follow joins the slots between which a file moves timers. A timer whose use is none of those
// that are known here is stuck.
func (p *pass) follow(root inspector.Cursor) {
	for cur := range root.Preorder() {
		switch n := cur.Node().(type) {
		case *ast.RangeStmt:
			p.followRange(n)
		case *ast.ReturnStmt:
			p.followReturn(n, cur)
		case *ast.FuncLit:
			p.parameters(p.info.TypeOf(n), "it is passed through a value that is a function")
		case *ast.Ident:
			p.followFunc(n, cur)
		}
		if e, ok := cur.Node().(ast.Expr); ok && p.isValue(e) {
			p.followValue(e, cur)
		}
	}
}

// isValue reports whether an expression is a timer or a container of timers.
func (p *pass) isValue(e ast.Expr) bool {
	if tv, ok := p.info.Types[e]; ok {
		return tv.IsValue() && !tv.IsNil() && holds(tv.Type)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := p.info.ObjectOf(id).(*types.Var)
	return ok && holds(v.Type())
}

// followValue looks at what becomes of a timer.
func (p *pass) followValue(e ast.Expr, cur inspector.Cursor) {
	kind, i := cur.ParentEdge()
	parent := cur.Parent().Node()
	switch kind {
	case edge.SelectorExpr_Sel, edge.ParenExpr_X, edge.SelectorExpr_X, edge.IndexExpr_X, edge.SliceExpr_X,
		edge.SendStmt_Chan, edge.ExprStmt_X, edge.RangeStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value,
		edge.Field_Names, edge.ReturnStmt_Results:
		return // the whole of it is looked at elsewhere, or there is nothing to look at
	case edge.AssignStmt_Lhs:
		if n := parent.(*ast.AssignStmt); len(n.Rhs) == 1 && len(n.Lhs) > 1 {
			p.slotOf(e).join(p.oneOf(n.Rhs[0], i))
		}
		return
	case edge.AssignStmt_Rhs:
		if n := parent.(*ast.AssignStmt); len(n.Rhs) == len(n.Lhs) {
			p.store(e, n.Lhs[i])
		}
		return
	case edge.ValueSpec_Names:
		if n := parent.(*ast.ValueSpec); len(n.Values) == 1 && len(n.Names) > 1 {
			p.slotOf(e).join(p.oneOf(n.Values[0], i))
		}
		return
	case edge.ValueSpec_Values:
		if n := parent.(*ast.ValueSpec); len(n.Values) == len(n.Names) {
			p.store(e, n.Names[i])
		}
		return
	case edge.CallExpr_Args:
		p.argument(e, parent.(*ast.CallExpr), i)
		return
	case edge.CompositeLit_Elts:
		p.element(e, parent.(*ast.CompositeLit), nil, i)
		return
	case edge.KeyValueExpr_Value:
		p.element(e, cur.Parent().Parent().Node().(*ast.CompositeLit), parent.(*ast.KeyValueExpr).Key, i)
		return
	case edge.KeyValueExpr_Key:
		lit := cur.Parent().Parent().Node().(*ast.CompositeLit)
		if _, ok := p.info.TypeOf(lit).Underlying().(*types.Struct); ok {
			return // it names a field
		}
	case edge.SendStmt_Value:
		p.slotOf(e).join(p.slotOf(parent.(*ast.SendStmt).Chan))
		return
	case edge.UnaryExpr_X:
		if op := parent.(*ast.UnaryExpr).Op; op == token.ARROW || op == token.AND {
			return
		}
	case edge.BinaryExpr_X, edge.BinaryExpr_Y:
		n := parent.(*ast.BinaryExpr)
		other := n.X
		if kind == edge.BinaryExpr_X {
			other = n.Y
		}
		if p.isValue(other) {
			p.slotOf(e).join(p.slotOf(other))
			return
		}
		if p.info.Types[other].IsNil() {
			return
		}
	case edge.StarExpr_X:
		if !isTimer(p.info.TypeOf(e)) {
			return
		}
		p.slotOf(e).stick("it is copied at " + p.line(e))
		return
	}
	p.slotOf(e).stick("it is used at " + p.line(e) + " in a way that is not followed")
}

// oneOf returns the slot of one of the values of an expression that has several.
func (p *pass) oneOf(e ast.Expr, i int) *slot {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return p.resultOf(call, i)
	}
	return p.slotOf(e)
}

// store follows an assignment.
func (p *pass) store(from, to ast.Expr) {
	if id, ok := to.(*ast.Ident); ok && id.Name == "_" {
		return
	}
	if t := p.info.TypeOf(to); !holds(t) {
		p.slotOf(from).stick("it is stored in a value of another type, at " + p.line(from))
		return
	}
	p.slotOf(from).join(p.slotOf(to))
}

// argument follows an argument of a call.
func (p *pass) argument(arg ast.Expr, call *ast.CallExpr, i int) {
	name := types.ExprString(call.Fun)
	switch callee := typeutil.Callee(p.info, call).(type) {
	case *types.Builtin:
		switch callee.Name() {
		case "len", "cap", "delete", "clear", "close", "print", "println":
			return
		case "append", "copy":
			if p.isValue(call.Args[0]) {
				p.slotOf(arg).join(p.slotOf(call.Args[0]))
				return
			}
		}
	case *types.Func:
		sig := callee.Origin().Signature()
		last := sig.Params().Len() - 1
		if param := sig.Params().At(min(i, last)); callee.Pkg() == p.pkg.Types && holds(param.Type()) {
			p.slotOf(arg).join(p.slotOfVar(param))
			return
		}
	}
	p.slotOf(arg).stick("it is passed to " + name + " at " + p.line(arg))
}

// element follows an element of a composite literal.
func (p *pass) element(e ast.Expr, lit *ast.CompositeLit, key ast.Expr, i int) {
	t := p.info.TypeOf(lit)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem() // &T, left out within another literal
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		field := st.Field(0)
		if id, ok := key.(*ast.Ident); ok {
			field, _ = p.info.Uses[id].(*types.Var)
		} else if key == nil {
			field = st.Field(i)
		}
		if holds(field.Type()) {
			p.slotOf(e).join(p.slotOfVar(field))
			return
		}
	} else if holds(t) {
		p.slotOf(e).join(p.slotOf(lit))
		return
	}
	p.slotOf(e).stick("it is stored in a value of another type, at " + p.line(e))
}

func (p *pass) followRange(n *ast.RangeStmt) {
	t := p.info.TypeOf(n.X)
	for _, v := range []ast.Expr{n.Key, n.Value} {
		if v == nil || !p.isValue(v) {
			continue
		}
		if holds(t) && !isTimer(t) {
			p.slotOf(v).join(p.slotOf(n.X))
		} else {
			p.slotOf(v).stick("it comes from " + types.ExprString(n.X))
		}
	}
}

func (p *pass) followReturn(n *ast.ReturnStmt, cur inspector.Cursor) {
	var results *types.Tuple
	for f := range cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch f := f.Node().(type) {
		case *ast.FuncDecl:
			results = p.info.Defs[f.Name].(*types.Func).Signature().Results()
		case *ast.FuncLit:
			results = p.info.TypeOf(f).(*types.Signature).Results()
		}
		break
	}
	for i := range results.Len() {
		var from *slot
		switch {
		case len(n.Results) == 0:
			return // named results, whose slots they are
		case len(n.Results) == results.Len() && p.isValue(n.Results[i]):
			from = p.slotOf(n.Results[i])
		case len(n.Results) < results.Len() && holds(p.info.TypeOf(n.Results[0]).(*types.Tuple).At(i).Type()):
			from = p.oneOf(n.Results[0], i)
		default:
			continue
		}
		if holds(results.At(i).Type()) {
			from.join(p.slotOfVar(results.At(i)))
		} else {
			from.stick("it is returned as a value of another type at " + p.line(n))
		}
	}
}

// followFunc looks at how a function of this package is used that has timers as parameters
// or results.
func (p *pass) followFunc(id *ast.Ident, cur inspector.Cursor) {
	f, ok := p.info.ObjectOf(id).(*types.Func)
	if !ok || f.Pkg() != p.pkg.Types {
		return
	}
	if f.Exported() && p.importable() {
		p.parameters(f.Origin().Type(), f.Name()+" is exported: others may use it")
	}
	if f.Signature().Recv() != nil && p.methods[f.Name()] {
		p.parameters(f.Origin().Type(), "an interface has a method "+f.Name())
	}
	if p.info.Defs[id] != nil {
		return
	}
	outer := cur
	for slices.Contains([]edge.Kind{edge.SelectorExpr_Sel, edge.ParenExpr_X, edge.IndexExpr_X, edge.IndexListExpr_X},
		outer.ParentEdgeKind()) {
		outer = outer.Parent()
	}
	if outer.ParentEdgeKind() != edge.CallExpr_Fun {
		p.parameters(f.Origin().Type(), f.Name()+" is used as a value at "+p.line(id))
	}
}

// parameters makes the timers stuck that a function takes and returns.
func (p *pass) parameters(f types.Type, why string) {
	sig, ok := f.(*types.Signature)
	if !ok {
		return
	}
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if holds(v.Type()) {
				p.slotOfVar(v).stick(why)
			}
		}
	}
}
