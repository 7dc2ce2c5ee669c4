package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/timerbench/timerbench/trace"
)

// A file or a program of somebody else may hold commands for the terminal, and line breaks that forge a line of ours.
func TestNothingForeignIsACommandForTheTerminal(t *testing.T) {
	const hostile = "\x1b]0;title\x07\x1b[2Jx\u009b31m\u202eevil\r\ntimerbench: all is well\x7f"
	t.Chdir(t.TempDir())
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Name: "hostile", Tick: time.Millisecond, Sites: true})
	if err != nil {
		t.Fatal(err)
	}
	o := trace.NewObserver(w, 0)
	for i := range uint64(2000) {
		now := int64(i) * 5e6
		o.Observe(trace.Event{Kind: trace.EventSet, Timer: 1, Now: now, When: now + 5e9, Pending: i > 0, Site: trace.Site{Place: hostile}})
	}
	if err := o.Close(1e10); err != nil {
		t.Fatal(err)
	}
	writeText(t, "my.trace", file.String())
	workload, structure, role := eightRounds("churn"+hostile, 1), eightRounds("churn", 1), eightRounds("churn", 1)
	structure.Cells[0].Rows[1].Structure += hostile
	role.Cells[0].Rows[1].Role = hostile
	put(t, "workload", workload)
	put(t, "structure", structure)
	put(t, "role", role)
	writeText(t, "hostile.toml", "name = '"+strings.ReplaceAll(hostile, "\n", "")+"'\n")
	writeText(t, "says.sh", "printf '\\033[2Jtimerbench' >&2; exit 1\n")
	for _, line := range []string{
		"trace info my.trace", "trace info --json my.trace", "compare workload structure", "report structure",
		"verify role", "run --scenario hostile.toml", "verify --external a=sh,says.sh",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], ",", " ")
		}
		_, stdout, stderr := run(args...)
		text := stdout + stderr
		foreign := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
		if at := strings.IndexFunc(text, foreign); at >= 0 || strings.Contains(text, "\ntimerbench: all is well") {
			t.Errorf("%s: a command for the terminal at %d of %q", line, at, text)
		} else if !strings.Contains(text, `\u001b`) && !strings.Contains(text, `\x1b`) {
			t.Errorf("%s: shows nothing foreign: %s", line, text)
		}
	}
}
