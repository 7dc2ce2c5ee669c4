package replay_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/loops"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
)

var update = flag.Bool("update", false, "write the generated files")

func TestLoopsAreGenerated(t *testing.T) {
	const file = "../loops/loops.go"
	text, err := os.ReadFile("loop.go")
	fail.If(t, err)
	_, original, _ := strings.Cut(string(text), "-update\n")
	want := "// Code generated from loop.go of package replay by go generate. DO NOT EDIT.\n\npackage loops\n\nimport (\n" +
		"\t\"github.com/timerbench/timerbench/bench/replay\"\n\t\"github.com/timerbench/timerbench/bench/script\"\n"
	var written strings.Builder
	for _, of := range []struct{ name, typ string }{{"heap", "Heap"}, {"hwheel", "Wheel"}, {"linkedwheel", "Wheel"}} {
		want += "\t\"github.com/timerbench/timerbench/structures/intrusive/" + of.name + "\"\n"
		written.WriteString(strings.NewReplacer("floorInStructs", of.name+"."+of.typ+"[uint64]", "floorTimer", of.name+".Timer[uint64]",
			"floor", of.name, "of no structure", "of "+of.name,
			"Table", "replay.Table", "Answers", "replay.Answers").Replace(original))
	}
	out, err := format.Source([]byte(want + ")\n" + written.String()))
	fail.If(t, err)
	if *update {
		fail.If(t, os.WriteFile(file, out, 0o644))
	}
	if got, _ := os.ReadFile(file); !bytes.Equal(got, out) {
		t.Error("loops.go differs from loop.go in more than names: run go generate")
	}
}

// More keys than a page has: the table grows while timers are pending, and they stay where they are.
func TestTheTableGrowsByPages(t *testing.T) {
	const page = 1 << 12
	w, _ := workload.Find("hold")
	s := w.Script(3*page, 3)
	list := written{s, []*script.Block{s.Fill()}, replay.NewLatencies()}
	for range 4 {
		list.blocks = append(list.blocks, s.Next(2000, nil))
	}
	for _, e := range loops.With(catalog.Intrusive()) {
		fail.If(t, allReplays(e, list), e.Name)
	}
	timers := replay.TableOf(heap.New[uint64](), func(t *heap.Timer[uint64]) *uint64 { return &t.Value })
	timers.Reserve(&script.Block{Keys: 1})
	first := timers.At(0)
	if timers.Reserve(&script.Block{Keys: 5 * page}); timers.At(0) != first || timers.At(0) == timers.At(1) || timers.At(4*page).Value != 4*page {
		t.Errorf("timer 0 is at %p, it was at %p", timers.At(0), first)
	}
}

// faultyLoop is a loop with a fault, which the proof must find.
type faultyLoop struct {
	replay.Loop
	fault string
	calls int
}

func (f *faultyLoop) now(fault string) bool {
	if f.fault != fault {
		return false
	}
	f.calls++
	return f.calls%100 == 0
}

func (f *faultyLoop) Run(batches []script.Batch, all []script.Op) (sum replay.Answers) {
	for _, batch := range batches {
		for _, op := range all[:batch.Len] {
			a := f.one(batch.Kind, op)
			sum.Scheduled, sum.Cancelled, sum.Fired = sum.Scheduled+a.Scheduled, sum.Cancelled+a.Cancelled, sum.Fired+a.Fired
			sum.Refused, sum.Granted, sum.Keys = sum.Refused+a.Refused, sum.Granted+a.Granted, sum.Keys+a.Keys
		}
		all = all[batch.Len:]
	}
	return sum
}

func (f *faultyLoop) one(kind script.Kind, op script.Op) (a replay.Answers) {
	do := func(kind script.Kind, at structures.Tick) replay.Answers {
		return f.Loop.Run([]script.Batch{{Kind: kind, Len: 1}}, []script.Op{{Key: op.Key, At: at}})
	}
	fires := kind == script.KindFire || kind == script.KindWake
	switch {
	case kind == script.KindSchedule && f.now("fires early"):
		return do(kind, op.At-1)
	case fires && f.now("misses a wake-up"):
		return a
	case kind == script.KindRefused && f.fault == "moves an idle timer":
		return replay.Answers{Granted: 1}
	}
	a = do(kind, op.At)
	switch {
	case kind == script.KindSchedule && f.now("loses a timer"):
		do(script.KindCancel, 0)
	case kind == script.KindCancel && f.now("forgets a cancel"):
		do(script.KindSchedule, 1<<40)
	case fires && a.Fired > 0 && f.now("fires another timer"):
		a.Keys++
	}
	return a
}

func (f *faultyLoop) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.now("misses a wake-up") {
		return structures.Timer[uint64]{}, false
	}
	return f.Loop.Pop(now)
}

func TestTheProofFindsFaultsInStructs(t *testing.T) {
	for fault, workloadName := range map[string]string{
		"": "hold", "fires early": "hold", "loses a timer": "hold", "fires another timer": "hold", "misses a wake-up": "hold",
		"forgets a cancel": "churn", "moves an idle timer": "hold",
	} {
		w, _ := workload.Find(workloadName)
		list := write(w, 3)
		for _, b := range list.blocks {
			for i := range 100 {
				b.Add(script.KindRefused, script.Op{At: b.Ops[len(b.Ops)-1].At * structures.Tick(i%2)})
			}
		}
		sound := loops.With(catalog.Intrusive())[0]
		e := entry.Entry{Name: fault, NewIntrusive: func() any { return &faultyLoop{Loop: sound.NewIntrusive().(replay.Loop), fault: fault} }}
		if err := allReplays(e, list); (err == nil) != (fault == "") {
			t.Errorf("a loop that %s: %v", fault, err)
		}
	}
}
