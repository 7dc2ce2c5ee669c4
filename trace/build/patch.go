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

// hook is a statement of the standard library, and the statements to insert before it.
type hook struct{ file, receiver, function, statement, more string }

// countingHooks count, while the lock of a timer is held.
var countingHooks = []hook{
	{"runtime/time.go", "timer", "modify", "t.when = when", "timerbenchCount(t, timerbenchStarted)"},
	{"runtime/time.go", "timer", "stop", "t.when = 0", "timerbenchCount(t, timerbenchStopped)"},
	{"runtime/time.go", "timer", "unlockAndRun", "t.when = next", "timerbenchCount(t, timerbenchFired)"},
}

// recordingHooks record, while the lock of a timer is held, and complete the trace before a signal ends the program or exec
// replaces it.
var recordingHooks = []hook{
	{
		"runtime/time.go", "timer", "modify", "t.when = when",
		"if timerbenchOn.Load() { timerbenchRecord(t, timerbenchSet, when, f == nil) }",
	},
	{
		"runtime/time.go", "timer", "stop", "t.when = 0",
		"if timerbenchOn.Load() { timerbenchRecord(t, timerbenchStop, 0, false) }",
	},
	{
		"runtime/time.go", "timer", "unlockAndRun", "t.when = next",
		"if timerbenchOn.Load() { timerbenchRecord(t, timerbenchFire, next, false) }",
	},
	{"runtime/time.go", "timers", "addHeap", "t.ts = ts", "if timerbenchOn.Load() { timerbenchHeap(t) }"},
	{
		"runtime/signal_unix.go", "", "sighandler", "if flags&_SigKill != 0 {\n\t\tdieFromSignal(sig)\n\t}",
		"if flags&_SigKill != 0 && timerbenchEnd(sig) { return }",
	},
	{
		"runtime/os_windows.go", "", "ctrlHandler", "return 0",
		"if timerbenchEnd(s) { if s == 15 { block() }; return 1 }", // 15 is SIGTERM
	},
	{
		"syscall/exec_unix.go", "", "Exec", "runtime_BeforeExec()",
		"if TimerbenchExec != nil { if envvp, err = SlicePtrFromStrings(TimerbenchExec(envv)); err != nil { return err } }",
	},
	{"syscall/exec_unix.go", "", "Exec", "return err1", "if TimerbenchExecFailed != nil { TimerbenchExecFailed() }"},
}

// patch inserts the hooks into a file of the standard library. It keeps all line numbers.
func patch(hooks []hook, file string, source []byte) ([]byte, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	inserts := map[int]string{} // by offset
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	text := func(n ast.Node) string { return string(source[offset(n.Pos()):offset(n.End())]) }
	for _, h := range hooks {
		if h.file != file {
			continue
		}
		var found []int
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != h.function {
				continue
			}
			if f.Recv == nil && h.receiver != "" || f.Recv != nil && text(f.Recv.List[0].Type) != "*"+h.receiver {
				continue
			}
			for _, s := range f.Body.List {
				if text(s) == h.statement {
					found = append(found, offset(s.Pos()))
				}
			}
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%s has %q %d times in %s, want it once, as in Go 1.24 to 1.27",
				file, h.statement, len(found), strings.TrimPrefix("(*"+h.receiver+")."+h.function, "(*)."))
		}
		inserts[found[0]] = h.more + "; "
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
