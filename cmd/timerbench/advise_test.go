package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// A program with one timer, whose recording was cut short and comes from another Go, is told to keep package time.
func TestAdviceForOneTimer(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for some seconds: not under -short")
	}
	path := filepath.Join(t.TempDir(), "one.trace")
	h := trace.Header{Name: "one", Description: "the timers of Go's runtime, go1.24.1 linux/amd64", Tick: time.Millisecond}
	tracetest.Write(t, path, h, func(w *trace.Writer) {
		w.From(trace.Site{Place: "main.main main.go:9", Form: trace.FuncForm})
		w.Advance(1)
		w.Advance(1000, w.Schedule(1000))
	})
	whole := fail.Read(t, path)
	fail.Write(t, path, whole[:len(whole)-10]) // without a part of the footer
	stdout, stderr := must(t, "advise", path, "--tick", "2s", "--least-core", "50%", "--least-memory", "1e9")
	fail.Unless(t, stderr, "cut short")
	fail.Unless(t, stdout, "Keep package time: your timers cost ", "Less than 50 % of a core and 1 GB does not matter. No place in the program costs more than",
		"package time, tick 2s", "main.main main.go:9", "function", "The program was built with go1.24.1")
}

// The document shows the rules.
func TestRecordingsDocumentShowsTheRules(t *testing.T) {
	table := show.Table{Align: "l", Header: []string{"Pattern", "Evidence at a place in the program", "Threshold", "Remedy", "Source"}}
	for _, r := range tracestat.Rules {
		table.Add(r.Pattern, r.Evidence, r.Threshold, r.Remedy, fmt.Sprintf("<%s>", r.Source))
	}
	doctest.Generated(t, *update, recordingsDoc, "<!-- rules: written by make docs -->\n", "<!-- end of rules -->", strings.NewReplacer(`\<`, "<", `\>`, ">", `\_`, "_").Replace(table.Markdown())) // URLs
}

// The README of the traces lists the patterns that the rules find in them.
func TestRecordingsDocumentShowsTheFindings(t *testing.T) {
	table := show.Table{Align: "llr", Header: []string{"Recording", "Pattern", "Places", "Timers", "Moves"}}
	for _, s := range recordings(t) {
		found := tracestat.Find(s)
		for r := range tracestat.Rules {
			places, timers, moves := 0, uint64(0), uint64(0)
			for _, f := range found {
				if f.Rule == &tracestat.Rules[r] {
					places, timers, moves = places+1, timers+s.Sites[f.Site].Timers, moves+s.Sites[f.Site].Moves
				}
			}
			if places > 0 {
				table.Add(s.Header.Name, tracestat.Rules[r].Pattern, places, timers, moves)
			}
		}
		if len(found) == 0 {
			table.Add(s.Header.Name, "none")
		}
	}
	doctest.Generated(t, *update, tracesDoc, "<!-- findings: written by make docs -->\n", "<!-- end of findings -->",
		table.Markdown())
}

func TestQuestionsThatAdviseRefuses(t *testing.T) {
	const nats = "../../traces/nats.trace"
	refused(t, []string{"advise"}, "want a trace")
	refused(t, []string{"advise", "none.trace"}, "none.trace")
	refused(t, []string{"advise", nats, "--tick", "-1ms"}, "--tick -1ms", "such as 10ms")
	refused(t, []string{"advise", nats, "--tick", "0"}, "--tick 0s", "such as 10ms")
	refused(t, []string{"advise", nats, "--least-core", "x"}, "--least-core", `"x": want a share`)
}
