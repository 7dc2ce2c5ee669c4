package replay

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
)

var update = flag.Bool("update", false, "write the generated files")

func TestLoopsAreGenerated(t *testing.T) {
	text, err := os.ReadFile("loop.go")
	if err != nil {
		t.Fatal(err)
	}
	_, original, _ := strings.Cut(string(text), "-update\n")
	want := "// Code generated from loop.go by go generate. DO NOT EDIT.\n\npackage replay\n\nimport (\n" +
		"\t\"github.com/timerbench/timerbench/bench/script\"\n"
	var loops strings.Builder
	for _, of := range []struct{ name, typ string }{{"heap", "Heap"}, {"linkedwheel", "Wheel"}, {"rbtree", "Tree"}} {
		want += "\t\"github.com/timerbench/timerbench/structures/intrusive/" + of.name + "\"\n"
		loops.WriteString(strings.NewReplacer("hwheel.Wheel", of.name+"."+of.typ, "Hwheel", strings.ToUpper(of.name[:1])+of.name[1:],
			"hwheel", of.name).Replace(original))
	}
	loops.WriteString(strings.NewReplacer("hwheel.Wheel[uint64]", "emptyWheel", "hwheel.Timer[uint64]", "emptyTimer", "Hwheel", "Empty",
		"of hwheel.", "of no structure.", "hwheel", "empty").Replace(original))
	out, err := format.Source([]byte(want + ")\n" + loops.String()))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("loops.go", out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile("loops.go"); !bytes.Equal(got, out) {
		t.Error("loops.go differs from loop.go in more than names: run go generate")
	}
}

// More keys than a page has: the table grows while timers are pending, and they stay where they are.
func TestTheTableGrowsByPages(t *testing.T) {
	w, _ := workload.Find("hold")
	s := w.Script(3*page, 3)
	list := written{s, []*script.Block{s.Fill()}, NewLatencies()}
	for range 4 {
		list.blocks = append(list.blocks, s.Next(2000, nil))
	}
	for _, e := range catalog.Intrusive() {
		if err := allReplays(e, list); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	l := newHeapLoop(heap.New[uint64]())
	l.records.reserve(1)
	first := l.at(0)
	if l.records.reserve(5 * page); l.at(0) != first || len(l.pages) != 5 || l.at(0) == l.at(1) || l.at(4*page).Value != 4*page {
		t.Errorf("%d pages, and timer 0 is at %p, it was at %p", len(l.pages), l.at(0), first)
	}
}

// faultyLoop is a loop with a fault, which the proof must find.
type faultyLoop struct {
	*heapLoop
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

func (f *faultyLoop) run(batches []script.Batch, all []script.Op) answers {
	var o outcome
	for _, batch := range batches {
		for i := range all[:batch.Len] {
			o.add(f.one(batch.Kind, all[i:i+1]))
		}
		all = all[batch.Len:]
	}
	return answers{o.done.Scheduled, o.done.Cancelled, o.done.Fired, o.refused, o.granted, o.keys}
}

func (f *faultyLoop) one(kind script.Kind, op []script.Op) (a answers) {
	t := f.at(op[0].Key)
	do := func() answers { return f.heapLoop.run([]script.Batch{{Kind: kind, Len: 1}}, op) }
	switch kind {
	case script.KindSchedule:
		if f.now("fires early") {
			op = []script.Op{op[0]}
			op[0].At--
			return do()
		}
		a = do()
		if f.now("loses a timer") {
			f.s.Cancel(t)
		}
		if f.now("writes the value") {
			t.Value++
		}
	case script.KindCancel:
		if a = do(); f.now("forgets a cancel") {
			f.s.Schedule(t, 1<<40)
		}
	case script.KindFire, script.KindWake:
		if f.now("misses a wake-up") {
			return a
		}
		a = do()
	case script.KindRefused:
		if f.fault == "moves an idle timer" {
			return answers{granted: 1}
		}
		a = do()
	default:
		a = do()
	}
	return a
}

func (f *faultyLoop) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.now("misses a wake-up") {
		return structures.Timer[uint64]{}, false
	}
	return f.heapLoop.Pop(now)
}

func TestTheProofFindsFaultsInStructs(t *testing.T) {
	for fault, workloadName := range map[string]string{
		"": "hold", "fires early": "hold", "loses a timer": "hold", "writes the value": "hold", "misses a wake-up": "hold",
		"forgets a cancel": "churn", "moves an idle timer": "hold",
	} {
		w, _ := workload.Find(workloadName)
		list := write(w, 3)
		for _, b := range list.blocks {
			for i := range 100 {
				b.Add(script.KindRefused, script.Op{At: b.Ops[len(b.Ops)-1].At * structures.Tick(i%2)})
			}
		}
		e := entry.Entry{Name: fault, Bare: func() any {
			return &faultyLoop{heapLoop: newHeapLoop(heap.New[uint64]()), fault: fault}
		}}
		if err := allReplays(e, list); (err == nil) != (fault == "") {
			t.Errorf("a loop that %s: %v", fault, err)
		}
	}
}
