package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// kind is what makes a timer, as bits.
type kind uint

const (
	afterFunc kind = 1 << iota
	newTimer
	newTicker
)

// moved are the types in a driver's package.
var moved = map[kind]string{afterFunc: "Timer", newTimer: "ChanTimer", newTicker: "Ticker"}

// slot is a place that holds timers: a variable, a field, a parameter, a result, the type of a
// container, or an expression. Slots between which timers flow are joined; what is known of them
// stands in their root.
type slot struct {
	parent  *slot
	kinds   kind
	stopped bool
	channel bool   // C is read
	why     string // why the timers cannot move; the first reason that was found
	product bool   // one of them is made outside of tests
	uses    []use
}

// use is a Use whose slot decides.
type use struct {
	Use
	file       *source
	start, end token.Pos
	to         func(kind) string // what takes its place; nil where it is left as it is
	isType     bool
}

func (s *slot) root() *slot {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (s *slot) join(t *slot) {
	s, t = s.root(), t.root()
	if s == t {
		return
	}
	t.parent = s
	if s.why == "" {
		s.why = t.why
	}
	s.product = s.product || t.product
	s.kinds |= t.kinds
	s.stopped = s.stopped || t.stopped
	s.channel = s.channel || t.channel
	s.uses = append(s.uses, t.uses...)
}

func (s *slot) stick(why string) {
	if s = s.root(); s.why == "" {
		s.why = why
	}
}

// reason says why the timers of a root stay, or is empty.
func (s *slot) reason() string {
	switch {
	case s.why != "":
		return s.why
	case s.kinds == 0:
		return "nothing in this package makes it"
	case s.kinds&(s.kinds-1) != 0:
		return "it is a timer of AfterFunc here and one of NewTimer there, which are two types of a driver"
	case s.kinds == afterFunc && s.channel:
		return "its C is read, which AfterFunc leaves nil"
	case s.kinds != afterFunc && !s.stopped:
		return "nothing stops it: a driver's timer is no garbage while it is pending"
	}
	return ""
}

// slotAt returns the slot of a variable, a type or an expression.
func (p *pass) slotAt(key any) *slot {
	s := p.slots[key]
	if s == nil {
		s = new(slot)
		p.slots[key] = s
	}
	return s
}

func (p *pass) slotOfVar(v *types.Var) *slot {
	v = v.Origin()
	s := p.slotAt(v)
	switch {
	case v.Pkg() != p.pkg.Types:
		s.stick(v.Name() + " belongs to another package")
	case v.Embedded():
		s.stick("it is embedded in a struct")
	case !p.importable() || !v.Exported():
	case v.IsField():
		s.stick("the field " + v.Name() + " is exported: others may use it")
	case v.Parent() == p.pkg.Types.Scope():
		s.stick(v.Name() + " is exported: others may use it")
	}
	p.named(s, v.Type())
	return s
}

// named joins a slot with those of the named types on the way to its timers.
func (p *pass) named(s *slot, t types.Type) {
	for range 5 {
		switch u := t.(type) {
		case *types.Alias:
			s.stick("its type has a second name, " + u.Obj().Name())
			return
		case *types.Named:
			if obj := u.Obj(); obj.Pkg() != p.pkg.Types {
				return // package time, or a variable that was stuck for it
			} else if obj.Exported() && p.importable() {
				s.stick("the type " + obj.Name() + " is exported: others may use it")
			}
			s.join(p.slotAt(u.Obj()))
		}
		elem, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return
		}
		t = elem.Elem()
	}
}

// importable reports whether other packages may use what is exported.
func (p *pass) importable() bool { return p.pkg.Name != "main" }

// slotOf returns where the timers of an expression are.
func (p *pass) slotOf(e ast.Expr) (s *slot) {
	defer func() {
		if t := p.info.TypeOf(e); t != nil {
			p.named(s, t)
		}
	}()
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := p.info.ObjectOf(e).(*types.Var); ok {
			return p.slotOfVar(v)
		}
	case *ast.SelectorExpr:
		if v, ok := p.info.Uses[e.Sel].(*types.Var); ok {
			return p.slotOfVar(v)
		}
	case *ast.IndexExpr:
		return p.slotOf(e.X)
	case *ast.SliceExpr:
		return p.slotOf(e.X)
	case *ast.CompositeLit:
		return p.slotAt(e)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW || e.Op == token.AND && p.isValue(e.X) {
			return p.slotOf(e.X)
		}
	case *ast.StarExpr:
		if p.isValue(e.X) {
			return p.slotOf(e.X)
		}
	case *ast.CallExpr:
		return p.resultOf(e, 0)
	}
	s = p.slotAt(e)
	s.stick("it comes from " + types.ExprString(e))
	return s
}

// resultOf returns the slot of a result of a call.
func (p *pass) resultOf(call *ast.CallExpr, i int) *slot {
	switch callee := typeutil.Callee(p.info, call).(type) {
	case *types.Builtin:
		if callee.Name() == "append" {
			return p.slotOf(call.Args[0])
		}
		return p.slotAt(call)
	case *types.Func:
		if callee.Pkg() == p.pkg.Types {
			return p.slotOfVar(callee.Origin().Signature().Results().At(i))
		}
		if callee.Pkg() != nil && callee.Pkg().Path() == "time" {
			return p.slotAt(call)
		}
	}
	s := p.slotAt(call)
	s.stick("it comes from " + types.ExprString(call.Fun))
	return s
}

// holds reports whether values of a type are timers, containers of timers or pointers to such.
func holds(t types.Type) bool {
	for range 5 {
		if t == nil || isTimer(t) {
			return t != nil
		}
		elem, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return false
		}
		t = elem.Elem()
	}
	return false
}

// isTimer reports whether a type is *time.Timer or *time.Ticker.
func isTimer(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && isTimerType(named.Obj())
}

// isTimerType reports whether an object is the type time.Timer or time.Ticker.
func isTimerType(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "time" &&
		(obj.Name() == "Timer" || obj.Name() == "Ticker")
}
