package embedded

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var update = flag.Bool("update", false, "write the generated files")

func TestLoopsAreGenerated(t *testing.T) {
	original, err := os.ReadFile("hwheel.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct{ path, typ string }{
		"linkedwheel": {"structures/intrusive/linkedwheel", "Wheel"}, "heap": {"structures/intrusive/heap", "Heap"},
		"rbtree": {"structures/intrusive/rbtree", "Tree"}, "empty": {"bench/embedded/empty", "Wheel"},
	} {
		want, err := format.Source([]byte("// Code generated from hwheel.go by go generate. DO NOT EDIT.\n\n" + strings.NewReplacer(
			"structures/intrusive/hwheel", of.path, "hwheel.Wheel", name+"."+of.typ, "f.Wheel", "f."+of.typ, "{Wheel:", "{"+of.typ+":",
			"Hwheel", strings.ToUpper(name[:1])+name[1:], "hwheel", name).Replace(string(original))))
		if err != nil {
			t.Fatal(err)
		}
		file := name + ".go"
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := os.ReadFile(file); !bytes.Equal(got, want) {
			t.Errorf("%s differs from hwheel.go in more than names: run go generate", file)
		}
	}
}

func TestEveryEntryOfTheCatalogHasAForm(t *testing.T) {
	if len(forms) != len(catalog.Intrusive())+1 {
		t.Errorf("%d forms for %d entries and the floor", len(forms), len(catalog.Intrusive()))
	}
	for _, e := range append(All(), Floor()) {
		if _, ok := e.New().(replay.Form); !ok || !e.Intrusive {
			t.Errorf("%s: New makes %T", e.Name, e.New())
		}
	}
}

// blocks returns the fill of a workload and some more blocks.
func blocks(t *testing.T, workloadName string, n int) (*script.Script, []*script.Block) {
	t.Helper()
	w, ok := workload.Find(workloadName)
	if !ok {
		t.Fatal(workloadName)
	}
	s := w.Script(n, 3)
	out := []*script.Block{s.Fill()}
	for range 4 {
		out = append(out, s.Next(2000, nil))
	}
	return s, out
}

func replayAll(e entry.Entry, s *script.Script, list []*script.Block) error {
	i := replay.New(e)
	samples := replay.NewLatencies()
	for k, b := range list {
		switch k {
		case 1:
			if e.Name == FloorName {
				i.Time(b)
			} else if err := i.Prove(b); err != nil {
				return err
			} else {
				continue
			}
		case 2:
			i.Sample(b, samples)
		case 3:
			i.TimeByKind(b, replay.Clock{})
		default:
			i.Time(b)
		}
		if err := i.Check(b, i.Outcome()); err != nil {
			return err
		}
	}
	return i.CheckBindings(s.Pending)
}

func TestEveryFormAgreesWithTheGenerator(t *testing.T) {
	for _, w := range workload.All() {
		s, list := blocks(t, w.Name, 300)
		for _, e := range append(All(), Floor()) {
			if err := replayAll(e, s, list); err != nil {
				t.Errorf("%s, %s: %v", w.Name, e.Name, err)
			}
		}
	}
}

// More keys than a page has: the table grows while timers are pending, and they stay where they are.
func TestTheTableGrowsByPages(t *testing.T) {
	s, list := blocks(t, "hold", 3*page)
	for _, e := range All() {
		if err := replayAll(e, s, list); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	f := newHeap()
	f.Reserve(1)
	first := f.at(0)
	if f.Reserve(5 * page); f.at(0) != first || len(f.pages) != 5 || f.at(0) == f.at(1) || f.at(4*page).Value != 4*page {
		t.Errorf("%d pages, and timer 0 is at %p, it was at %p", len(f.pages), f.at(0), first)
	}
}

// faulty is a form with a fault, which the proof must find.
type faulty struct {
	*heapForm
	fault string
	calls int
}

func (f *faulty) now(fault string) bool {
	if f.fault != fault {
		return false
	}
	f.calls++
	return f.calls%100 == 0
}

func (f *faulty) Do(batches []script.Batch, all []script.Op) (a replay.Answers) {
	for _, batch := range batches {
		for i := range all[:batch.Len] {
			a.Add(f.one(batch.Kind, all[i:i+1]))
		}
		all = all[batch.Len:]
	}
	return a
}

func (f *faulty) one(kind script.Kind, op []script.Op) (a replay.Answers) {
	t := f.at(op[0].Key)
	do := func() replay.Answers { return f.heapForm.Do([]script.Batch{{Kind: kind, Len: 1}}, op) }
	switch kind {
	case script.KindSchedule:
		if f.now("fires early") {
			op = []script.Op{op[0]}
			op[0].At--
			return do()
		}
		a = do()
		if f.now("loses a timer") {
			f.Cancel(t)
		}
		if f.now("writes the value") {
			t.Value++
		}
	case script.KindCancel:
		if a = do(); f.now("forgets a cancel") {
			f.Schedule(t, 1<<40)
		}
	case script.KindFire, script.KindWake:
		if f.now("misses a wake-up") {
			return a
		}
		a = do()
	case script.KindRefused:
		if f.fault == "moves an idle timer" {
			return replay.Answers{Granted: 1}
		}
		a = do()
	default:
		a = do()
	}
	return a
}

func (f *faulty) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.now("misses a wake-up") {
		return structures.Timer[uint64]{}, false
	}
	return f.heapForm.Pop(now)
}

func TestTheProofFindsFaults(t *testing.T) {
	for fault, workloadName := range map[string]string{
		"": "hold", "fires early": "hold", "loses a timer": "hold", "writes the value": "hold", "misses a wake-up": "hold",
		"forgets a cancel": "churn", "moves an idle timer": "hold",
	} {
		s, list := blocks(t, workloadName, 300)
		for _, b := range list {
			for i := range 100 {
				b.Add(script.KindRefused, script.Op{At: b.Ops[len(b.Ops)-1].At * structures.Tick(i%2)})
			}
		}
		e := entry.Entry{Name: fault, Intrusive: true, New: func() structures.Scheduler[uint64] {
			return scheduler{form: &faulty{heapForm: newHeap(), fault: fault}}
		}}
		if err := replayAll(e, s, list); (err == nil) != (fault == "") {
			t.Errorf("a form that %s: %v", fault, err)
		}
	}
}
