package build

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// hooks are the statements of runtime/time.go before which the runtime is to record, while it
// holds the lock of the timer.
var hooks = []struct{ receiver, function, statement, call string }{
	{"timer", "modify", "t.when = when", "timerbenchRecord(t, timerbenchSet, when)"},
	{"timer", "stop", "t.when = 0", "timerbenchRecord(t, timerbenchStop, 0)"},
	{"timer", "unlockAndRun", "t.when = next", "timerbenchRecord(t, timerbenchFire, next)"},
	{"timers", "addHeap", "t.ts = ts", "timerbenchHeap(t)"},
}

// patch puts the hooks into the source of runtime/time.go. No line of it gets another number.
func patch(source []byte) ([]byte, error) {
	const file = "runtime/time.go"
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	inserts := map[int]string{} // by offset
	for _, h := range hooks {
		var found []int
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == h.function && isMethodOf(f, h.receiver) {
				for _, s := range f.Body.List {
					from, to := set.Position(s.Pos()).Offset, set.Position(s.End()).Offset
					if string(source[from:to]) == h.statement {
						found = append(found, from)
					}
				}
			}
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%s has %q %d times in (*%s).%s, want it once, as in Go 1.24 to 1.26",
				file, h.statement, len(found), h.receiver, h.function)
		}
		inserts[found[0]] = "if timerbenchOn.Load() { " + h.call + " }; "
	}
	var out strings.Builder
	last := 0
	for _, at := range slices.Sorted(maps.Keys(inserts)) {
		out.Write(source[last:at])
		out.WriteString(inserts[at])
		last = at
	}
	out.Write(source[last:])
	return []byte(out.String()), nil
}

// isMethodOf reports whether a function is a method of a pointer to a type.
func isMethodOf(f *ast.FuncDecl, name string) bool {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return false
	}
	star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := star.X.(*ast.Ident)
	return ok && id.Name == name
}
